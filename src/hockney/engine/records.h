/* Records on stdout: one JSON object a line, flushed at the end of every round. The format is
   documented in docs/records.md. */
#ifndef HOCKNEY_RECORDS_H
#define HOCKNEY_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "options.h"
#include "pairing.h"
#include "probe.h"
#include "sample_key.h"
#include "sketch.h"
#include "stragglers.h"
#include "sync.h"

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
    const struct common_clock *clock; /* that this was read from */
    int missed;     /* repetitions that a rank began too late, and that are not in the records */
};

/* Core-to-core latency before a round: median and quartiles over lines. */
struct probe_facts {
    int round;
    const int *peers; /* [2] */
    double handover_ns, low_ns, high_ns;
};

/* Disturbances of the ranks since the previous round: of the worst rank, and sums over all. Negative
   if the kernel does not report them. */
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

/* Before anything else: the launch that the records are of. Where people read a table instead
   (`silent`), nothing is written. */
void records_open(int launch, int silent);
/* One write a flush: every further one would wake the readers once more. After MPI_Init, which some
   libraries use to set stdout's buffer. */
void records_buffer(void);

/* Begins a record of this kind with the launch that it is of, on stdout; members and a brace follow, each
   member behind a comma. Returns 0 where nothing is to be written. */
int record_begins(const char *kind);
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
