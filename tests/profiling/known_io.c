/* File I/O, and partitioned messages where the library has them. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    char data[4096] = {0};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    for (int i = 0; i < 10; i++)
        MPI_File_write_at(file, 8192 * i + 4096 * rank, data, 512, MPI_DOUBLE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++)
        MPI_File_read_at_all(file, 8192 * i, data, 100, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
#if MPI_VERSION >= 4
    MPI_Request request;
    if (rank == 0)
        MPI_Psend_init(data, 4, 1024, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, 4, 1024, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int turn = 0; turn < 6; turn++) {
        MPI_Start(&request);
        for (int i = 0; rank == 0 && i < 4; i++)
            MPI_Pready(i, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
#endif
    MPI_Finalize();
    return 0;
}
