/* Interleaved rounds: the visits of one, and how long each is. */
#ifndef HOCKNEY_ROUNDS_H
#define HOCKNEY_ROUNDS_H

#include "launch.h"

/* What every rank needs to know to make one visit; `point` < 0 ends the plan. */
struct visit {
    int32_t point, batches;
    int64_t repetitions;
    int64_t untimed; /* repetitions directly before the timed ones */
    double at_s; /* filled in when it is made: since the launch began to measure */
    double window_ns, compute_ns, skew_ns;
};

/* On the first rank: the visit that a point is due for. */
struct visit visit_of(const struct launch *launch, int point);

/* On the first rank, after an untimed round: chooses repetitions and batches from what a repetition was
   seen to take. `samples`: of the round's visits, one after another. `is_last`: batches follow. */
void calibrate(struct launch *launch, const struct visit *plan, int is_last);

/* After a timed visit: where every untimed round was disturbed, or the machine became faster, batches
   are too short for the clock; the next ones are not. */
void lengthen(struct launch *launch, struct point *point, double fastest_ns);

/* After a visit of a collective: the window follows what its repetitions take. */
void follow(struct launch *launch, struct point *point, int at, int count);

#endif
