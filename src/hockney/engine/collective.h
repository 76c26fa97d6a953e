/* What is kept of a collective, beside what all operations have. */
#ifndef HOCKNEY_COLLECTIVE_H
#define HOCKNEY_COLLECTIVE_H

#include <mpi.h>
#include <stdint.h>

#include "arrival.h"

/* While a point is visited. */
struct collective {
    int root;
    /* A v form has each rank's block, in units of the context's `out.type`; */
    int *counts, *displacements;
    MPI_Datatype *types;       /* and a w form that type for each rank */
    MPI_Win win;               /* of one by put or get */
    struct schedule *schedule; /* of one made by messages; else NULL */
    double began_ns;           /* on the common clock: when this thread began a repetition */
};

/* What a point has. */
struct collective_point {
    double window_ns;     /* from one start to the next; of all that begins together */
    enum arrival arrival; /* when ranks arrive at it, */
    double late;          /* this rank by that fraction of */
    double skew_ns;       /* this; known on the first rank only */
    struct schedule *schedule; /* by which it is made of messages; NULL: the library makes it */
    double done_ns; /* with --stragglers: the sum over `done_visits` visits of when this rank was done */
    int done_visits;
};

/* What a launch has. */
struct collective_launch {
    struct schedules *schedules; /* by which it is made as well; else NULL */
    int64_t roots;               /* repetitions so far, where the root rotates */
};

#endif
