/* Programs whose moments or bytes are known: "chain", "lost", "persistent" and "neighbors". Times are in
   milliseconds. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static void rest(int ms) { usleep((useconds_t)ms * 1000); }

int main(int argc, char **argv)
{
    int rank, size;
    char buffer[100] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(argv[1], "chain") == 0) { /* the first rank ends before others have begun */
        if (rank > 0) {
            rest(20 * rank);
            MPI_Recv(buffer, 10, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (rank + 1 < size)
            MPI_Send(buffer, 10, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
    } else if (strcmp(argv[1], "lost") == 0) { /* every rank but the first waits for 300 ms */
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        rest(rank == 0 ? 600 : 0);
        MPI_Barrier(MPI_COMM_WORLD);
        rest(200); /* or the launcher would end the others in it */
        _exit(0);
    } else if (strcmp(argv[1], "neighbors") == 0) { /* in a row that is open at both ends */
        const int open[1] = {0}, counts[2] = {10, 20}, places[2] = {0, 20};
        MPI_Comm row;
        char in[100];
        MPI_Cart_create(MPI_COMM_WORLD, 1, &size, open, 0, &row);
        MPI_Neighbor_alltoallv(buffer, rank % 2 ? (const int[]){20, 10} : counts, places, MPI_CHAR, in,
                               rank % 2 ? (const int[]){20, 10} : counts, places, MPI_CHAR, row);
        MPI_Comm_free(&row);
    } else { /* the second rank waits for 3 times 100 ms in its receives */
        MPI_Request request;
        if (rank == 0)
            MPI_Send_init(buffer, 10, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &request);
        else
            MPI_Recv_init(buffer, 10, MPI_CHAR, 0, 7, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 3; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            rest(rank == 0 ? 100 : 0);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
