/* One visit of one point, and what is looked at between rounds. */
#ifndef HOCKNEY_VISIT_H
#define HOCKNEY_VISIT_H

#include "launch.h"

/* What every rank needs to know to make one visit; `point` < 0 ends the plan. */
struct visit {
    int32_t point, batches;
    int64_t repetitions;
    int64_t untimed; /* repetitions directly before the timed ones */
    double at_s; /* filled in when it is made: since the launch began to measure */
    double window_ns, compute_ns, skew_ns;
};

/* Points the context at messages of this size, exchanged by this method; untimed. */
void visit_prepare(struct launch *launch, const struct operation *operation,
                   const struct method *method, size_t bytes, int window);
void visit_release(struct launch *launch, const struct operation *operation);
/* The same for a point of the launch, among the ranks of this one's group. */
void visit_begin(struct launch *launch, const struct point *point);
void visit_end(struct launch *launch, const struct point *point);
/* Untimed repetitions. */
void visit_warm(struct launch *launch, const struct operation *operation, int64_t repetitions);
/* Time of `count` batches of `repetitions` into own_ns: nanoseconds a message, this rank's own. */
void visit_time(struct launch *launch, const struct operation *operation, int64_t repetitions,
                int count, double *own_ns);
/* The samples over the ranks, on the first one: the largest, or the first rank's own. */
void visit_reduce(struct launch *launch, int count);
/* With --verify, where the operation has something to check: fills before a repetition what is sent,
   and checks after it what was received, where it was to be received then. */
int visit_is_verified(const struct launch *launch, const struct operation *operation);
void visit_fill(struct launch *launch, const struct operation *operation, int repetition);
void visit_check(struct launch *launch, const struct operation *operation, int repetition);
/* The state of the machine before a round, recorded, where two ranks share memory. */
void probe_state(struct launch *launch, int round);
/* Records disturbances of all ranks since the last probe; non-zero if any rank was interrupted. */
int look_at_noise(struct launch *launch, int round);

#endif
