/* The ranks of a communicator that are on this rank's node. */
#ifndef HOCKNEY_NODE_H
#define HOCKNEY_NODE_H

#include <mpi.h>

struct node {
    int rank, ranks; /* this one's number among them, and how many they are */
};

/* As MPI reports it; collective. A simulated rank counts as alone. */
struct node node_of(MPI_Comm comm);

#endif
