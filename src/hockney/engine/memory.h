/* Free memory of this node, as far as this process may use it. */
#ifndef HOCKNEY_MEMORY_H
#define HOCKNEY_MEMORY_H

#include <mpi.h>

/* Bytes: the least that the kernel and the limits of this process's control groups leave; HUGE_VAL where
   none of them is known. */
double memory_available(void);

/* Collective over `comm`: replaces `needed` by the sum over the ranks of this one's node, and `available`
   by the least that any of them sees, so that all of them decide alike. */
void memory_agree(double *needed, double *available, MPI_Comm comm);

#endif
