/* Messages and collectives in an order of which each part waits for what was before it. */
#include <mpi.h>
#include <stdlib.h>

enum { TURNS = 20, BYTES = 100000 };

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *out = calloc(BYTES, 2), *in = calloc(BYTES, 2);
    double sum, own = rank;
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int turn = 0; turn < TURNS; turn++) {
        MPI_Request requests[2];
        MPI_Irecv(in, BYTES, MPI_BYTE, MPI_ANY_SOURCE, turn, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, BYTES, MPI_BYTE, next, turn, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (rank > 0)
            MPI_Recv(in, BYTES, MPI_BYTE, before, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank < ranks - 1)
            MPI_Send(out, 1000 * (turn + 1), MPI_BYTE, next, 50, MPI_COMM_WORLD);
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (turn % 5 == 0)
            MPI_Bcast(out, BYTES, MPI_BYTE, 1, MPI_COMM_WORLD);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
