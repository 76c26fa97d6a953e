/* Beginning together: the first rank names a moment on the common clock, all wait for it. */
#ifndef HOCKNEY_START_H
#define HOCKNEY_START_H

#include <math.h>
#include <sched.h>

#include "sync.h"

struct start {
    struct common_clock clock;
    MPI_Comm comm;
    int rank;
    double margin_ns; /* on the first rank: how far ahead the moment is named */
};

void start_open(struct start *start, MPI_Comm comm, int by_messages);
void start_close(struct start *start);

/* The moment at which the next visit begins. Collective. */
double start_agree(struct start *start);
/* On the first rank: by how much the last one to begin was late; the next moment is named early
   enough. */
void start_adapt(struct start *start, double late_ns);

/* Sleeps until about the moment; a simulated clock is exact, and waiting for it by looking is not
   free. */
static inline void start_sleep(const struct start *start, double moment)
{
    clock_sleep((int64_t)fmax(moment - sync_now(&start->clock), 0.0));
}

/* Waits for the moment; returns when this rank really began. Only ranks that share a CPU need the
   yield, and it takes less than what is left then. */
static inline double start_wait(const struct start *start, double moment)
{
    static const double NEAR_NS = 5000.0;
    double now;
    if (IS_SIMULATED)
        start_sleep(start, moment);
    while ((now = sync_now(&start->clock)) < moment)
        if (moment - now > NEAR_NS)
            sched_yield();
    return now;
}

#endif
