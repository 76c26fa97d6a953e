/* Orders: sorting and its medians and quantiles, shuffling, and a walk in random order. */
#ifndef HOCKNEY_ORDER_H
#define HOCKNEY_ORDER_H

#include <stdint.h>

/* Ascending. */
void sort_doubles(double *values, int count);
/* The median of `count` > 0 values; sorts them. */
double median_of(double *values, int count);
/* The value below which a fraction of the others is, 0 to 1; sorts as well. */
double quantile_of(double *values, int count, double fraction);

/* xorshift64* (Vigna 2016), alike on all ranks. */
static inline uint64_t random_state(uint64_t seed) { return seed * 2654435769u + 1; }

static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}

/* A new order of `count` elements of `size` bytes (Fisher and Yates). */
void shuffle(void *elements, int count, int size, uint64_t *state);
/* The numbers 0 to count - 1 in a new order. */
void shuffled_numbers(int *numbers, int count, uint64_t *state);

/* Every number from 0 up to `count` once, in an order that looks random and takes no memory: a
   Feistel network of four rounds on the least power of four that holds `count`, walked until it
   leads to one of them (Black and Rogaway, CT-RSA 2002). */
struct permutation {
    int64_t count;
    int half_bits;
    uint64_t key;
};

struct permutation permutation_of(int64_t count, uint64_t *state);
int64_t permutation_at(const struct permutation *permutation, int64_t index);

#endif
