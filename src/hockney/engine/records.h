/* Records on stdout: one JSON object a line, flushed at the end of every round. The format is
   documented in docs/records.md. */
#ifndef HOCKNEY_RECORDS_H
#define HOCKNEY_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "arrival.h"
#include "clock.h"
#include "grid.h"
#include "load.h"
#include "method.h"
#include "operations.h"
#include "options.h"
#include "pairing.h"
#include "probe.h"
#include "sketch.h"
#include "stragglers.h"

/* The launch, recorded once before anything is timed. */
struct launch_facts {
    uint64_t seed;
    struct clock clock;
    const char *places;        /* where all ranks are, as place_gather has it */
    double batch_s;            /* least length of a batch */
    const char *buffers;
    unsigned long cold_bytes;  /* what the cold walk goes through; 0: warm */
    const char *definition;    /* what one sample is */
    int probes_handover;
    const char *probe_refusal; /* why the library gave it no window; else empty or NULL */
    int moved_ranks; /* of a halo whose ranks may be reordered; else negative */
    const char *axes; /* that all samples share, as members of an object */
    const char *asked; /* the command line, as strings of an array */
    const struct arrivals *arrivals; /* of that many `ranks` */
    int ranks;
    const struct cast *cast; /* of victims and aggressors; else NULL */
    void (*put_controls)(void); /* writes the control variables that were read back, an object */
    void (*put_accelerator)(void); /* and, where there is one, what is known of the accelerator */
};

/* The axes of a point (docs/records.md) and the visit of a line of samples. */
struct sample_key {
    int round;
    const struct operation *operation;
    const struct method *method;
    const char *algorithm;
    const size_t *segment_bytes; /* NULL: not asked for; 0: unsegmented */
    const char *element;         /* of a reduction; NULL: the usual one */
    const char *phase; /* of a collective by messages; NULL: the library makes it */
    const char *occurrence, *window_kind; /* of what is made more than once, of windows; else NULL */
    int window;           /* 0: no window */
    int pairs;            /* that communicate at once; 0: it is not about pairs */
    int overlap;
    int groups;              /* of ranks that make a collective at the same time */
    const struct grid *grid; /* of a halo; else NULL */
    enum packing packing;    /* of its messages */
    const struct arrivals *arrivals; /* NULL: not asked for */
    enum arrival arrival;
    const struct load *load; /* of the network meanwhile; else NULL */
    double load_Bps;         /* what its aggressors exchanged */
    size_t bytes;
    const int *peers;
    int peer_count;
    int ranks; /* that take part at once */
    int64_t repetitions;
    double at_s; /* when the visit began, since the launch began to measure */
    double compute_ns; /* of a nonblocking collective: computed meanwhile; 0: nothing */
    double window_ns;  /* collectives: from one start to the next; 0: no window */
    double skew_ns;    /* from the first rank's arrival to the last one's */
    /* Collectives only, else NULL: the ranks' own durations for each sample. */
    const double *own_sum_ns, *own_longest_ns;
};

/* Times of many pairs, in successive visits of a pass over all of them. */
struct pair_times_facts {
    int pass;
    int64_t visit; /* the first of them, in the order of the pass */
    int visits;
    const char *operation;
    const struct size_option *sizes;
    int size_count;
    const struct pair *pairs;
    int count; /* in all visits together, which have as many each */
    const double *ns; /* [size_count][stride]: of each pair, the median of its batches */
    int stride;
    double at_s; /* when they were over */
};

/* How ranks began a visit together. */
struct start_facts {
    int round;
    const char *operation;
    size_t bytes;
    int ranks;
    const char *begin; /* by the common "clock", or behind a "barrier" */
    double skew_s;  /* from the first to begin to the last */
    double tolerance_s; /* a repetition whose skew is larger does not count; 0: all count */
    double error_s; /* of the clock that this was read from */
    double bound_s; /* what unequal paths may add to it */
    double known_error_s; /* what it really is wrong by, where that can be known; else negative */
    int missed;     /* repetitions that a rank began too late, and that are not in the records */
};

/* Disturbances of the ranks since the previous round: of the worst rank, and sums over all. Negative
   if the kernel does not report them. */
/* Core-to-core latency before a round: median and quartiles over lines. */
struct probe_facts {
    int round;
    const int *peers; /* [2] */
    double handover_ns, low_ns, high_ns;
};

struct round_facts {
    int round;
    double wall_s;   /* since then, on the first rank */
    double waited_s, probe_s; /* the largest of all ranks */
    int waited_rank, probe_rank;
    double switches, migrations, steal_s; /* of all ranks together */
};

/* For a progress display; not part of a result. */
struct progress_facts {
    int round;
    size_t bytes;
    double worst; /* relative precision of the size furthest from its target; negative: unknown */
    int reached;
    int64_t points;
    long samples;
    double left_s;
};

/* What MPI_Query_thread grants: "single", "funneled", "serialized" or "multiple". After MPI_Init. */
const char *records_thread_level(void);

/* Before anything else: the launch that the records are of. Where people read a table instead
   (`silent`), nothing is written but "end" records of failures. */
void records_open(int launch, int silent);
/* One write a flush: every further one would wake the readers once more. After MPI_Init, which some
   libraries use to set stdout's buffer. */
void records_buffer(void);

/* A JSON string to stdout; null for NULL. */
void record_string(const char *text);

void record_launch(const struct launch_facts *facts);
/* `ns[count]`: nanoseconds a message, one a batch. */
void record_samples(const struct sample_key *key, const double *ns, int count);
/* What is tried next. */
void record_trial(const struct sample_key *key);
void record_pair_times(const struct pair_times_facts *facts);
/* With --tails: the counts of all exchanges since the last such record, `round` the last of them. */
void record_tail(const struct sample_key *key, const struct sketch *sketch);
/* When each rank was done, on average over so many visits of a launch. */
void record_completions(const struct sample_key *key, const struct completion *ranks, int visits);
void record_start(const struct start_facts *facts);
void record_probe(const struct probe_facts *facts);
void record_round(const struct round_facts *facts);
/* Over the whole launch. */
void record_noise(int rank, const struct noise *noise);
/* What one end of a path saw, as members of an object (paths.c). */
void record_path(const char *members);
void record_progress(const struct progress_facts *facts);
/* `wall_s` and `message` may be negative and NULL. */
void record_end(const char *reason, double wall_s, const char *message);
/* The end of a launch that failed. */
void record_failure(const char *message);

/* Ends the launch where stdout cannot take what was written. */
void records_flush(void);

#endif
