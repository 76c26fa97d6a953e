/* A program whose time in MPI has one cause, which is known: planted CAUSE [REPETITIONS]. Ranks compute by
   the clock, so that a busy machine changes little. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 20, SMALL = 8 };
static char out[LARGE], in[LARGE];
static int rank, ranks;

static void compute(double seconds)
{
    for (const double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        ;
}

/* Rank 0 sends what rank 1 waits for since 2 ms. */
static void late_sender(void)
{
    if (rank == 0) {
        compute(2e-3);
        MPI_Send(out, SMALL, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(in, SMALL, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Too large to be sent before rank 1 receives. */
static void late_receiver(void)
{
    if (rank == 0) {
        MPI_Ssend(out, LARGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        compute(3e-3);
        MPI_Recv(in, LARGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void imbalance(void)
{
    double sum, one = 1.0;
    compute(rank == ranks - 1 ? 3e-3 : 1e-3);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void forth_and_back(int bytes)
{
    if (rank == 0) {
        MPI_Send(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

static void small_messages(void)
{
    for (int i = 0; i < 1000; i++)
        forth_and_back(SMALL);
}

static void large_messages(void)
{
    forth_and_back(LARGE);
}

/* Each of a million bytes lies in a cache line of its own. */
static void scattered_messages(void)
{
    enum { STRIDE = 64 };
    static char *from, *to;
    static MPI_Datatype apart;
    if (!from) {
        from = calloc(LARGE, STRIDE);
        to = calloc(LARGE, STRIDE);
        MPI_Type_vector(LARGE, 1, STRIDE, MPI_BYTE, &apart);
        MPI_Type_commit(&apart);
    }
    if (rank == 0)
        MPI_Send(from, 1, apart, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(to, 1, apart, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*act)(void); int times; } acts[] = {
        {"late-sender", late_sender, 100},  {"late-receiver", late_receiver, 100},
        {"imbalance", imbalance, 100},      {"small", small_messages, 200},
        {"large", large_messages, 500},     {"busy", small_messages, 1},
        {"scattered", scattered_messages, 20},
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; argc > 1 && i < sizeof acts / sizeof *acts; i++)
        for (int n = 0; n < acts[i].times && strcmp(argv[1], acts[i].name) == 0; n++)
            acts[i].act();
    MPI_Finalize();
    return 0;
}
