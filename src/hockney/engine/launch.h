/* One launch on the ranks that take part: what every part of it sees, and its story. */
#ifndef HOCKNEY_LAUNCH_H
#define HOCKNEY_LAUNCH_H

#include <mpi.h>

#include "clock.h"
#include "operations.h"
#include "options.h"
#include "place.h"
#include "precision.h"
#include "probe.h"

/* One number that is asked for, and what is known of it so far. */
struct point {
    const struct operation *operation;
    struct size_option size;
    int window;          /* messages in flight; 1 for operations without a window */
    int overlapped;      /* a collective that computes meanwhile, for as long as the point before it
                            takes */
    int64_t repetitions; /* a batch */
    int batches;         /* a visit */
    double repetition_ns;
    double window_ns;    /* of a collective: from one start to the next */
    struct series *series; /* on the first rank: nanoseconds, the median of each visit */
    double precision;    /* reached so far, relative */
    int samples;
};

/* A message buffer of this rank. */
struct area {
    char *base;
    size_t span;
    size_t at; /* where the walk through cold memory goes on in the next visit */
};

struct launch {
    const struct options *options;
    struct context context;
    int *peers; /* on the first rank: the world ranks that take part; else NULL */
    struct clock clock; /* resolution and cost are the largest of all ranks: they plan by it */
    struct area out, in; /* may be the same memory */
    unsigned long cold_bytes; /* least memory that cold buffers go through; 0: not cold */
    struct point *points;
    int point_count;
    double *sample_ns;  /* room for one visit's or round's samples, `room` of them; on the first */
    double *own_ns;     /* the same on every rank */
    int room;
    struct watch *watch; /* what disturbs this rank; NULL on all simulated ranks but the first, which
                            are one process */
    MPI_Comm watchers;   /* the ranks that have one */
    struct together *together; /* of collectives; else NULL */
    int64_t roots; /* repetitions of a collective so far, where the root rotates */
    double started_s;
};

/* Samples of one visit in a round, at most: batches, or exchanges that are timed by themselves. */
enum { BATCHES_A_VISIT = 4, SINGLES_A_VISIT = 256 };
/* At most this many samples of one visit are held before they are reduced and written. */
enum { CHUNK_SAMPLES = 4096 };

/* Each returns why it ended: "precision", "budget", "complete" or "interrupted". Collective over the
   ranks that take part. */
const char *rounds_run(struct launch *launch);
const char *sweep_run(struct launch *launch);
const char *pairs_run(struct launch *launch);

/* A batch must be this long for the clock's cost (0.5 %) and resolution (1 %). */
double batch_least_ns(const struct clock *clock);

/* Seconds on this rank's clock. */
double launch_now_s(void);

/* Collective over `comm`, whose first rank writes the records and alone knows the `places` of all ranks
   of the world (place_gather); `here` is the caller's own. */
void launch_run(const struct options *options, const struct place *here, const char *places,
                MPI_Comm comm);

#endif
