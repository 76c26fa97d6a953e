/* How what the ranks know comes together on the first rank, and what it decides goes out: by binomial
   trees of messages. The library's collectives may be what is measured, and made to run an algorithm
   that is bad for this; their ways of a few bytes are not always trees. */
#ifndef HOCKNEY_TREE_H
#define HOCKNEY_TREE_H

#include <mpi.h>

/* Reductions of numbers over ranks, one kind after the other. */
struct tree_layout {
    int largest; /* numbers of which the largest counts */
    int located; /* pairs of a number and the rank that saw it, of which the largest counts */
    int added;   /* numbers that are added up */
};

/* All are collective over `comm`. Replaces the first rank's values by all ranks' together, and the
   others' by anything. Without values the first rank learns that all are here. */
void tree_reduce(double *values, struct tree_layout layout, MPI_Comm comm);
/* The first rank's bytes to all. */
void tree_bcast(void *data, int bytes, MPI_Comm comm);
/* `bytes` of each rank to the first one, whose `all` has room for all of them; NULL elsewhere. */
void tree_gather(const void *own, void *all, int bytes, MPI_Comm comm);

/* A text of any length to another rank, which takes and frees it. */
void text_pass(const char *text, int to, int tag, MPI_Comm comm);
char *text_take(int from, int tag, MPI_Comm comm);

#endif
