#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* collective NAME BYTES...: one line a size, the seconds from a common start to the last rank's end. */
int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int argument = 2; argument < argc; argument++) {
        int n = atoi(argv[argument]);
        char *from = calloc((size_t)n * ranks + 4, 1), *to = calloc((size_t)n * ranks + 4, 1);
        usleep(100.0 * 1e6 * (argument - 1) - 1e6 * MPI_Wtime());
        double start = MPI_Wtime(), end, first, last;
        MPI_Comm c = MPI_COMM_WORLD;
        if (!strcmp(argv[1], "bcast")) MPI_Bcast(from, n, MPI_CHAR, 0, c);
        if (!strcmp(argv[1], "scatter")) MPI_Scatter(from, n, MPI_CHAR, to, n, MPI_CHAR, 0, c);
        if (!strcmp(argv[1], "gather")) MPI_Gather(from, n, MPI_CHAR, to, n, MPI_CHAR, 0, c);
        if (!strcmp(argv[1], "reduce")) MPI_Reduce(from, to, n, MPI_CHAR, MPI_SUM, 0, c);
        if (!strcmp(argv[1], "allreduce")) MPI_Allreduce(from, to, n, MPI_CHAR, MPI_SUM, c);
        if (!strcmp(argv[1], "allgather")) MPI_Allgather(from, n, MPI_CHAR, to, n, MPI_CHAR, c);
        if (!strcmp(argv[1], "alltoall")) MPI_Alltoall(from, n, MPI_CHAR, to, n, MPI_CHAR, c);
        if (!strcmp(argv[1], "barrier")) MPI_Barrier(c);
        end = MPI_Wtime();
        MPI_Reduce(&start, &first, 1, MPI_DOUBLE, MPI_MIN, 0, c);
        MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, c);
        if (rank == 0) printf("%d %.9e\n", n, last - first);
        free(from);
        free(to);
    }
    MPI_Finalize();
}
