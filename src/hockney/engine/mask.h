/* A set of PUs (the CPUs that the kernel schedules on): bit p of `bits[p / 64]`. No fixed size,
   because machines have more than the 1,024 PUs of a cpu_set_t. */
#ifndef HOCKNEY_MASK_H
#define HOCKNEY_MASK_H

#include <stdint.h>

struct mask {
    int words;
    uint64_t *bits; /* [words]; without words, it is not known which PUs they are */
};

enum { MASK_WORD = 64 };

static inline int mask_has(const struct mask *mask, int pu)
{
    return pu >= 0 && pu / MASK_WORD < mask->words &&
           (mask->bits[pu / MASK_WORD] >> (pu % MASK_WORD) & 1) != 0;
}

static inline void mask_add(struct mask *mask, int pu)
{
    mask->bits[pu / MASK_WORD] |= (uint64_t)1 << (pu % MASK_WORD);
}

static inline int mask_count(const struct mask *mask)
{
    int count = 0;
    for (int word = 0; word < mask->words; word++)
        for (uint64_t left = mask->bits[word]; left != 0; left &= left - 1)
            count++;
    return count;
}

#endif
