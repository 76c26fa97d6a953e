/* A collective timed bare, without anything of the engine: back to back, and behind starts that lie
   a given distance apart on the common clock of one node, the ways in turn. See back_to_back.py.

       back_to_back NAME BYTES ROUNDS LATE_NS DISTANCE_NS...

   prints a line for each way, "distance_ns time_ns other_ns late". Back to back (distance 0) the times
   are of one repetition in a loop, median over batches: the slowest rank's mean, and rank 0's. Behind
   starts, medians over the repetitions that no rank began more than LATE_NS after the start: from the
   start to the end of the last rank, and the mean over ranks of each one's own duration; late is the
   fraction of the repetitions that some rank began later, "nan" where there is no time. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_WAYS = 16,
    MOST_BYTES = 1 << 20,
    MOST_RANKS = 64,
    MOST_ROUNDS = 1000,
    BATCH = 200, /* repetitions of one timing back to back */
    BATCHES = 10,
    WARM = 5, /* untimed repetitions of a visit: agreeing on a start leaves another state behind */
    LEAST_TIMED = 10,
    MOST_TIMED = 500
};
/* Repetitions behind starts fill so much time, within the limits above. */
static const double VISIT_NS = 2e6;
/* From naming the first start of a visit to that start: all ranks know it by then. */
static const double MARGIN_NS = 50e3;

static char *out, *in;
static int rank, ranks, bytes;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* the ranks of a node read the same clock */
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void call_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void call_bcast(void) { MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void call_alltoall(void)
{
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void call_allreduce(void)
{
    MPI_Allreduce(out, in, bytes / (int)sizeof(int32_t), MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
}

static const struct collective {
    const char *name;
    void (*call)(void);
} collectives[] = {{"barrier", call_barrier},
                   {"bcast", call_bcast},
                   {"alltoall", call_alltoall},
                   {"allreduce", call_allreduce}};

/* One way to time the collective, and its samples on rank 0. */
struct way {
    double distance_ns; /* from start to start; 0 back to back */
    double *time_ns, *other_ns;
    int kept, late;
};

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    if (count == 0)
        return NAN;
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static void visit_back_to_back(struct way *way, void (*call)(void))
{
    for (int batch = -1; batch < BATCHES; batch++) { /* the first is untimed */
        double longest = 0.0;
        MPI_Barrier(MPI_COMM_WORLD);
        const int64_t began = now_ns();
        for (int i = 0; i < BATCH; i++)
            call();
        const double own = (double)(now_ns() - began) / BATCH;
        MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (batch < 0)
            continue;
        way->time_ns[way->kept] = longest;
        way->other_ns[way->kept++] = own;
    }
}

static void visit_starts(struct way *way, void (*call)(void), double late_ns)
{
    double own[3][WARM + MOST_TIMED], all[3][WARM + MOST_TIMED]; /* late, time, duration */
    const double fits = VISIT_NS / way->distance_ns;
    const int count = WARM + (int)fmin(fmax(fits, LEAST_TIMED), MOST_TIMED);
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t first = now_ns() + (int64_t)MARGIN_NS;
    MPI_Bcast(&first, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        const int64_t start = first + (int64_t)(way->distance_ns * i);
        int64_t began;
        while ((began = now_ns()) < start)
            ;
        call();
        const int64_t ended = now_ns();
        own[0][i] = (double)(began - start);
        own[1][i] = (double)(ended - start);
        own[2][i] = (double)(ended - began);
    }
    MPI_Reduce(own[0], all[0], count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(own[1], all[1], count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(own[2], all[2], count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = WARM; rank == 0 && i < count; i++) {
        if (all[0][i] > late_ns) {
            way->late++;
            continue;
        }
        way->time_ns[way->kept] = all[1][i];
        way->other_ns[way->kept++] = all[2][i] / ranks;
    }
}

static int read_ways(struct way *ways, int argc, char **argv, int rounds)
{
    const int count = 1 + argc - 5;
    for (int i = 0; i < count && i < MOST_WAYS; i++) {
        ways[i].distance_ns = i == 0 ? 0.0 : atof(argv[4 + i]);
        ways[i].time_ns = malloc((size_t)rounds * MOST_TIMED * sizeof(double));
        ways[i].other_ns = malloc((size_t)rounds * MOST_TIMED * sizeof(double));
        if (!ways[i].time_ns || !ways[i].other_ns || (i > 0 && ways[i].distance_ns < 1.0))
            return 0;
    }
    return count <= MOST_WAYS ? count : 0;
}

int main(int argc, char **argv)
{
    static struct way ways[MOST_WAYS];
    void (*call)(void) = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; argc > 4 && i < sizeof collectives / sizeof collectives[0]; i++)
        if (strcmp(argv[1], collectives[i].name) == 0)
            call = collectives[i].call;
    const int rounds = argc > 4 ? atoi(argv[3]) : 0;
    bytes = argc > 4 ? atoi(argv[2]) : -1;
    const int possible = call && bytes >= 0 && bytes <= MOST_BYTES && ranks <= MOST_RANKS;
    const int count =
        possible && rounds > 0 && rounds <= MOST_ROUNDS ? read_ways(ways, argc, argv, rounds) : 0;
    if (count == 0) {
        fprintf(stderr, "back_to_back NAME BYTES ROUNDS LATE_NS DISTANCE_NS...: out of range\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    out = calloc((size_t)ranks, (size_t)bytes + 1);
    in = calloc((size_t)ranks, (size_t)bytes + 1);
    for (int round = 0; out && in && round < rounds; round++) {
        visit_back_to_back(&ways[0], call);
        for (int i = 1; i < count; i++)
            visit_starts(&ways[i], call, atof(argv[4]));
    }
    for (int i = 0; rank == 0 && i < count; i++)
        printf("%.0f %.2f %.2f %.5f\n", ways[i].distance_ns, median(ways[i].time_ns, ways[i].kept),
               median(ways[i].other_ns, ways[i].kept),
               (double)ways[i].late / fmax(ways[i].kept + ways[i].late, 1));
    MPI_Finalize();
    return 0;
}
