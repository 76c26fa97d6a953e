/* Ends well where errors on a communicator and on a window come back as codes: of a message that is too
   long, which libraries see that check no arguments, and one that is raised here. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

int main(int argc, char **argv)
{
    MPI_Win window;
    int rank, *base, two[2] = {1, 2}, one = 0;
    MPI_Init(&argc, &argv);
    return_errors(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int cut = MPI_Sendrecv(two, 2, MPI_INT, rank, 0, &one, 1, MPI_INT, rank, 0, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE);
    MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    return_window_errors(window);
    const int called = MPI_Win_call_errhandler(window, MPI_ERR_OTHER);
    MPI_Win_free(&window);
    if (rank == 0)
        printf("%d %d\n", cut != MPI_SUCCESS, called == MPI_SUCCESS);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
