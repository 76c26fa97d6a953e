/* Bare loops that show what makes other programs' numbers differ; see beside_osu.py --explain. Prints
   nanoseconds of a message.

   threads T shared|own ITERATIONS BYTES: T threads of two ranks send messages to and fro. Each exchange is
   timed by itself, and start, end and sum are in variables that all threads of the rank write (shared),
   as osu_latency_mt has them, or in those of each thread (own).
   persistent BYTES BATCH ROUNDS: ROUNDS batches of as many round trips by persistent requests; between
   them, both ranks exchange other messages for half a millisecond. The median over batches. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 8, MOST_ROUNDS = 4000, PAGE = 4096, SKIPPED = 50 };

static int rank, threads, shared, iterations, bytes;
static double start, end, sum; /* shared by the threads */
static double sums[MOST_THREADS];
static pthread_barrier_t together;

static char *buffer_of(int size)
{
    char *memory = aligned_alloc(PAGE, ((size_t)size / PAGE + 1) * PAGE);
    return memset(memory, 1, (size_t)size);
}

static void exchange(char *out, char *in, int tag)
{
    if (rank == 0)
        MPI_Send(out, bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_CHAR, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(out, bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
}

/* What is shared is written without a lock: that is what is looked at. */
static void *work(void *number)
{
    const int thread = (int)(long)number;
    char *out = buffer_of(bytes), *in = buffer_of(bytes);
    double own_start, own_end;
    pthread_barrier_wait(&together);
    for (int i = thread; i < iterations + SKIPPED; i += threads) {
        const int counts = i >= SKIPPED;
        if (shared && counts)
            start = MPI_Wtime();
        own_start = MPI_Wtime();
        exchange(out, in, i);
        own_end = MPI_Wtime();
        if (shared && counts) {
            end = MPI_Wtime();
            sum += end - start;
        } else if (counts) {
            sums[thread] += own_end - own_start;
        }
    }
    free(out);
    free(in);
    return NULL;
}

/* As the other program reckons: the sum over all threads, divided by the round trips of one of them. */
static void time_threads(void)
{
    pthread_t all[MOST_THREADS];
    pthread_barrier_init(&together, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++)
        pthread_create(&all[i], NULL, work, (void *)(long)i);
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    for (int i = 0; !shared && i < threads; i++)
        sum += sums[i];
    if (rank == 0)
        printf("%.1f\n", 1e9 * sum * threads / (2.0 * iterations));
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Small messages to and fro; the first rank says when it is enough. */
static void do_other_things(void)
{
    const double until = MPI_Wtime() + 500e-6;
    static char other[PAGE];
    for (char go_on = 1; go_on;) {
        go_on = MPI_Wtime() < until;
        MPI_Bcast(&go_on, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, other, PAGE, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD);
    }
}

static void time_persistent(int batch, int rounds)
{
    static double ns[MOST_ROUNDS];
    MPI_Request requests[2];
    char *out = buffer_of(bytes), *in = buffer_of(bytes);
    MPI_Send_init(out, bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &requests[rank]);
    MPI_Recv_init(in, bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &requests[1 - rank]);
    for (int i = 0; i < rounds; i++) {
        do_other_things();
        MPI_Barrier(MPI_COMM_WORLD);
        const double began = MPI_Wtime();
        for (int j = 0; j < batch; j++)
            for (int half = 0; half < 2; half++) {
                MPI_Start(&requests[half]);
                MPI_Wait(&requests[half], MPI_STATUS_IGNORE);
            }
        ns[i] = 1e9 * (MPI_Wtime() - began) / (2.0 * batch);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    qsort(ns, (size_t)rounds, sizeof *ns, ascending);
    if (rank == 0)
        printf("%.1f\n", ns[rounds / 2]);
}

int main(int argc, char **argv)
{
    int granted;
    const int of_threads = argc == 6 && strcmp(argv[1], "threads") == 0;
    if (!of_threads && (argc != 5 || strcmp(argv[1], "persistent") != 0))
        return 2;
    MPI_Init_thread(&argc, &argv, of_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (of_threads) {
        threads = atoi(argv[2]) < MOST_THREADS ? atoi(argv[2]) : MOST_THREADS;
        shared = strcmp(argv[3], "shared") == 0;
        iterations = atoi(argv[4]);
        bytes = atoi(argv[5]);
        time_threads();
    } else {
        bytes = atoi(argv[2]);
        const int rounds = atoi(argv[4]) < MOST_ROUNDS ? atoi(argv[4]) : MOST_ROUNDS;
        time_persistent(atoi(argv[3]), rounds);
    }
    return MPI_Finalize();
}
