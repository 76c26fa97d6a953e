/* As faults.h, for what that needs itself: windows. */
#ifndef HOCKNEY_WINDOW_FAULTS_H
#define HOCKNEY_WINDOW_FAULTS_H

#ifdef HOCKNEY_FAULTS
#include <mpi.h>
#include <stdlib.h>

#include "check.h"

/* HOCKNEY_FAULT_WINDOW=1 has rank 1 refused a window that all others get. */
static inline int fault_refuses_window(MPI_Comm comm)
{
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    return getenv("HOCKNEY_FAULT_WINDOW") != NULL && rank == 1;
}
#else
#define fault_refuses_window(comm) ((void)(comm), 0)
#endif

#endif
