/* What the first rank records of the visits of a round, and learns from them. */
#ifndef HOCKNEY_VISIT_RECORD_H
#define HOCKNEY_VISIT_RECORD_H

#include "launch.h"
#include "visit.h"

/* The samples of a round, which lie behind each other in sample_ns; and what follows from them for its
   points: their series, and how long their next batches and windows are. */
void record_visits(struct launch *launch, const struct visit *visits, int round);

/* With --tails: what was counted up to that round since the last time. */
void record_tails(struct launch *launch, int round);

/* With --stragglers, collective: when each rank was done, over all visits. */
void record_stragglers(const struct launch *launch, int round);

#endif
