#include <mpi.h>
#include <stdlib.h>

/* probe BYTES: one broadcast of so many bytes; fails where the library cannot do it. */
int main(int argc, char **argv)
{
    int bytes = argc > 1 ? atoi(argv[1]) : 0;
    char *buffer = calloc((size_t)bytes + 1, 1);
    MPI_Init(&argc, &argv);
    MPI_Bcast(buffer, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    free(buffer);
    return 0;
}
