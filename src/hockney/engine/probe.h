/* The machine's state and what disturbed it, looked at between rounds and never inside a timing. */
#ifndef HOCKNEY_PROBE_H
#define HOCKNEY_PROBE_H

#include "shared.h"

/* What one rank saw since the round before. -1 where the kernel does not tell. */
struct noise {
    double wall_s;      /* since the look before */
    double cpu_s;       /* of it, on a CPU: a rank that spins should have all of it */
    double waited_s;    /* of it, ready to run while something else had its PU */
    double steal_s;     /* time the hypervisor took from the rank's PU */
    double switches;    /* involuntary context switches */
    double migrations;  /* 1 if the rank was seen on another PU than in the round before */
    double probe_s;     /* a fixed amount of arithmetic: the core's own speed */
    double interrupted; /* 1 once this rank got SIGTERM or SIGINT */
};

enum { NOISE_FIELDS = sizeof(struct noise) / sizeof(double) };

void noise_start(void);
struct noise noise_look(void);

/* One-way hand-over of a cache line between the two ranks in nanoseconds, on rank 0; under 50 us. */
double probe_handover(struct shared *shared, int rank);

#endif
