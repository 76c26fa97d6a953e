/* Records on stdout: one JSON object a line, flushed at the end of every round. The format is
   documented in docs/records.md. */
#ifndef HOCKNEY_RECORDS_H
#define HOCKNEY_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "probe.h"

/* What the launch was, said once before anything is timed. */
struct launch_facts {
    int launch;
    uint64_t seed;
    struct clock clock;
    const char *places;        /* where all ranks are, as place_gather has it */
    double batch_s;            /* least length of a batch */
    unsigned long cold_bytes;  /* what the cold walk goes through; 0: warm */
    const char *definition;    /* what one sample is */
    int probes_handover;
    void (*put_controls)(void); /* writes the control variables that were read back, an object */
};

/* What a line of samples is about. */
struct sample_key {
    int launch, round;
    const char *operation, *algorithm;
    size_t bytes;
    const int *peers;
    int peer_count;
    int ranks; /* that take part at once */
    int64_t repetitions;
    double at_s; /* when the visit began, since the launch began to measure */
    double compute_ns; /* of a nonblocking collective: computed meanwhile; 0: nothing */
    /* Of a collective, beside each sample; else NULL: the ranks' own durations. */
    const double *own_sum_ns, *own_longest_ns;
};

/* How ranks began a visit together. */
struct start_facts {
    int launch, round;
    const char *operation;
    size_t bytes;
    int ranks;
    double skew_s;  /* from the first to begin to the last */
    double error_s; /* of the clock that this was read from */
    double known_error_s; /* what it really is wrong by, where that can be known; else negative */
    int missed;     /* repetitions that a rank began too late, and that are not in the records */
};

/* The MPI library that this program was compiled for, or NULL where it is none that we know. */
const char *records_library(void);

/* A JSON string to stdout; null for NULL. */
void record_string(const char *text);

/* People read a table instead: nothing is written but "end" records of failures. */
void records_silence(void);

void record_launch(const struct launch_facts *facts);
/* `ns[count]`: nanoseconds a message, one a batch. */
void record_samples(const struct sample_key *key, const double *ns, int count);
void record_start(const struct start_facts *facts);
void record_probe(int launch, int round, const int *peers, double handover_ns);
void record_noise(int launch, int round, int rank, const struct noise *noise);
/* For a progress display; not part of a result. `worst` is the relative precision of the size
   that is furthest from its target, negative where unknown. */
void record_progress(int launch, int round, size_t bytes, double worst, int reached, int points,
                     long samples, double left_s);
/* `wall_s` and `message` may be negative and NULL. */
void record_end(int launch, const char *reason, double wall_s, const char *message);
void records_flush(void);

#endif
