/* What is visited next, and when it is enough. */
#ifndef HOCKNEY_ROUNDS_H
#define HOCKNEY_ROUNDS_H

#include "clock.h"
#include "operations.h"
#include "options.h"
#include "precision.h"
#include "probe.h"

/* One number that is asked for, and what is known of it so far. */
struct point {
    const struct operation *operation;
    struct size_option size;
    int64_t repetitions; /* a batch */
    int batches;         /* a visit */
    double repetition_ns;
    struct series series; /* one-way nanoseconds: the median of each visit */
    double precision;    /* reached so far, relative */
    /* Of a collective: */
    double window_ns;    /* from one common start to the next */
    double tolerance_ns; /* a repetition that a rank begins later than this does not count */
    int visits_missed;   /* one after another, in which no repetition was begun in time */
    int overlapped;      /* it computes meanwhile, for as long as the point before it takes */
    int samples;
};

/* The launch as every part of it sees it. */
struct launch {
    const struct options *options;
    struct exchange exchange;
    const int *peers; /* world ranks that take part */
    struct clock clock;
    char *out, *in;   /* message buffers of `span` bytes each */
    size_t span;
    struct point *points;
    int point_count;
    double *sample_ns;  /* room for one visit's or round's samples, `room` of them */
    double *own_ns;
    int room;
    struct noise *noises; /* on the first rank: one of each rank */
    struct together *together; /* of collectives; else NULL */
    double started_s;
};

/* At most this many samples of one visit are held before they are reduced and written. */
enum { CHUNK_SAMPLES = 4096 };

/* A batch must be this long for the clock's cost (0.5 %) and resolution (1 %). */
double batch_least_ns(const struct clock *clock);

/* Each returns why it ended: "precision", "budget", "complete" or "interrupted". Collective over the
   ranks that take part. */
const char *rounds_run(struct launch *launch);
const char *sweep_run(struct launch *launch);
const char *pairs_run(struct launch *launch);

#endif
