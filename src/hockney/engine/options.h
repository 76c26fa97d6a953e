/* The options of the engine. */
#ifndef HOCKNEY_OPTIONS_H
#define HOCKNEY_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "operations.h"

/* One size of the list; in a sweep with its own counts. */
struct size_option {
    size_t bytes;
    int64_t repetitions; /* 0: as many as the clock needs */
    int64_t warmup;
};

/* Two ranks; all ranks in pairs; each two ranks; all ranks together. */
enum experiment { PINGPONG, OVERHEADS, PAIRS, CORES, COLLECTIVE };

/* How ranks begin together: on the common clock; on one that is agreed by messages though the kernel's
   would do; behind a barrier. */
enum sync { SYNC_CLOCK, SYNC_MESSAGES, SYNC_BARRIER };

struct options {
    const struct operation *operation;
    struct size_option *sizes;
    int size_count;
    struct operation *trains; /* each is measured at each size; NULL: `operation` itself is */
    int train_count;
    int ranks;            /* how many the world must have; 0: any number from two */
    int peers[2];
    int launch;
    double seconds;       /* how long this launch may measure */
    double precision;     /* relative half-width at which a point is done; 0: never */
    int least_rounds, most_rounds;
    uint64_t seed;
    const char *policy, *cpus;
    int every_iteration;  /* time each exchange on its own */
    int sweep;            /* sizes in order, once, with their own counts */
    double seconds_a_size; /* in a sweep: repetitions from a timed warm-up of 100 */
    int reduce_first;     /* a time is the first rank's, not the largest */
    int verify, floor;
    enum buffers buffers;
    int keep_clock_cost;  /* single exchanges: as other suites print them */
    int table;
    /* Many ranks */
    enum experiment experiment;
    const char *between, *mode; /* what two ranks do, and how they send */
    const char *pairing;
    int *active, active_count;   /* concurrent pairs; empty: one, and all */
    int *windows, window_count;  /* messages in flight at once */
    int parallel;                /* of every two ranks: disjoint pairs at once */
    const char *algorithm;       /* of a collective: what the records call it, */
    const size_t *segment_bytes; /* and its segments; NULL: unknown, 0: unsegmented */
    enum sync sync;
    int overlap;                 /* a nonblocking collective also while computing */
    int rotate;                  /* each repetition of a collective has another root */
    const char *read_back; /* control variables to put into the launch record, or NULL */
};

/* Two ranks of the world are measured, the others sleep. */
static inline int is_of_two(const struct options *options)
{
    return options->experiment == PINGPONG || options->experiment == OVERHEADS;
}

/* Messages in flight at once, at most; 1 where the operation has no window. */
static inline int largest_window(const struct options *options)
{
    int largest = 1;
    for (int i = 0; options->operation->counts_window && i < options->window_count; i++)
        largest = options->windows[i] > largest ? options->windows[i] : largest;
    return largest;
}

/* Every repetition is timed by itself, not in batches. */
static inline int times_each(const struct options *options)
{
    return options->every_iteration || options->verify;
}

extern const char options_usage[];

/* Fills in `options` from the command line; ends the program where it was asked wrongly, or for
   --help and --version. */
void options_read(struct options *options, int argc, char **argv);

#endif
