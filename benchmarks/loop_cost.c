/* A batch of the engine's ping-pong and of its put with flush against the same loops written bare, in one
   process, the two alternating, so many batches of either as the argument says. Prints "operation bytes
   engine_ns bare_ns", medians of a repetition; see loop_cost.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "operations.h"

enum { MOST_BATCHES = 2001, REPETITIONS = 200, ROOM = 4096 };

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* One of the two loops, with what it needs. */
struct loop {
    char *out, *in;
    int bytes, rank;
    MPI_Win win;
};

typedef void bare(const struct loop *loop);

static void bare_pingpong(const struct loop *loop)
{
    for (int i = 0; i < REPETITIONS; i++) {
        if (loop->rank == 0) {
            MPI_Send(loop->out, loop->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(loop->in, loop->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(loop->in, loop->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(loop->out, loop->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
}

static void bare_put(const struct loop *loop)
{
    for (int i = 0; i < REPETITIONS && loop->rank == 0; i++) {
        MPI_Put(loop->out, loop->bytes, MPI_BYTE, 1, 0, loop->bytes, MPI_BYTE, loop->win);
        MPI_Win_flush(1, loop->win);
    }
}

static void compare(const struct operation *operation, struct context *context, bare *bare_loop,
                    const struct loop *loop, int batches)
{
    static double engine_ns[MOST_BATCHES], bare_ns[MOST_BATCHES];
    for (int batch = 0; batch < batches; batch++) {
        for (int turn = 0; turn < 2; turn++) {
            const int engines = (turn + batch) % 2;
            const int64_t start = clock_ns();
            if (engines)
                operation->repeat(context, REPETITIONS);
            else
                bare_loop(loop);
            (engines ? engine_ns : bare_ns)[batch] = (double)(clock_ns() - start) / REPETITIONS;
        }
    }
    qsort(engine_ns, (size_t)batches, sizeof(double), ascending);
    qsort(bare_ns, (size_t)batches, sizeof(double), ascending);
    if (loop->rank == 0)
        printf("%s %d %.2f %.2f\n", operation->name, loop->bytes, engine_ns[batches / 2],
               bare_ns[batches / 2]);
    MPI_Barrier(MPI_COMM_WORLD); /* a target has nothing to do meanwhile */
}

int main(int argc, char **argv)
{
    static char out[ROOM], in[ROOM];
    static const struct way way = {.synchronization = FLUSH, .kind = ALLOCATE, .direction = IN_TURNS};
    int rank;
    const int asked = argc > 1 ? atoi(argv[1]) : MOST_BATCHES;
    const int batches = asked > 0 && asked < MOST_BATCHES ? asked : MOST_BATCHES;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct exposure exposure = {.other = 1 - rank, .own = rank, .area.span = ROOM};
    MPI_Win_allocate(ROOM, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &exposure.area.base, &exposure.win);
    for (int bytes = 0; bytes <= 8; bytes = bytes > 0 ? 2 * bytes : 1) {
        struct context context = {
            .comm = MPI_COMM_WORLD, .rank = rank, .ranks = 2, .peer = 1 - rank, .source = 1 - rank,
            .leads = rank == 0,
            .out = {.base = out, .span = sizeof out, .bytes = (size_t)bytes},
            .in = {.base = in, .span = sizeof in, .bytes = (size_t)bytes},
            .one_sided.way = &way, .one_sided.exposures = {[ALLOCATE] = &exposure}, .window = 1,
        };
        const struct loop loop = {out, in, bytes, rank, exposure.win};
        message_set_type(&context.out, (size_t)bytes, 0);
        message_set_type(&context.in, (size_t)bytes, 0);
        compare(operation_named("pingpong", "standard"), &context, bare_pingpong, &loop, batches);
        const struct operation *put = operation_named("put", "standard");
        put->prepare(&context);
        if (bytes > 0)
            compare(put, &context, bare_put, &loop, batches);
        put->finish(&context);
    }
    MPI_Win_free(&exposure.win);
    MPI_Finalize();
    return 0;
}
