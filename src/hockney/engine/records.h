/* Records on stdout: one JSON object a line, flushed at the end of every round. The format is
   documented in docs/records.md. */
#ifndef HOCKNEY_RECORDS_H
#define HOCKNEY_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "place.h"
#include "probe.h"

/* What the launch was, said once before anything is timed. */
struct launch_facts {
    int launch;
    uint64_t seed;
    struct clock clock;
    const struct place *places;
    int ranks;
    double batch_s;            /* least length of a batch */
    unsigned long cold_bytes;  /* what the cold walk goes through; 0: warm */
    const char *definition;    /* what one sample is */
    int probes_handover;
};

/* What a line of samples is about. */
struct sample_key {
    int launch, round;
    const char *operation, *algorithm;
    size_t bytes;
    const int *peers;
    int ranks;
    int64_t repetitions;
    double at_s; /* when the visit began, since the launch began to measure */
};

/* The MPI library that this program was compiled for, or NULL where it is none that we know. */
const char *records_library(void);

/* People read a table instead: nothing is written but "end" records of failures. */
void records_silence(void);

void record_launch(const struct launch_facts *facts);
/* `ns[count]`: nanoseconds a message, one a batch. */
void record_samples(const struct sample_key *key, const double *ns, int count);
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
