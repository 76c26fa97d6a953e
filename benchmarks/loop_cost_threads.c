/* A batch of the engine's ping-pong on threads against the same loop written bare, with threads and a
   start of its own, in one process, the two alternating, so many batches of either as the first argument
   says, on so many threads of each rank as the second. Prints "bytes engine_ns bare_ns" medians of a
   round trip; see loop_cost.py. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "message.h"
#include "threads.h"

enum { MOST_BATCHES = 2001, REPETITIONS = 200, MOST_THREADS = 8, LOOKS = 200 };

static char out[MOST_THREADS][4096], in[MOST_THREADS][4096];
static int rank, threads, bytes;
static struct counter {
    _Atomic int value;
    char padding[124];
} go, done;

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void await(struct counter *counter, int value)
{
    for (int looks = 0; atomic_load(&counter->value) != value;)
        if (++looks >= LOOKS)
            sched_yield();
}

static void bare(int thread)
{
    const int tag = 16 + 2 * thread;
    for (int i = 0; i < REPETITIONS; i++) {
        if (rank == 0) {
            MPI_Send(out[thread], bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
            MPI_Recv(in[thread], bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in[thread], bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out[thread], bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
        }
    }
}

static void *bare_thread(void *number)
{
    atomic_fetch_add(&done.value, 1);
    await(&go, 1);
    bare((int)(long)number);
    atomic_fetch_add(&done.value, 1);
    return NULL;
}

/* Threads are there before the time begins, and spin: as the engine's. */
static double time_bare(void)
{
    pthread_t helpers[MOST_THREADS];
    atomic_store(&go.value, 0);
    atomic_store(&done.value, 0);
    for (int i = 1; i < threads; i++)
        pthread_create(&helpers[i], NULL, bare_thread, (void *)(long)i);
    await(&done, threads - 1);
    MPI_Barrier(MPI_COMM_WORLD);
    atomic_store(&done.value, 0);
    const int64_t start = clock_ns();
    atomic_store(&go.value, 1);
    bare(0);
    await(&done, threads - 1);
    const double ns = (double)(clock_ns() - start);
    for (int i = 1; i < threads; i++)
        pthread_join(helpers[i], NULL);
    return ns;
}

static double time_engine(struct launch *launch)
{
    threads_prepare(launch);
    for (int i = 0; i < threads; i++) {
        struct context *context = threads_context(launch, i);
        context->out = (struct message){.base = out[i], .bytes = (size_t)bytes};
        context->in = (struct message){.base = in[i], .bytes = (size_t)bytes};
        message_set_type(&context->out, (size_t)bytes, 0);
        message_set_type(&context->in, (size_t)bytes, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const int64_t start = clock_ns();
    threads_repeat(launch, launch->method->operation, REPETITIONS);
    const double ns = (double)(clock_ns() - start);
    threads_finish(launch);
    return ns;
}

int main(int argc, char **argv)
{
    static double engine_ns[MOST_BATCHES], bare_ns[MOST_BATCHES];
    int granted;
    const int asked = argc > 1 ? atoi(argv[1]) : MOST_BATCHES;
    const int batches = asked > 0 && asked < MOST_BATCHES ? asked : MOST_BATCHES;
    threads = argc > 2 ? atoi(argv[2]) : 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (granted != MPI_THREAD_MULTIPLE || threads < 1 || threads > MOST_THREADS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    struct method method = {
        .operation = operation_named("pingpong", "standard"),
        .threads = threads, .receivers = threads,
    };
    const struct options options = {
        .operation = method.operation, .methods = &method, .method_count = 1,
        .messages.thread_comms = "shared",
    };
    struct launch launch = {
        .options = &options, .method = &method, .comm = MPI_COMM_WORLD,
        .context = {.comm = MPI_COMM_WORLD, .rank = rank, .ranks = 2, .peer = 1 - rank,
                    .leads = rank == 0},
    };
    threads_open(&launch, &(struct place){.crowded = threads > 1});
    for (bytes = 0; bytes <= 8; bytes = bytes > 0 ? 2 * bytes : 1) {
        for (int batch = 0; batch < batches; batch++) {
            for (int turn = 0; turn < 2; turn++) {
                if ((turn + batch) % 2)
                    engine_ns[batch] = time_engine(&launch) / REPETITIONS;
                else
                    bare_ns[batch] = time_bare() / REPETITIONS;
            }
        }
        qsort(engine_ns, (size_t)batches, sizeof(double), ascending);
        qsort(bare_ns, (size_t)batches, sizeof(double), ascending);
        if (rank == 0)
            printf("%d %.2f %.2f\n", bytes, engine_ns[batches / 2], bare_ns[batches / 2]);
    }
    threads_close(&launch);
    MPI_Finalize();
    return 0;
}
