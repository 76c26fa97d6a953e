/* What a line of samples is about: the axes of its point (docs/records.md) and its visit. */
#ifndef HOCKNEY_SAMPLE_KEY_H
#define HOCKNEY_SAMPLE_KEY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "arrival.h"
#include "grid.h"
#include "load.h"
#include "method.h"
#include "operations.h"

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

/* Members of an object behind others: which point it is. */
void sample_key_write(FILE *out, const struct sample_key *key);
/* And how its visit was made. */
void sample_key_write_visit(FILE *out, const struct sample_key *key);

#endif
