#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* sums BYTES...: for each size an allreduce of doubles whose sum depends on the order in which they
   are added, and so on the algorithm. Rank 0 prints what the bits of the result come to. */

static uint64_t digest(const double *sums, int count)
{
    uint64_t found = 0;
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &sums[i], sizeof bits);
        found = found * 31 + bits;
    }
    return found;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int a = 1; a < argc; a++) {
        int count = atoi(argv[a]) / (int)sizeof(double);
        double *own = calloc((size_t)count + 1, sizeof *own);
        double *sums = calloc((size_t)count + 1, sizeof *sums);
        for (int i = 0; i < count; i++)
            own[i] = (1.0 + rank * 0.1 + 1e-3 * i) * (rank % 2 ? -1e8 : 1.0) + 1.0 / (3 + rank + i);
        MPI_Allreduce(own, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            printf("sum %016llx\n", (unsigned long long)digest(sums, count));
        free(own);
        free(sums);
    }
    MPI_Finalize();
    return 0;
}
