/* The options of the engine. */
#ifndef HOCKNEY_OPTIONS_H
#define HOCKNEY_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "arrival.h"
#include "grid.h"
#include "load.h"
#include "method.h"
#include "operations.h"

/* One size of the list; in a sweep with its own counts. */
struct size_option {
    size_t bytes;
    int64_t repetitions; /* 0: as many as the clock needs */
    int64_t warmup;
};

/* Threads of the rank that sends first, and of the other. */
struct thread_option {
    int threads, receivers;
};

/* Two ranks; all ranks in pairs; each two ranks; all ranks together; each rank with its neighbours;
   one message, while a rank computes; two ranks one-sided; what it takes until ranks can work;
   victims, while aggressors load the network; passes over all pairs of a network. */
enum experiment { PINGPONG, OVERHEADS, PAIRS, CORES, COLLECTIVE, HALO, OVERLAP, RMA, STARTUP,
                  CONGESTION, FABRIC, EXPERIMENTS };

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
    int may_share;        /* ranks or threads may share PUs */
    int every_iteration;  /* time each exchange on its own */
    int sweep;            /* sizes in order, once, with their own counts */
    double seconds_a_size; /* in a sweep: repetitions from a timed warm-up of 100 */
    int reduce_first;     /* a time is the first rank's, not the largest */
    int verify, floor;
    int tails;            /* each exchange timed on its own, and all of them counted in histograms */
    enum buffers buffers;
    int keep_clock_cost;  /* single exchanges: as other suites print them */
    int table;
    /* Many ranks */
    enum experiment experiment;
    const char *between, *mode; /* what two ranks do, and how they send */
    const char *pairing;
    int *active, active_count;   /* concurrent pairs; empty: one, and all */
    int *windows, window_count;  /* messages in flight at once */
    struct method *methods;      /* how messages are exchanged; at least one */
    int method_count;
    struct thread_option *threads;
    int thread_count;
    const char *thread_comms;    /* shared by all threads, own for each, or own on an endpoint of its own */
    struct layout *out, *in;     /* of messages that are sent and received; NULL: contiguous */
    char *datatype_name;
    const char *const *packings; /* how data get into and out of them; ends with NULL */
    int *partitions, partition_count;
    double stagger_ns;
    int any_source;              /* receives do not name the rank that sends */
    int parallel;                /* of every two ranks: disjoint pairs at once */
    const char *switches;        /* of a pass: the switch of each host; NULL: over every two ranks */
    int pass;                    /* its number, from which its order follows; that of the launch unless it goes on
                                    with an earlier one */
    int64_t from, visits;        /* the first visit to make; at most so many, 0: all */
    const char *algorithm;       /* of a collective: what the records call it, */
    const char *schedules;       /* file of those by which it is made of messages as well; NULL: by none */
    enum sync sync;
    const char *form;            /* of a collective: "persistent", or by put or get; NULL: as its name says.
                                    Of a halo: a list, for its neighbourhood collectives */
    int groups;                  /* of ranks that make a collective at the same time */
    int overlap;                 /* a nonblocking collective also while computing */
    struct arrivals arrivals;    /* when ranks arrive at a collective */
    int rotate;                  /* each repetition of a collective has another root */
    struct grid grid;            /* of a halo, whose messages are exchanged in each of these ways; or
                                    the ways of one message */
    const char *exchange;
    const struct operation **exchanges;
    int exchange_count;
    enum packing columns[3];
    int column_count;
    /* One-sided operations */
    int synchronizations[SYNCHRONIZATIONS]; /* enum synchronization */
    int window_kinds[WINDOW_KINDS];         /* enum window_kind */
    int synchronization_count, window_kind_count; /* 0 for all other operations */
    enum direction direction;
    const struct element *element; /* also of a collective that reduces */
    enum reduction reduction;
    const char *launched_at; /* of a start-up: NANOSECONDS@HOST, or NULL */
    struct congestion_options congestion; /* without loads for all other experiments */
    const char *read_back; /* control variables to put into the launch record, or NULL */
};

/* Two ranks of the world are measured, the others sleep. */
static inline int is_of_two(const struct options *options)
{
    return options->experiment == PINGPONG || options->experiment == OVERHEADS ||
           options->experiment == RMA;
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
    return options->every_iteration || options->verify || options->tails ||
           options->experiment == CONGESTION;
}

/* Every repetition begins on all ranks at once, and ends on the last one. */
static inline int begins_together(const struct options *options)
{
    return options->operation->between_all && options->experiment != CONGESTION;
}

extern const char *const options_usage[]; /* ends with NULL */

/* Fills in `options` from the command line; ends the program where it was asked wrongly, or for
   --help and --version. */
void options_read(struct options *options, int argc, char **argv);

/* One more of `exchanges`. */
void add_exchange(struct options *options, const struct operation *exchange);

#endif
