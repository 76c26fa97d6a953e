/* Victims are timed alone and while aggressors load the network, in the same rounds. */
#ifndef HOCKNEY_CONGESTION_H
#define HOCKNEY_CONGESTION_H

#include "launch.h"
#include "visit.h"

/* Sampled visits of a victim last about this long, so that beginning and ending a load takes a small
   part of a round. */
static const double VISIT_UNDER_LOAD_NS = 2e6;
/* And this many periods of bursts. */
static const double LEAST_PERIODS = 4.0;

/* Collective over `comm`. Makes the launch's group the victims', on those. */
struct congestion *congestion_open(struct launch *launch, MPI_Comm comm);
/* Bytes that this rank needs to load the network; and their memory. */
double congestion_needed(const struct congestion *congestion);
void congestion_allocate(struct congestion *congestion, enum memory memory);
void congestion_close(struct congestion *congestion);
const struct cast *congestion_cast(const struct congestion *congestion);

/* Collective over all ranks: visit `number` of a round, with samples from `at` on. */
void congestion_visit(struct launch *launch, struct visit *visit, int number, int at);
/* Collective over all ranks, after so many visits: on the first rank, what aggressors exchanged. */
void congestion_reduce(struct launch *launch, int visits);
/* On the first rank: bytes a second in a visit; 0 without a load. */
double congestion_rate_Bps(const struct launch *launch, int number);

#endif
