/* A clock that all ranks have in common, so that they can begin at one moment and their ends can be
   compared. Ranks of a node share the kernel's clock, simulated ones the simulator's; between nodes
   the difference is measured. */
#ifndef HOCKNEY_SYNC_H
#define HOCKNEY_SYNC_H

#include <mpi.h>
#include <stdint.h>

#include "clock.h"

struct common_clock {
    int64_t base;          /* of this node's clock */
    double offset_ns, drift; /* common = local + offset + drift * local, local from base */
    double error_ns; /* standard error of this node's offset: of the messages' spread, and of what is
                        left between the last offset and the line through all */
    double bound_ns; /* half the shortest round trip: paths there and back that differ by as much
                        show in no message */
    /* On the first rank, the largest of all nodes: of these two; and of what the offset is wrong by,
       where all share the kernel's clock and it should be none (by_messages), else -1. */
    double largest_error_ns, largest_bound_ns, known_error_ns;
    int by_messages;
    int64_t first_base;    /* the first rank's, for known_error_ns */
    MPI_Comm all;
    MPI_Comm leaders;      /* one rank a node; MPI_COMM_NULL on the others */
    MPI_Comm node;
    double measured_ns, took_ns; /* when it was measured last, and for how long */
    int measurements;
    /* For the line through all offsets measured so far: weighted sums over local time and offset. */
    int count;
    double sum, sum_t, sum_o, sum_tt, sum_to;
};

/* Collective over `comm`. `by_messages`: within a node as well, where the true difference is known to
   be none: shows how good the method is. */
void sync_start(struct common_clock *clock, MPI_Comm comm, int by_messages);
/* Measures again, where it is time: the more often, the better the drift is known, but measuring takes
   a small part of the time. Collective. */
void sync_again(struct common_clock *clock);
void sync_end(struct common_clock *clock);

/* Nanoseconds on the common clock, about 0 when it was started: at a reading of this rank's clock, and now. */
static inline double sync_at(const struct common_clock *clock, int64_t reading_ns)
{
    const double local = (double)(reading_ns - clock->base);
    return local + clock->offset_ns + clock->drift * local;
}

static inline double sync_now(const struct common_clock *clock) { return sync_at(clock, clock_ns()); }

#endif
