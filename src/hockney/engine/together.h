/* Collectives, begun together: every repetition at a moment of the common clock (the windows of
   SKaMPI), or behind a barrier, and timed to the end of the last rank. */
#ifndef HOCKNEY_TOGETHER_H
#define HOCKNEY_TOGETHER_H

#include "rounds.h"
#include "start.h"

struct together {
    struct start start;
    int by_barrier;
    /* Of the visits of a round, one entry a repetition. On every rank: */
    int *counts, *places; /* of v forms: equal blocks, in bytes */
    double *duration_ns; /* this rank's own */
    double *late_ns;     /* behind the moment; behind a barrier: minus the beginning */
    /* On the first rank, over the ranks: */
    double *longest_ns, *sum_ns, *latest_ns;
    double skew_ns; /* the latest to begin of the repetitions that were kept last */
};

void together_open(struct together *together, MPI_Comm comm, int ranks, int room, enum sync sync);
void together_close(struct together *together);

/* Blocks of `bytes` for the v forms. */
void together_prepare(struct launch *launch, size_t bytes);

/* `count` repetitions, `window_ns` apart; into own_ns when this rank was done, in nanoseconds since
   the moment. `at` is where the visit's entries begin in the arrays above. */
void together_time(struct launch *launch, const struct operation *operation, int count,
                   double window_ns, int at);
/* What visit_reduce does, for the arrays above; afterwards sample_ns is the completion time. */
void together_reduce(struct launch *launch, int count);
/* On the first rank: keeps those that all ranks began in time, in place; returns how many. Where
   some did not, the next start is named earlier, the window is longer, or more is tolerated. */
int together_keep(struct launch *launch, struct point *point, int at, int count);

#endif
