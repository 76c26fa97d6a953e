#include "launch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms.h"
#include "check.h"
#include "node.h"
#include "probe.h"
#include "records.h"
#include "rounds.h"
#include "table.h"
#include "together.h"

/* Where the last cache's size is unknown, a cold walk is this long: larger than most. */
static const unsigned long COLD_BYTES = 128ul << 20;

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

/* How many times the largest size a buffer holds: a block for each rank, or a window. */
static double messages_held(const struct options *options, int ranks)
{
    if (options->operation->blocks)
        return ranks;
    int largest = 1;
    for (int i = 0; i < options->window_count && options->operation->counts_window; i++)
        largest = options->windows[i] > largest ? options->windows[i] : largest;
    return largest;
}

/* The buffers of all ranks of a node are on it, and so may the floor's shared memory be. */
static void allocate_buffers(struct launch *launch, int on_node, size_t cold_bytes)
{
    const struct options *options = launch->options;
    const size_t largest = largest_size(options);
    const double held = messages_held(options, launch->exchange.ranks);
    const unsigned long long available = available_memory();
    const int two = options->two_buffers ||
                    (options->experiment == COLLECTIVE && !options->operation->in_place);
    const int buffers = (two ? 2 : 1) + (options->floor ? 1 : 0);
    launch->span = message_stride(largest) * (size_t)held + cold_bytes;
    const double needed = on_node * buffers * (held * (double)largest + (double)cold_bytes);
    if (largest > SIZE_MAX / 8 || (available > 0 && needed > (double)available))
        fail(EXIT_ASKED_WRONGLY,
             "messages of %zu bytes need %.0f MiB on a node, which has %llu MiB free", largest,
             needed / 1048576.0, available >> 20);
    if (options->experiment == COLLECTIVE && held * (double)largest > INT_MAX)
        fail(EXIT_ASKED_WRONGLY, "collectives of %zu bytes: at most %d over all blocks", largest,
             INT_MAX);
    launch->out = message_room(launch->span, 1, options->verify);
    launch->in = two ? message_room(launch->span, 2, options->verify) : launch->out;
}

/* A collective that reduces has whole elements. */
static int is_possible(const struct operation *operation, size_t bytes)
{
    if (operation->empty)
        return bytes == 0;
    return !operation->reduces || (bytes > 0 && bytes % sizeof(int32_t) == 0);
}

static void add_point(struct launch *launch, const struct operation *operation,
                      struct size_option size)
{
    launch->points[launch->point_count++] =
        (struct point){.operation = operation, .size = size, .repetitions = 1, .batches = 1};
}

/* Every size of the operation, of each of its trains where it has some, and under each size the
   floor where that is asked for. */
static void make_points(struct launch *launch)
{
    const struct options *options = launch->options;
    const int variants = options->train_count > 0 ? options->train_count : 1;
    const int most = options->size_count * (variants + 2) + 3;
    launch->points = allocate((size_t)most * sizeof *launch->points);
    for (int i = 0; i < options->size_count; i++) {
        const struct size_option size = options->sizes[i];
        if (!is_possible(options->operation, size.bytes))
            continue;
        for (int j = 0; j < variants; j++)
            add_point(launch, options->train_count > 0 ? &options->trains[j] : options->operation,
                      size);
        if (options->overlap && options->operation->overlaps) {
            add_point(launch, options->operation, size);
            launch->points[launch->point_count - 1].overlapped = 1;
        }
        for (int j = 0; options->floor && floor_copies[j] != NULL && size.bytes > 0; j++)
            add_point(launch, floor_copies[j], size);
    }
    for (int j = 0; options->floor && floor_handovers[j] != NULL; j++)
        add_point(launch, floor_handovers[j], (struct size_option){0});
    if (launch->point_count == 0)
        fail(EXIT_ASKED_WRONGLY, "%s has none of these sizes: %s", options->operation->name,
             options->operation->reduces ? "it adds integers of 4 bytes" : "it has 0 bytes only");
}

/* Room for the samples of one round, or of one visit. */
static void make_room(struct launch *launch)
{
    const struct options *options = launch->options;
    const int single = times_each(options) || options->experiment == COLLECTIVE;
    const int round_room = launch->point_count * (single ? 256 : 4);
    launch->room = round_room > CHUNK_SAMPLES ? round_room : CHUNK_SAMPLES;
    launch->own_ns = allocate((size_t)launch->room * sizeof(double));
    launch->sample_ns = allocate((size_t)launch->room * sizeof(double));
}

/* What one sample is, in words: how it was timed, whose time it is, what was subtracted. */
static const char *definition(const struct options *options)
{
    static char words[160];
    const int single = times_each(options);
    if (options->experiment == COLLECTIVE) {
        snprintf(words, sizeof words, "from %s to the last rank's end, clock cost included",
                 options->sync == SYNC_BARRIER ? "the first rank's start behind a barrier"
                                               : "the common start");
        return words;
    }
    const int pingpong = strcmp(options->operation->name, "pingpong") == 0;
    const char *per = pingpong ? "2k" : options->operation->counts_window ? "messages" : "k";
    if (single)
        snprintf(words, sizeof words, "%s, ", pingpong ? "half of one round trip" : "one exchange");
    else
        snprintf(words, sizeof words, "%s over %s, ", options->sweep ? "whole loop" : "batch",
                 options->sweep ? "2n" : per);
    const size_t length = strlen(words);
    snprintf(words + length, sizeof words - length, "%s%s, %s",
             options->experiment != PINGPONG && single ? "each rank's own"
             : options->reduce_first                   ? "first rank"
                                                       : "larger of two ranks",
             !single                     ? ""
             : options->keep_clock_cost ? ", clock cost included"
                                        : ", clock cost subtracted",
             options->two_buffers ? "two buffers" : "one buffer");
    return words;
}

static void record_facts(const struct launch *launch, const char *places, unsigned long cold)
{
    const struct options *options = launch->options;
    const struct launch_facts facts = {
        .launch = options->launch,
        .seed = options->seed,
        .clock = launch->clock,
        .places = places,
        .batch_s = options->sweep || launch->together ? 0.0
                                                      : batch_least_ns(&launch->clock) * 1e-9,
        .cold_bytes = options->cold ? cold : 0,
        .definition = definition(options),
        .probes_handover = launch->exchange.shared != NULL && !options->sweep,
        .put_controls = algorithms_put_controls,
    };
    record_launch(&facts);
    records_flush();
}

/* Sets up what all experiments need: the ranks and their names, clock, buffers, what is shared. */
static unsigned long open_launch(struct launch *launch, const struct place *here, int *peers,
                                 MPI_Comm comm)
{
    const struct options *options = launch->options;
    struct exchange *exchange = &launch->exchange;
    check(MPI_Comm_rank(comm, &exchange->rank), "MPI_Comm_rank");
    exchange->comm = comm;
    exchange->peer = 1 - exchange->rank;
    exchange->leads = exchange->rank == 0;
    for (int i = 0; i < exchange->ranks; i++)
        peers[i] = options->experiment == PINGPONG ? options->peers[i] : i;
    launch->peers = peers;
    launch->clock = clock_measure();
    const unsigned long cache = here->last_cache_bytes;
    const unsigned long cold = !options->cold && !options->floor ? 0
                               : cache > 0                       ? 2 * cache
                                                                 : COLD_BYTES;
    allocate_buffers(launch, node_of(comm).ranks, cold);
    const double window = options->operation->counts_window ? messages_held(options, 1) : 1.0;
    exchange->requests = allocate(2 * (size_t)window * sizeof *exchange->requests);
    exchange->statuses = allocate(2 * (size_t)window * sizeof *exchange->statuses);
    if (exchange->rank == 0)
        launch->noises = allocate((size_t)exchange->ranks * sizeof *launch->noises);
    exchange->shared = exchange->ranks == 2 ? shared_open(comm, options->floor ? launch->span : 0)
                                            : NULL;
    if (options->floor && exchange->shared == NULL)
        fail(EXIT_ASKED_WRONGLY, "--floor: ranks %d and %d share no memory", peers[0], peers[1]);
    make_points(launch);
    make_room(launch);
    noise_start();
    return cold;
}

static void close_launch(struct launch *launch)
{
    shared_close(launch->exchange.shared);
    if (launch->in != launch->out)
        free(launch->in);
    free(launch->out);
    free(launch->points);
    free(launch->own_ns);
    free(launch->sample_ns);
    free(launch->noises);
    free(launch->exchange.requests);
    free(launch->exchange.statuses);
}

static const char *run_experiment(struct launch *launch)
{
    const struct options *options = launch->options;
    if (options->experiment == PAIRS || options->experiment == CORES)
        return pairs_run(launch);
    return options->sweep ? sweep_run(launch) : rounds_run(launch);
}

void launch_run(const struct options *options, const struct place *here, const char *places,
                MPI_Comm comm)
{
    struct launch launch = {.options = options};
    struct together together;
    check(MPI_Comm_size(comm, &launch.exchange.ranks), "MPI_Comm_size");
    int *peers = allocate((size_t)launch.exchange.ranks * sizeof *peers);
    const unsigned long cold = open_launch(&launch, here, peers, comm);
    if (options->experiment == COLLECTIVE) {
        together_open(&together, comm, launch.exchange.ranks, launch.room, options->sync);
        launch.together = &together;
    }
    if (launch.exchange.rank == 0)
        record_facts(&launch, places, cold);
    check(MPI_Barrier(comm), "MPI_Barrier");
    launch.started_s = (double)clock_ns() * 1e-9;
    const char *reason = run_experiment(&launch);
    if (launch.exchange.rank == 0) {
        record_end(options->launch, reason, (double)clock_ns() * 1e-9 - launch.started_s, NULL);
        if (options->table)
            table_print(&launch, definition(options));
    }
    if (launch.together != NULL)
        together_close(&together);
    close_launch(&launch);
    free(peers);
}
