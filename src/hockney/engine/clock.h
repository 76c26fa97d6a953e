/* The clock that everything is timed with, and what it costs. */
#ifndef HOCKNEY_CLOCK_H
#define HOCKNEY_CLOCK_H

#include <mpi.h>
#include <stdint.h>
#include <time.h>

#include "simulated.h"

struct clock {
    const char *name;
    double resolution_s; /* smallest step seen between two readings */
    double cost_s;       /* one reading, median */
    double wtick_s;      /* what MPI_Wtick claims for MPI_Wtime, for comparison */
};

/* CLOCK_MONOTONIC is read without a system call (vDSO) and never steps back.
   Under SimGrid the compiler wrapper turns this call into simulated time. */
static inline int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void clock_sleep(int64_t ns)
{
    const struct timespec pause = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&pause, NULL);
}

/* Computes for this long, without MPI or system calls. In a simulation only an explicit call advances
   the time. */
static inline void clock_compute(int64_t ns)
{
    if (IS_SIMULATED) {
        clock_sleep(ns);
        return;
    }
    for (const int64_t end = clock_ns() + ns; clock_ns() < end;)
        ;
}

/* Measures resolution and cost: about 3 ms. */
struct clock clock_measure(void);

#endif
