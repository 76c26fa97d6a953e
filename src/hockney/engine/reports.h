/* Gathers the results of a visit from the ranks of all pairs on the first rank. */
#ifndef HOCKNEY_REPORTS_H
#define HOCKNEY_REPORTS_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "pairing.h"

struct report {
    double began;       /* on the common clock */
    double notified_ns; /* from when the start was named until this rank knew it */
    int64_t repetitions;
    int64_t count; /* samples */
    double ns[];   /* per message */
};

struct reports {
    MPI_Comm comm;
    int rank, ranks;
    int room; /* samples of a report */
    size_t bytes;
    struct report *mine;
    char *all;          /* on the first rank: the reports of all */
};

void reports_open(struct reports *reports, MPI_Comm comm, int room);
void reports_close(struct reports *reports);
/* Collective; those of the pairs that communicated in the arrangement. */
void reports_gather(struct reports *reports, const struct pairing *pairing, int64_t arrangement,
                    int speaks);
/* On the first rank. */
const struct report *report_of(const struct reports *reports, int rank);

#endif
