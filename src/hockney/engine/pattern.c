#include "pattern.h"

#include <stdint.h>

#include "check.h"

static unsigned char byte_at(size_t place, uint64_t message)
{
    const uint64_t key = (uint64_t)place * 0x9e3779b97f4a7c15u + message;
    return (unsigned char)(key >> 32 ^ key);
}

static uint64_t message_key(size_t bytes, int sender, int block, int repetition)
{
    return (uint64_t)bytes * 31u + (uint64_t)repetition * 7u + (uint64_t)sender * 0x10001u +
           (uint64_t)block * 0x2545f491u;
}

void pattern_fill(char *at, size_t bytes, int sender, int block, int repetition)
{
    const uint64_t key = message_key(bytes, sender, block, repetition);
    for (size_t place = 0; place < bytes; place++)
        at[place] = (char)byte_at(place, key);
}

void pattern_check(const char *at, size_t bytes, int sender, int block, int receiver,
                   int repetition)
{
    const uint64_t key = message_key(bytes, sender, block, repetition);
    for (size_t place = 0; place < bytes; place++) {
        const unsigned char expected = byte_at(place, key), found = (unsigned char)at[place];
        if (found != expected)
            fail(EXIT_WENT_WRONG,
                 "data check: in a message of %zu bytes from peer %d to peer %d, repetition %d, "
                 "byte %zu is 0x%02x and should be 0x%02x",
                 bytes, sender, receiver, repetition, place, found, expected);
    }
}

/* Walks as the timed loop will, on a copy of the message: nothing moves on here. */
static void fill(struct message message, int count, int sender, int repetition)
{
    for (int i = 0; i < count; i++)
        pattern_fill(message_next(&message), message.bytes, sender,
                     message.stride > 0 ? i : 0, repetition);
}

/* `context->in` is where it was before the repetition. A sender that keeps one place sends the same
   message each time. */
static void check_received(const struct context *context, int count, int repetition)
{
    struct message message = context->in;
    for (int i = 0; i < count; i++)
        pattern_check(message_next(&message), message.bytes, context->peer,
                      context->out.stride > 0 ? i : 0, context->rank, repetition);
}

void pattern_fill_one(struct context *context, int repetition)
{
    fill(context->out, 1, context->rank, repetition);
}

void pattern_check_one(struct context *context, int repetition)
{
    check_received(context, 1, repetition);
}

void pattern_fill_window(struct context *context, int repetition)
{
    fill(context->out, context->window, context->rank, repetition);
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
