/* A batch of the engine's ping-pong against the same loop written bare, in one process, the two
   alternating, so many batches of either as the argument says. Prints "bytes engine_ns bare_ns" medians
   of a round trip; see loop_cost.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "operations.h"

enum { MOST_BATCHES = 2001, REPETITIONS = 200 };

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void bare(char *out, char *in, int bytes, int rank)
{
    for (int i = 0; i < REPETITIONS; i++) {
        if (rank == 0) {
            MPI_Send(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
}

int main(int argc, char **argv)
{
    static char out[4096], in[4096];
    static double engine_ns[MOST_BATCHES], bare_ns[MOST_BATCHES];
    const struct operation *operation = operation_named("pingpong", "standard");
    int rank;
    const int asked = argc > 1 ? atoi(argv[1]) : MOST_BATCHES;
    const int batches = asked > 0 && asked < MOST_BATCHES ? asked : MOST_BATCHES;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int bytes = 0; bytes <= 8; bytes = bytes > 0 ? 2 * bytes : 1) {
        struct context context = {
            .comm = MPI_COMM_WORLD, .rank = rank, .ranks = 2, .peer = 1 - rank, .leads = rank == 0,
            .out = {.base = out, .span = sizeof out, .bytes = (size_t)bytes},
            .in = {.base = in, .span = sizeof in, .bytes = (size_t)bytes},
        };
        message_set_type(&context.out, (size_t)bytes, 0);
        message_set_type(&context.in, (size_t)bytes, 0);
        for (int batch = 0; batch < batches; batch++) {
            for (int turn = 0; turn < 2; turn++) {
                const int engines = (turn + batch) % 2;
                const int64_t start = clock_ns();
                if (engines)
                    operation->repeat(&context, REPETITIONS);
                else
                    bare(out, in, bytes, rank);
                (engines ? engine_ns : bare_ns)[batch] = (double)(clock_ns() - start) / REPETITIONS;
            }
        }
        qsort(engine_ns, (size_t)batches, sizeof(double), ascending);
        qsort(bare_ns, (size_t)batches, sizeof(double), ascending);
        if (rank == 0)
            printf("%d %.2f %.2f\n", bytes, engine_ns[batches / 2], bare_ns[batches / 2]);
    }
    MPI_Finalize();
    return 0;
}
