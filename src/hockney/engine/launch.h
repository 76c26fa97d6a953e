/* One launch on the ranks that take part: what every part of it sees. */
#ifndef HOCKNEY_LAUNCH_H
#define HOCKNEY_LAUNCH_H

#include <mpi.h>

#include "area.h"
#include "clock.h"
#include "collective.h"
#include "load.h"
#include "method.h"
#include "operations.h"
#include "options.h"
#include "place.h"
#include "precision.h"
#include "probe.h"
#include "sketch.h"
#include "thread.h"

/* One number that is asked for, and what is known of it so far. */
struct point {
    const struct operation *operation;
    const struct method *method;
    struct size_option size;
    int window;          /* messages in flight; 1 for operations without a window */
    int pair[2];         /* the only ranks that exchange messages; both 0 where all do */
    int overlapped;      /* it computes meanwhile, for as long as the point before it takes */
    int64_t repetitions; /* a batch */
    int batches;         /* a visit */
    double repetition_ns;
    struct series *series; /* on the first rank: nanoseconds, the median of each visit */
    struct sketch *sketch; /* on the first rank, with --tails: of samples not yet recorded */
    double precision;    /* reached so far, relative */
    int samples;
    /* One member for each experiment that has more. */
    struct collective_point collective;
    enum packing packing;    /* of an exchange with neighbours */
    const struct load *load; /* of the network meanwhile; NULL: none */
};

/* The ranks that an operation takes place among. */
struct group {
    MPI_Comm comm;
    int rank, ranks;
};

struct launch {
    const struct options *options;
    MPI_Comm comm; /* the ranks that take part */
    int *peers;    /* on the first rank: the world ranks that take part; else NULL */
    struct group everyone, group; /* `group` is one of several that make a collective at the same time, or
                                     everyone in another order; else everyone */
    struct context context;
    struct context before; /* as it was before a repetition that --verify checks */
    struct clock clock; /* resolution and cost are the largest of all ranks: they plan by it */
    struct areas areas[MEMORIES];
    unsigned long cold_bytes; /* least memory that cold buffers go through; 0: not cold */
    const struct method *method; /* of the visit */
    struct point *points;
    int point_count;
    double *sample_ns;  /* room for one visit's or round's samples, `room` of them; on the first */
    double *own_ns;     /* the same on every rank */
    int room;
    struct watch *watch; /* what disturbs this rank; NULL on all simulated ranks but the first, which
                            are one process */
    MPI_Comm watchers;   /* the ranks that have one */
    double started_s;
    char probe_refusal[MPI_MAX_ERROR_STRING]; /* why there is no probe of the cores; else empty */
    /* One member for each experiment that has more, and for what an operation may be made with. */
    struct threads threads;
    struct area stage; /* on the host, through which messages are staged */
    struct together *together; /* of collectives; else NULL */
    struct collective_launch collective;
    struct exposures exposures; /* of one-sided operations */
    struct congestion *congestion; /* of victims and aggressors; else NULL */
};

/* Samples of one visit: batches, or exchanges that are timed by themselves. */
enum { BATCHES_A_VISIT = 4, SINGLES_A_VISIT = 256, SINGLES_UNDER_LOAD = 1024 };
/* At most this many samples of one visit are held before they are reduced and written. */
enum { CHUNK_SAMPLES = 4096 };

/* Samples of one visit in a round, at most, where ranks begin each by themselves. */
static inline int launch_most_samples(const struct options *options)
{
    return options->tails                      ? CHUNK_SAMPLES
           : options->experiment == CONGESTION ? SINGLES_UNDER_LOAD
           : times_each(options)               ? SINGLES_A_VISIT
                                               : BATCHES_A_VISIT;
}

/* Makes the context that of this rank's group, for an operation, or again that of all ranks. */
static inline void launch_enter(struct launch *launch, const struct group *group)
{
    launch->context.comm = group->comm;
    launch->context.rank = group->rank;
    launch->context.ranks = group->ranks;
}

/* Where this rank's buffers lie in a visit by `method`. */
static inline enum memory launch_memory(const struct launch *launch, const struct method *method)
{
    return method->memories.of[!launch->context.leads];
}

/* Seconds on this rank's clock. */
static inline double launch_now_s(void) { return (double)clock_ns() * 1e-9; }

#endif
