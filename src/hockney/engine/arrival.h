/* When ranks arrive at a collective: all at the common start, or each by a fraction of a skew later. */
#ifndef HOCKNEY_ARRIVAL_H
#define HOCKNEY_ARRIVAL_H

#include <stdint.h>

/* The last rank of every pattern but `none` arrives a whole skew after the first. */
enum arrival { ARRIVAL_NONE, ASCENDING, DESCENDING, RANDOM, FIRST_LATE, LAST_LATE, HALF_LATE, LISTED,
               ARRIVALS };

/* Their names, by number; ends with NULL. */
extern const char *const arrival_names[];

struct arrivals {
    enum arrival list[ARRIVALS];
    int count;            /* 0: nothing was asked for */
    double skew_ns;       /* 0: skew_times is used */
    double skew_times;    /* the skew in multiples of what the collective takes without one */
    const char *fractions; /* of LISTED: one number from 0 to 1 for each rank, or @FILE */
};

/* Reads NAME,NAME,... */
void arrivals_read(struct arrivals *arrivals, const char *text);

/* The fraction of the skew by which each of the ranks is late, to be freed. RANDOM: ranks in a random order,
   equally far apart, another one for each `seed`. */
double *arrival_fractions(const struct arrivals *arrivals, enum arrival arrival, int ranks, uint64_t seed);

#endif
