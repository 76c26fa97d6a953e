#include "pattern.h"

#include <stdint.h>
#include <string.h>

#include "check.h"

/* Eight bytes at a time: messages of gigabytes are filled and checked as well. */
enum { WORD = sizeof(uint64_t) };

static uint64_t word_at(size_t place, uint64_t message)
{
    const uint64_t key = (uint64_t)(place / WORD) * 0x9e3779b97f4a7c15u + message;
    return (key >> 32 ^ key) * 0xd6e8feb86659fd93u;
}

static uint64_t message_key(size_t bytes, int sender, int block, int repetition)
{
    return (uint64_t)bytes * 31u + (uint64_t)repetition * 7u + (uint64_t)sender * 0x10001u +
           (uint64_t)block * 0x2545f491u;
}

void pattern_fill(char *at, size_t bytes, int sender, int block, int repetition)
{
    const uint64_t key = message_key(bytes, sender, block, repetition);
    size_t place = 0;
    /* Whole words, whose length the compiler knows: that is several times as fast. */
    for (; bytes - place >= WORD; place += WORD) {
        const uint64_t word = word_at(place, key);
        memcpy(at + place, &word, WORD);
    }
    const uint64_t last = word_at(place, key);
    memcpy(at + place, &last, bytes - place);
}

/* The first byte from `place` on that is not as it was filled, or `bytes`. */
static size_t first_wrong(const char *at, size_t place, size_t bytes, uint64_t key)
{
    for (; place < bytes; place += WORD) {
        const uint64_t word = word_at(place, key);
        char expected[WORD];
        memcpy(expected, &word, WORD);
        for (size_t i = 0; i < WORD && place + i < bytes; i++)
            if (at[place + i] != expected[i])
                return place + i;
    }
    return bytes;
}

void pattern_check(const char *at, size_t bytes, int sender, int block, int receiver,
                   int repetition)
{
    const uint64_t key = message_key(bytes, sender, block, repetition);
    size_t place = 0, wrong;
    for (; bytes - place >= WORD; place += WORD) {
        const uint64_t word = word_at(place, key);
        if (memcmp(at + place, &word, WORD) != 0)
            break;
    }
    wrong = first_wrong(at, place, bytes, key);
    if (wrong == bytes)
        return;
    const uint64_t word = word_at(wrong, key);
    unsigned char expected[WORD];
    memcpy(expected, &word, WORD);
    fail(EXIT_WENT_WRONG,
         "data check: in a message of %zu bytes from peer %d to peer %d, repetition %d, byte %zu is "
         "0x%02x and should be 0x%02x",
         bytes, sender, receiver, repetition, wrong, (unsigned char)at[wrong], expected[wrong % WORD]);
}

/* Which of several messages that a rank has under way: of a window, or of threads. */
static int message_number(const struct context *context, int in_window)
{
    return (int)(((unsigned)context->tag << 20) + (unsigned)in_window);
}

/* Walks as the timed loop will, on a copy of the message: nothing moves on here. */
static void fill(const struct context *context, int count, int repetition)
{
    struct message message = context->out;
    const struct layout *layout = message.layout;
    for (int i = 0; i < count; i++) {
        const int number = message_number(context, message.stride > 0 ? i : 0);
        char *at = message_next(&message), *data = layout != NULL ? context->packed : at;
        pattern_fill(data, context->bytes, context->rank, number, repetition);
        if (layout != NULL)
            layout_unpack(layout, (size_t)message.count, data, at);
    }
}

/* `context->in` is where it was before the repetition. A sender that keeps one place sends the same
   message each time. */
static void check_received(const struct context *context, int count, int repetition)
{
    struct message message = context->in;
    const struct layout *layout = message.layout;
    for (int i = 0; i < count; i++) {
        const int number = message_number(context, context->out.stride > 0 ? i : 0);
        char *at = message_next(&message), *data = layout != NULL ? context->packed : at;
        if (layout != NULL)
            layout_pack(layout, (size_t)message.count, at, data);
        pattern_check(data, context->bytes, context->peer, number, context->rank, repetition);
    }
}

void pattern_fill_one(struct context *context, int repetition) { fill(context, 1, repetition); }

void pattern_check_one(struct context *context, int repetition)
{
    check_received(context, 1, repetition);
}

void pattern_fill_window(struct context *context, int repetition)
{
    fill(context, context->window, repetition);
}

void pattern_check_window(struct context *context, int repetition)
{
    check_received(context, context->window, repetition);
}

void pattern_check_stream(struct context *context, int repetition)
{
    if (!context->leads)
        check_received(context, context->window, repetition);
}
