/* With --stragglers: which ranks are done late with a collective, again and again. */
#ifndef HOCKNEY_STRAGGLERS_H
#define HOCKNEY_STRAGGLERS_H

#include "launch.h"

/* The number of a rank in the collective, another one for each seed: who is late in any place of an
   algorithm is so by itself. */
int stragglers_number(uint64_t seed, int rank, int ranks);
/* After a visit: when this rank was done with each of its repetitions, in nanoseconds since their moment. */
void stragglers_add(struct point *point, const double *done_ns, int count);
/* When a rank was done: the mean over its visits. */
struct completion {
    double ns;
    int number; /* of the rank in the collective */
};

/* Collective: that of each rank, which the caller frees; NULL but on the first rank. */
struct completion *stragglers_gather(const struct launch *launch, const struct point *point);

#endif
