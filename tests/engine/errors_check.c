/* Ends well where errors on a communicator and on a window come back: those that are raised here, and
   a message that is too long, which not every library notices. */
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
    if (rank == 0)
        MPI_Send(two, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int on_comm = MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    return_window_errors(window);
    const int on_window = MPI_Win_call_errhandler(window, MPI_ERR_OTHER);
    MPI_Win_free(&window);
    if (rank == 0)
        printf("%d %d\n", on_comm == MPI_SUCCESS, on_window == MPI_SUCCESS);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
