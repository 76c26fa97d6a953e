/* How long repetitions take, and what follows for batches, visits and windows. */
#ifndef HOCKNEY_CALIBRATE_H
#define HOCKNEY_CALIBRATE_H

#include "launch.h"
#include "visit.h"

/* A batch must be this long for the clock's cost (0.5 %) and resolution (1 %). */
double batch_least_ns(const struct clock *clock);

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
