/* The time of a call: 8 B forth and back, sends to nobody, and tests that find nothing. Prints seconds a
   round trip, a send and a test. */
#include <mpi.h>
#include <stdio.h>

enum { TRIPS = 200000, CALLS = 2000000 };

int main(int argc, char **argv)
{
    char data[8] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double best = 1e9;
    for (int turn = 0; turn < 5; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double began = MPI_Wtime();
        for (int trip = 0; trip < TRIPS; trip++) {
            if (rank == 0)
                MPI_Send(data, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(data, 8, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1)
                MPI_Send(data, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
        const double spent = (MPI_Wtime() - began) / TRIPS;
        best = spent < best ? spent : best;
    }
    double call = 1e9;
    for (int turn = 0; turn < 5; turn++) {
        const double began = MPI_Wtime();
        for (int i = 0; i < CALLS; i++)
            MPI_Send(data, 8, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        const double spent = (MPI_Wtime() - began) / CALLS;
        call = spent < call ? spent : call;
    }
    MPI_Request request;
    MPI_Status status;
    double poll = 1e9;
    int flag;
    MPI_Irecv(data, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request);
    for (int turn = 0; turn < 5; turn++) {
        const double began = MPI_Wtime();
        for (int i = 0; i < CALLS; i++)
            MPI_Test(&request, &flag, &status);
        const double spent = (MPI_Wtime() - began) / CALLS;
        poll = spent < poll ? spent : poll;
    }
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    if (rank == 0)
        printf("%.6e %.6e %.6e\n", best, call, poll);
    MPI_Finalize();
    return 0;
}
