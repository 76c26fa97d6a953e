#include "pattern.h"

#include <stdint.h>

#include "check.h"

/* A byte that depends on everything, so that a message of another rank, size or repetition, or one
   shifted by a few bytes, is seen. */
static unsigned char byte_at(size_t place, size_t bytes, int rank, int repetition)
{
    const uint64_t key = (uint64_t)place * 0x9e3779b97f4a7c15u + (uint64_t)bytes * 31u +
                         (uint64_t)repetition * 7u + (uint64_t)rank;
    return (unsigned char)(key >> 32 ^ key);
}

void pattern_fill(struct message *message, int rank, int repetition)
{
    char *at = message->base + message->at;
    for (size_t place = 0; place < message->bytes; place++)
        at[place] = (char)byte_at(place, message->bytes, rank, repetition);
}

void pattern_check(const char *message, size_t bytes, int receiver, int sender, int repetition)
{
    for (size_t place = 0; place < bytes; place++) {
        const unsigned char expected = byte_at(place, bytes, sender, repetition);
        const unsigned char found = (unsigned char)message[place];
        if (found != expected)
            fail(EXIT_WENT_WRONG,
                 "data check: in a message of %zu bytes from peer %d to peer %d, repetition %d, "
                 "byte %zu is 0x%02x and should be 0x%02x",
                 bytes, sender, receiver, repetition, place, found, expected);
    }
}
