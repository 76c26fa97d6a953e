/* One-sided operations: the windows of two ranks, and how an operation on them is completed. */
#ifndef HOCKNEY_ONE_SIDED_H
#define HOCKNEY_ONE_SIDED_H

#include <mpi.h>
#include <stddef.h>

#include "area.h"
#include "elements.h"
#include "message.h"

/* What completes operations. Of FLUSH and FLUSH_LOCAL a lock of all ranks is held all the time. */
enum synchronization { FENCE, PSCW, LOCK, LOCK_ALL, FLUSH, FLUSH_LOCAL, SYNCHRONIZATIONS };
/* How the memory of a window comes to be. */
enum window_kind { ALLOCATE, CREATE, DYNAMIC, SHARED, WINDOW_KINDS };
/* In turns: one operation at a time, and where the target takes part, each rank in turn is the origin. */
enum direction { IN_TURNS, ONE_WAY, BOTH_WAYS };
enum reduction { SUM, MIN, MAX, BAND, BOR, BXOR, REPLACE, NO_OP, REDUCTIONS };

/* Their names, by number; each ends with NULL. */
extern const char *const synchronization_names[];
extern const char *const window_kind_names[];
extern const char *const direction_names[]; /* in turns has none: NULL comes first */
extern const char *const reduction_names[];

/* How a point's operations are made. */
struct way {
    enum synchronization synchronization;
    enum window_kind kind;
    enum direction direction;
    const struct element *element; /* NULL where operations move plain bytes */
    enum reduction reduction;
};

/* Whether both ranks call the synchronisation, so that operations in turns go to and fro. */
static inline int is_active(const struct way *way) { return way->synchronization <= PSCW; }

/* Whether the origin alone works, and its time alone is that of the operation. */
static inline int is_of_origin(const struct way *way)
{
    return !is_active(way) && way->direction != BOTH_WAYS;
}

/* One window of two ranks, as one of them sees it. */
struct exposure {
    MPI_Win win;
    MPI_Group other_group; /* the other rank alone */
    int own, other;        /* ranks in the window's group */
    struct area area;      /* the memory that this rank exposes */
    int owns_area;         /* we allocated it, not the library */
    MPI_Aint there;        /* displacement of the other's memory */
    int is_attached;
    size_t at_here, at_there; /* where the walks through cold memory go on */
};

/* What an operation works with in a visit: how it is made, the windows, this rank's memory that the other
   one works on, and where it walks there. */
struct one_sided {
    const struct way *way;
    struct exposure *exposures[WINDOW_KINDS]; /* NULL: of a kind that is not measured */
    struct message exposed, there;
};

/* The windows of a launch. */
struct exposures {
    struct exposure *(*of)[WINDOW_KINDS]; /* for each of options->memories.plain; NULL: there are none */
    MPI_Comm comm; /* of a pair, as long as it has windows: Intel MPI's do not outlive theirs */
};

#endif
