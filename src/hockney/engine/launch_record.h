/* The record of a launch: what it runs with, and what it was asked. */
#ifndef HOCKNEY_LAUNCH_RECORD_H
#define HOCKNEY_LAUNCH_RECORD_H

#include "clock.h"
#include "load.h"
#include "options.h"

struct launch_facts {
    const struct options *options;
    struct clock clock;
    const char *places;        /* where all ranks are, as place_gather has it */
    double batch_s;            /* least length of a batch; 0: there are none */
    enum buffers buffers;
    unsigned long cold_bytes;  /* what the cold walk goes through; 0: warm */
    const char *definition;    /* what one sample is */
    int probes_handover;
    const char *probe_refusal; /* why the library gave it no window; else empty or NULL */
    int moved_ranks; /* of a halo whose ranks may be reordered; else negative */
    int ranks;
    const struct cast *cast; /* of victims and aggressors; else NULL */
};

/* On the first rank, once before anything is timed. */
void record_launch(const struct launch_facts *facts);

#endif
