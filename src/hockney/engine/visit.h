/* One visit of one point, and what is looked at between rounds. */
#ifndef HOCKNEY_VISIT_H
#define HOCKNEY_VISIT_H

#include "rounds.h"

/* Points the exchange's buffers at messages of this size; untimed. */
void visit_prepare(struct launch *launch, const struct operation *operation, size_t bytes);
void visit_release(struct launch *launch, const struct operation *operation);
/* Untimed repetitions. */
void visit_warm(struct launch *launch, const struct operation *operation, int64_t repetitions);
/* Time of `count` batches of `repetitions` into own_ns: nanoseconds a message, this rank's own. */
void visit_time(struct launch *launch, const struct operation *operation, int64_t repetitions,
                int count, double *own_ns);
/* The samples over the ranks, on the first one: the largest, or the first rank's own. */
void visit_reduce(struct launch *launch, int count);
/* The state of the machine before a round, recorded, where two ranks share memory. */
void probe_state(struct launch *launch, int round);
/* What all ranks saw since the last look, recorded; non-zero once any was interrupted. */
int look_at_noise(struct launch *launch, int round);

#endif
