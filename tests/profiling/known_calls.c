/* A program whose calls are known: N of each kind, on any even number of ranks. It ends as its argument says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>

enum { N = 20 };

int main(int argc, char **argv)
{
    int rank, ranks;
    static char data[1 << 20], more[1 << 20];
    const char *end = argc > 1 ? argv[1] : "finalize";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int other = rank ^ 1;
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Comm_set_name(half, "pair");

    for (int i = 0; i < N; i++) {
        if (rank % 2) {
            MPI_Recv(data, sizeof data, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
        } else {
            MPI_Send(data, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
            MPI_Recv(data, 2, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    for (int i = 0; i < N; i++) {
        MPI_Request requests[4];
        MPI_Irecv(data, 1000, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(more, 24, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Irecv(data + 5000, 1000, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(more, 3, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request again[2];
    MPI_Send_init(more, 64, MPI_CHAR, other, 4, MPI_COMM_WORLD, &again[0]);
    MPI_Recv_init(data, 128, MPI_CHAR, other, 4, MPI_COMM_WORLD, &again[1]);
    for (int i = 0; i < N; i++) {
        MPI_Startall(2, again);
        MPI_Waitall(2, again, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&again[0]);
    MPI_Request_free(&again[1]);

    MPI_Pcontrol(1, "sums");
    for (int i = 0; i < N; i++) {
        double sum, one = 1.0;
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(data, 1 << 16, MPI_CHAR, 0, half);
    }
    MPI_Pcontrol(-1, "sums");
    MPI_Datatype column;
    MPI_Type_vector(8, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < N; i++) {
        MPI_Sendrecv(more, 1, column, other, 5, data, 8, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request request;
        MPI_Ibarrier(half, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&column);
    MPI_Win window;
    MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < N; i++) {
        MPI_Put(more, 16, MPI_CHAR, other, 0, 16, MPI_CHAR, window);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
    int sizes[64], places[64];
    for (int i = 0; i < ranks; i++) {
        sizes[i] = 4 * (i + 1);
        places[i] = 2 * i * (i + 1);
    }
    MPI_Allgatherv(more, 4 * (rank + 1), MPI_CHAR, data, sizes, places, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    printf("rank %d did all\n", rank);
    fflush(stdout);
    if (strcmp(end, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(end, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(end, "exit") == 0)
        _exit(0);
    MPI_Finalize();
    return strcmp(end, "status") == 0 ? 5 : 0;
}
