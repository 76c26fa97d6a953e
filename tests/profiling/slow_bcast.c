/* A program that spends its time in broadcasts of a size that a library may do badly. */
#include <mpi.h>
#include <stdlib.h>

enum { TIMES = 2000, BYTES = 1 << 18 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    char *data = calloc(BYTES, 1);
    if (!data)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < TIMES; i++)
        MPI_Bcast(data, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
    free(data);
    MPI_Finalize();
    return 0;
}
