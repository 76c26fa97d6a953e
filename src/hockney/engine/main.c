/* The measuring program: options in, an experiment, records out. It runs under any launcher,
   with nothing but MPI and libc on the node. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "check.h"
#include "fit.h"
#include "options.h"
#include "place.h"
#include "probe.h"
#include "records.h"
#include "rounds.h"
#include "shared.h"

enum { TAG_FAREWELL = 1, STDOUT_BYTES = 1 << 18 };
/* Ranks without a part look this often whether it is over; in between they sleep. */
static const struct timespec NAP = {.tv_nsec = 5000000};
/* Where the last cache's size is unknown, a cold walk is this long: larger than most. */
static const unsigned long COLD_BYTES = 128ul << 20;

/* A rank must not outlive its launcher: it would spin on a core for ever. */
static void die_with_launcher(void)
{
#if defined(__linux__) && !defined(SMPI_H)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static void check_world(const struct options *options, int ranks)
{
    if (options->ranks > 0 && ranks != options->ranks)
        fail(EXIT_WENT_WRONG, "the launcher started a world of %d rank%s where %d were asked for%s",
             ranks, ranks == 1 ? "" : "s", options->ranks,
             ranks == 1 ? "; launcher and MPI library probably do not belong together" : "");
    if (ranks < 2)
        fail(EXIT_ASKED_WRONGLY, "a ping-pong needs at least 2 ranks, this world has %d", ranks);
    for (int i = 0; i < 2; i++)
        if (options->peers[i] >= ranks)
            fail(EXIT_ASKED_WRONGLY, "--peers %d,%d: there is no rank %d in a world of %d",
                 options->peers[0], options->peers[1], options->peers[i], ranks);
}

/* The rank's number on its node as MPI tells it, and the ranks of the node that take part. */
static int local_rank(MPI_Comm world)
{
    MPI_Comm node;
    int rank;
    check(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
    check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
    check(MPI_Comm_free(&node), "MPI_Comm_free");
    return rank;
}

/* Free memory of the node in bytes as the kernel counts it, or 0 where it does not. */
static unsigned long long available_memory(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib * 1024;
}

static size_t largest_size(const struct options *options)
{
    size_t largest = 0;
    for (int i = 0; i < options->size_count; i++)
        largest = options->sizes[i].bytes > largest ? options->sizes[i].bytes : largest;
    return largest;
}

/* The buffers of both ranks may be on this node, and so may the floor's shared memory. */
static void allocate_buffers(struct launch *launch, size_t cold_bytes)
{
    const size_t largest = largest_size(launch->options);
    const unsigned long long available = available_memory();
    launch->span = message_stride(largest) + cold_bytes;
    const int buffers = (launch->options->two_buffers ? 2 : 1) + (launch->options->floor ? 1 : 0);
    const double needed = 2.0 * buffers * (double)launch->span;
    if (largest > SIZE_MAX / 8 || (available > 0 && needed > (double)available))
        fail(EXIT_ASKED_WRONGLY,
             "messages of %zu bytes need %.0f MiB on a node, which has %llu MiB free", largest,
             needed / 1048576.0, available >> 20);
    launch->out = allocate(launch->span);
    launch->in = launch->options->two_buffers ? allocate(launch->span) : launch->out;
    memset(launch->out, 1, launch->span);
    memset(launch->in, 2, launch->span);
}

/* Every size of the operation, and under each the floor where that is asked for. */
static void make_points(struct launch *launch)
{
    const struct options *options = launch->options;
    const int most = options->size_count * 3 + 3;
    launch->points = allocate((size_t)most * sizeof *launch->points);
    const struct point blank = {.repetitions = 1, .batches = 1};
    for (int i = 0; i < options->size_count; i++) {
        struct point *point = &launch->points[launch->point_count++];
        *point = blank;
        point->operation = options->operation;
        point->size = options->sizes[i];
        for (int j = 0; options->floor && floor_copies[j] != NULL && point->size.bytes > 0; j++) {
            struct point *copy = &launch->points[launch->point_count++];
            *copy = *point;
            copy->operation = floor_copies[j];
        }
    }
    for (int j = 0; options->floor && floor_handovers[j] != NULL; j++) {
        struct point *handover = &launch->points[launch->point_count++];
        *handover = blank;
        handover->operation = floor_handovers[j];
    }
    const int round_room = launch->point_count * (options->every_iteration || options->verify ? 256 : 4);
    launch->room = round_room > CHUNK_SAMPLES ? round_room : CHUNK_SAMPLES;
    launch->own_ns = allocate((size_t)launch->room * sizeof(double));
    launch->sample_ns = allocate((size_t)launch->room * sizeof(double));
}

/* What one sample is, in words: how it was timed, whose time it is, what was subtracted. */
static const char *definition(const struct options *options)
{
    static char words[128];
    const int single = options->every_iteration || options->verify;
    snprintf(words, sizeof words, "%s, %s%s, %s",
             single           ? "half of one round trip"
             : options->sweep ? "whole loop over 2n"
                              : "batch over 2k",
             options->reduce_first ? "first rank" : "larger of two ranks",
             !single                     ? ""
             : options->keep_clock_cost ? ", clock cost included"
                                        : ", clock cost subtracted",
             options->two_buffers ? "two buffers" : "one buffer");
    return words;
}

/* For people: the table, and the line through it. */
static void print_table(const struct launch *launch)
{
    double *bytes = allocate((size_t)launch->point_count * sizeof *bytes);
    double *seconds = allocate((size_t)launch->point_count * sizeof *seconds);
    int count = 0;
    printf("# one-way time, us: %s\n", definition(launch->options));
    printf("# %10s %9s %12s %12s %12s %12s %12s\n", "bytes", "samples", "min", "median", "mean",
           "max", "MiB/s");
    for (int i = 0; i < launch->point_count; i++) {
        const struct point *point = &launch->points[i];
        if (point->operation != launch->options->operation || point->series.total == 0)
            continue;
        const double median = series_median(&point->series);
        printf("  %10zu %9d %12.4f %12.4f %12.4f %12.4f %12.2f\n", point->size.bytes, point->samples,
               point->series.smallest * 1e-3, median * 1e-3,
               point->series.sum / (double)point->series.total * 1e-3,
               point->series.largest * 1e-3,
               (double)point->size.bytes / (median * 1e-9) / 1048576.0);
        bytes[count] = (double)point->size.bytes;
        seconds[count++] = median * 1e-9;
    }
    if (count >= 2) {
        const struct fit fit = fit_line(bytes, seconds, count, 0);
        printf("# T(b) = alpha + beta b: alpha = %.4f us, ", fit.alpha_s * 1e6);
        if (fit.beta_s_per_B > 0.0)
            printf("1/beta = %.2f MiB/s\n", 1.0 / fit.beta_s_per_B / 1048576.0);
        else
            printf("beta = 0\n");
    }
    free(bytes);
    free(seconds);
}

/* The experiment itself, on the ranks that take part. */
static void take_part(struct launch *launch, struct place *places, int ranks, MPI_Comm comm)
{
    const struct options *options = launch->options;
    check(MPI_Comm_rank(comm, &launch->exchange.rank), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &launch->exchange.ranks), "MPI_Comm_size");
    launch->exchange.comm = comm;
    launch->clock = clock_measure();
    const int pu = places[options->peers[launch->exchange.rank]].pu;
    const unsigned long cache = place_last_cache_bytes(pu);
    const unsigned long cold = !options->cold && !options->floor ? 0
                               : cache > 0                       ? 2 * cache
                                                                 : COLD_BYTES;
    allocate_buffers(launch, cold);
    const size_t shared_bytes = options->floor ? launch->span : 0;
    launch->exchange.shared = shared_open(comm, shared_bytes);
    if (options->floor && launch->exchange.shared == NULL)
        fail(EXIT_ASKED_WRONGLY, "--floor: ranks %d and %d share no memory", options->peers[0],
             options->peers[1]);
    make_points(launch);
    noise_start();

    if (launch->exchange.rank == 0) {
        const struct launch_facts facts = {
            .launch = options->launch,
            .seed = options->seed,
            .clock = launch->clock,
            .places = places,
            .ranks = ranks,
            .batch_s = options->sweep ? 0.0 : batch_least_ns(&launch->clock) * 1e-9,
            .cold_bytes = options->cold ? cold : 0,
            .definition = definition(options),
            .probes_handover = launch->exchange.shared != NULL && !options->sweep,
        };
        record_launch(&facts);
        records_flush();
    }
    check(MPI_Barrier(comm), "MPI_Barrier");
    launch->started_s = (double)clock_ns() * 1e-9;
    const char *reason = options->sweep ? sweep_run(launch) : rounds_run(launch);
    if (launch->exchange.rank == 0) {
        record_end(options->launch, reason, (double)clock_ns() * 1e-9 - launch->started_s, NULL);
        if (options->table)
            print_table(launch);
    }
    shared_close(launch->exchange.shared);
    if (launch->in != launch->out)
        free(launch->in);
    free(launch->out);
    free(launch->points);
    free(launch->own_ns);
    free(launch->sample_ns);
}

/* Ranks without a part: asleep until the first rank says farewell. */
static void sit_out(MPI_Comm world, int first)
{
    MPI_Request request;
    int done = 0;
    check(MPI_Irecv(NULL, 0, MPI_BYTE, first, TAG_FAREWELL, world, &request), "MPI_Irecv");
    while (check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test"), !done)
        nanosleep(&NAP, NULL);
}

static void say_farewell(MPI_Comm world, const int *peers, int ranks)
{
    for (int rank = 0; rank < ranks; rank++)
        if (rank != peers[0] && rank != peers[1])
            check(MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_FAREWELL, world), "MPI_Send");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "fit") == 0)
        return fit_main(argc, argv);

    struct options options;
    options_read(&options, argc, argv);
    check_set_launch(options.launch);
    if (options.table)
        records_silence();
    /* One write a round: every further one would wake the readers once more. */
    setvbuf(stdout, NULL, _IOFBF, STDOUT_BYTES);
    die_with_launcher();
    struct place place = {0};
    const int early = place_local_rank();
    if (early >= 0)
        place_pin(&place, options.policy, options.cpus, early);

    check(MPI_Init(&argc, &argv), "MPI_Init");
    const MPI_Comm world = MPI_COMM_WORLD;
    check(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    int rank, ranks;
    check(MPI_Comm_rank(world, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(world, &ranks), "MPI_Comm_size");
    check_world(&options, ranks);
    if (early < 0)
        place_pin(&place, options.policy, options.cpus, local_rank(world));
    if (place.wrong[0] != '\0')
        fail(EXIT_ASKED_WRONGLY, "%s", place.wrong);
    place_observe(&place);

    const int *peers = options.peers;
    struct place *places = allocate((size_t)ranks * sizeof *places);
    check(MPI_Gather(&place, (int)sizeof place, MPI_BYTE, places, (int)sizeof place, MPI_BYTE,
                     peers[0], world),
          "MPI_Gather");
    check(MPI_Bcast(places, ranks * (int)sizeof place, MPI_BYTE, peers[0], world), "MPI_Bcast");

    MPI_Comm comm;
    const int takes_part = rank == peers[0] || rank == peers[1];
    check(MPI_Comm_split(world, takes_part ? 0 : MPI_UNDEFINED, rank == peers[0] ? 0 : 1, &comm),
          "MPI_Comm_split");
    if (takes_part) {
        struct launch launch = {.options = &options, .peers = peers};
        take_part(&launch, places, ranks, comm);
        check(MPI_Comm_free(&comm), "MPI_Comm_free");
    } else {
        sit_out(world, peers[0]);
    }
    if (rank == peers[0])
        say_farewell(world, peers, ranks);
    free(places);
    free(options.sizes);
    check(MPI_Finalize(), "MPI_Finalize");
    return EXIT_SUCCESS;
}
