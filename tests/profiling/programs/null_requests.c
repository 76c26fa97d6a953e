/* A stencil whose missing neighbours have no request: 50 times MPI_Waitall of two requests and two null ones. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    double out[100] = {0}, in[100];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 50; step++) {
        MPI_Request of[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Irecv(in, 100, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &of[1]);
        MPI_Isend(out, 100, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &of[3]);
        MPI_Waitall(4, of, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
