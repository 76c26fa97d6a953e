/* Where the order of visits comes from: xorshift64* (Vigna 2016), alike on all ranks. */
#ifndef HOCKNEY_RANDOM_H
#define HOCKNEY_RANDOM_H

#include <stdint.h>

static inline uint64_t random_state(uint64_t seed) { return seed * 2654435769u + 1; }

static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}

/* A new order (Fisher and Yates). */
static inline void random_shuffle(int *order, int count, uint64_t *state)
{
    for (int i = count - 1; i > 0; i--) {
        const int other = (int)(next_random(state) % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

#endif
