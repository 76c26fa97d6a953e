#include "order.h"

#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void sort_doubles(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
}

double median_of(double *values, int count)
{
    sort_doubles(values, count);
    return 0.5 * (values[count / 2] + values[(count - 1) / 2]);
}

double quantile_of(double *values, int count, double fraction)
{
    sort_doubles(values, count);
    return values[(int)(fraction * (count - 1) + 0.5)];
}

void shuffle(void *elements, int count, int size, uint64_t *state)
{
    char *bytes = elements;
    for (int i = count - 1; i > 0; i--) {
        char *one = bytes + (size_t)i * (size_t)size;
        char *other = bytes + (size_t)(next_random(state) % (uint64_t)(i + 1)) * (size_t)size;
        for (int byte = 0; byte < size; byte++) {
            const char kept = one[byte];
            one[byte] = other[byte];
            other[byte] = kept;
        }
    }
}

void shuffled_numbers(int *numbers, int count, uint64_t *state)
{
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    shuffle(numbers, count, (int)sizeof *numbers, state);
}

struct permutation permutation_of(int64_t count, uint64_t *state)
{
    struct permutation permutation = {.count = count, .key = next_random(state)};
    while ((int64_t)1 << 2 * permutation.half_bits < count)
        permutation.half_bits++;
    return permutation;
}

/* A round function of the network: any that mixes (the finaliser of splitmix64, Steele 2014). */
static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

int64_t permutation_at(const struct permutation *permutation, int64_t index)
{
    const int bits = permutation->half_bits;
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    uint64_t at = (uint64_t)index;
    do {
        uint64_t left = at >> bits, right = at & mask;
        for (uint64_t round = 1; round <= 4; round++) {
            const uint64_t next = left ^ (mixed(right + permutation->key * round) & mask);
            left = right;
            right = next;
        }
        at = left << bits | right;
    } while ((int64_t)at >= permutation->count);
    return (int64_t)at;
}
