/* The machine's state and what disturbed it, looked at between rounds and never inside a timing. */
#ifndef HOCKNEY_PROBE_H
#define HOCKNEY_PROBE_H

#include <stdint.h>

#include "shared.h"

/* Disturbances of one rank since the previous probe, or over all; -1 if the kernel does not report
   them. */
struct noise {
    double wall_s;
    double cpu_s;       /* of it, on a CPU: a rank that spins should have all of it */
    double waited_s;    /* of it, ready to run while something else had its PU */
    double steal_s;     /* time the hypervisor took from the rank's PU */
    double switches;    /* involuntary context switches */
    double migrations;  /* looks at which the rank was on another PU than at the one before */
    double probe_s;     /* a fixed amount of arithmetic: the core's own speed */
    double probe_low_s, probe_high_s; /* over all looks: its 10 % and 90 % quantiles */
    double throttled, throttled_s; /* over all looks: stops by a quota of CPU time, of all the group's CPUs */
    double interrupted; /* 1 once this rank got SIGTERM or SIGINT */
};

struct watch;

/* Begins to watch this rank; also catches SIGTERM and SIGINT: the first ends the launch at the end of
   its round, or after a time of grace where no round ends; a second one ends the rank at once. */
struct watch *watch_start(void);
struct noise watch_look(struct watch *watch);
/* Whether this rank got SIGTERM or SIGINT. */
int watch_interrupted(void);
/* The sum over all probes but the first. */
struct noise watch_total(const struct watch *watch);
void watch_end(struct watch *watch);

/* Core-to-core latency between the two ranks, one way, in nanoseconds, on rank 0: `ns[PROBED_PAGES]`,
   one for each pair of lines in the order of the probe. Takes under 50 us. */
void probe_handover(struct shared *shared, int rank, double clock_cost_ns, double *ns);

#endif
