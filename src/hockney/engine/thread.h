/* The threads of a rank as a launch keeps them; threads.h starts them. */
#ifndef HOCKNEY_THREAD_H
#define HOCKNEY_THREAD_H

#include <mpi.h>

#include "area.h"
#include "context.h"
#include "team.h"

/* One of several, but the first. */
struct thread {
    struct context context, before;
    struct areas areas[MEMORIES];
};

struct threads {
    struct team *team;     /* NULL where MPI was started for one thread */
    struct thread *others; /* [other_count] */
    int other_count;
    MPI_Comm *comms;       /* of each thread */
};

#endif
