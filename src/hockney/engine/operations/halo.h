/* What the exchanges of a halo work with: a rank's neighbours, and where their data lies. */
#ifndef HOCKNEY_HALO_H
#define HOCKNEY_HALO_H

#include <mpi.h>

#include "../context.h"
#include "../grid.h"
#include "../operations.h"

/* A message that lies in a column of an array has ELEMENT bytes of every LINE, from COLUMN on: in rows
   of at least a cache line each element is in a line of its own. */
enum { ELEMENT = 8, LINE = 64, COLUMN = 16 };

struct halo {
    const struct grid *grid;
    MPI_Comm comm;    /* the ranks on their grid, which they may have in another order */
    int has_topology; /* `comm` is our own, and knows who is whose neighbour */
    int rank;         /* in `comm` */
    int directions, peers[MOST_NEIGHBORS]; /* MPI_PROC_NULL where there is none */
    int neighbors, ways[MOST_NEIGHBORS];   /* the directions in which there is one */
    int moved; /* on the first rank: how many ranks the library gave another place */
    int partners[MOST_DIMENSIONS]; /* neighbours of the first rank in each dimension, as the launch
                                      counts ranks; 0 where it has none or the same again */
    /* In a visit: */
    enum packing packing;
    size_t bytes;     /* of a message */
    size_t first, pitch; /* where the message of slot 0 begins, and how far apart they are */
    size_t array, array_pitch; /* the same of the columns that it is packed from; pitch 0: none */
    int slots[MOST_NEIGHBORS]; /* which one a direction has */
    int count;        /* of `type`, in a message */
    MPI_Datatype type;
    int is_column;    /* a message is one element of `type`, a column */
    int owns_type;    /* `type` is to be freed */
    int counts[MOST_NEIGHBORS], displacements[MOST_NEIGHBORS]; /* by slot */
    MPI_Aint places[MOST_NEIGHBORS];
    MPI_Datatype types[MOST_NEIGHBORS];
    MPI_Request requests[2 * MOST_NEIGHBORS]; /* receives, then sends */
    MPI_Status statuses[2 * MOST_NEIGHBORS]; /* MPICH's MPI_STATUSES_IGNORE makes GCC warn */
    int done[MOST_NEIGHBORS]; /* receives that MPI_Waitsome has completed */
    MPI_Win win;              /* of one-sided exchanges: the receive buffer */
    MPI_Group others;         /* all neighbours, each once */
    MPI_Datatype part;        /* of partitioned ones, where it is not MPI_BYTE */
};

/* Collective over `comm`, whose ranks fill the grid. `with_topology`: for exchanges that need one. */
struct halo *halo_open(const struct grid *grid, MPI_Comm comm, int with_topology);
void halo_close(struct halo *halo);

/* Bytes of memory for `directions` messages of this size. */
double halo_footprint(int directions, size_t bytes, enum packing packing);

/* Before a visit: where messages of context->bytes lie. Neighbourhood collectives
   (`by_topology`) count only neighbours that exist, unless their topology is Cartesian. */
int halo_prepare(struct context *context, int by_topology);
int halo_finish(struct context *context);
/* The same, for exchanges that made requests to and from every neighbour. */
int halo_free_requests(struct context *context);

/* A column as one element of a datatype, which the next column follows. */
MPI_Datatype halo_column_type(size_t bytes);

/* With --verify. */
void halo_fill(struct context *context, int repetition);
void halo_check(struct context *context, int repetition);
void halo_neighbor_fill(struct context *context, int repetition);
void halo_neighbor_check(struct context *context, int repetition);
void halo_gather_fill(struct context *context, int repetition);
void halo_gather_check(struct context *context, int repetition);
void halo_message_fill(struct context *context, int repetition);
void halo_message_check(struct context *context, int repetition);

#endif
