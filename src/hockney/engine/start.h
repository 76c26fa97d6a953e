/* Beginning together: the first rank names a moment on the common clock, all wait for it. */
#ifndef HOCKNEY_START_H
#define HOCKNEY_START_H

#include <math.h>
#include <sched.h>

#include "faults.h"
#include "simulated.h"
#include "sync.h"

/* The latest of something, from which a quantile is taken: what is rare does not count, and what was
   once does not count for ever. */
enum { RECENT = 32 };

struct recent {
    double values[RECENT];
    int count, next;
};

void recent_add(struct recent *recent, double value);
/* 0 where there is none. */
double recent_quantile(const struct recent *recent, double fraction);

struct start {
    struct common_clock clock;
    MPI_Comm comm;
    int rank;
    double notified_ns; /* from when the last moment was named until this rank knew it */
    /* On the first rank: */
    double margin_ns;      /* how far ahead a moment is named */
    struct recent notified;    /* of all ranks, the latest of each visit */
    struct recent late;    /* by how much the last rank began late, the median of each visit */
};

void start_open(struct start *start, MPI_Comm comm, int by_messages);
void start_close(struct start *start);

/* The moment at which the next visit begins. Collective. */
double start_agree(struct start *start);
/* On the first rank, after a visit: when the last rank knew the moment, and by how much the last rank
   began late in the median repetition, or a negative number where that is not known. The next moment
   is named early enough. */
void start_adapt(struct start *start, double notified_ns, double late_ns);
/* On the first rank: how long a visit should last. */
double start_visit_ns(const struct start *start);
/* On the first rank: a repetition that some rank begins later than this was not begun together. */
double start_tolerance_ns(const struct start *start);
/* On the first rank: whether ranks begin so late that something of `length_ns` is not begun together at
   all. */
int start_is_vain(const struct start *start, double length_ns);

/* Sleeps until about the moment. */
static inline void start_sleep(const struct start *start, double moment)
{
    clock_sleep((int64_t)fmax(moment - sync_now(&start->clock), 0.0));
}

/* Waits for the moment; returns when this rank really began. Only ranks that share a CPU need the
   yield, and it takes less than what is left then. A simulated clock is exact, and waiting for it by
   looking is not free. */
static inline double start_wait(const struct start *start, double moment)
{
    static const double NEAR_NS = 5000.0;
    double now;
    if (IS_SIMULATED)
        start_sleep(start, moment);
    while ((now = sync_now(&start->clock)) < moment) {
        if (moment - now > NEAR_NS)
            sched_yield();
        fault_progress(start->comm);
    }
    return now;
}

#endif
