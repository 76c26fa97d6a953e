/* Tests and probes that find nothing, and then something. Prints the seconds that the calls of each function took,
   by a clock around all of them. */
#include <mpi.h>
#include <stdio.h>

enum { POLLS = 20000, FOUND = 100 };

static double began;

static void print(const char *name)
{
    printf("%s %.9f\n", name, MPI_Wtime() - began);
}

#define POLL(NAME, ...)                                                                            \
    began = MPI_Wtime();                                                                           \
    for (int i = 0; i < POLLS; i++)                                                                \
        NAME(__VA_ARGS__);                                                                         \
    print(#NAME)

int main(int argc, char **argv)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int flag, index, indices[2], data[2] = {0}, out = 1;
    MPI_Init(&argc, &argv);
    MPI_Irecv(&data[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Irecv(&data[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[1]);
    POLL(MPI_Test, &requests[0], &flag, &statuses[0]);
    POLL(MPI_Testall, 2, requests, &flag, statuses);
    POLL(MPI_Testany, 2, requests, &index, &flag, statuses);
    POLL(MPI_Testsome, 2, requests, &index, indices, statuses);
    POLL(MPI_Iprobe, 0, 3, MPI_COMM_SELF, &flag, statuses);
    MPI_Pcontrol(1, "region");
    for (int i = 0; i < 10; i++)
        MPI_Iprobe(0, 3, MPI_COMM_SELF, &flag, statuses);
    MPI_Pcontrol(-1, "region");
    for (int i = 0; i < FOUND; i++) {
        MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
        do
            MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        while (!flag);
        MPI_Irecv(&data[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
    }
    for (int i = 0; i < 2; i++)
        MPI_Send(&out, 1, MPI_INT, 0, i + 1, MPI_COMM_SELF);
    MPI_Waitall(2, requests, statuses);
    MPI_Finalize();
    return 0;
}
