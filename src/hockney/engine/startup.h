/* What it takes until ranks can work: MPI_Init, first messages, communicators, windows, MPI_Finalize. */
#ifndef HOCKNEY_STARTUP_H
#define HOCKNEY_STARTUP_H

#include <mpi.h>
#include <stdint.h>

#include "options.h"

/* Moments on this rank's clock, in nanoseconds; and half of round trips between the first rank and each
   other one, on both. */
struct startup {
    int64_t entered;       /* main began */
    int64_t before, after; /* MPI_Init */
    double *first_ns, *later_ns;
    int rank, ranks;
};

/* Collective over `world`, before anything else is said there: half a round trip between the first rank and
   each other one, the first and a later one. */
void startup_messages(const struct options *options, struct startup *startup, MPI_Comm world);
/* Collective: times everything else and records it, on the first rank, which alone knows `places`. */
void startup_run(const struct options *options, const struct startup *startup, const char *places,
                 MPI_Comm world);
/* On the first rank, after MPI_Finalize, which took so long there. */
void startup_finalized(const struct startup *startup, int64_t took_ns);

#endif
