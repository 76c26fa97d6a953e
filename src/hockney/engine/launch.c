#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms.h"
#include "buffers.h"
#include "check.h"
#include "node.h"
#include "records.h"
#include "table.h"
#include "together.h"
#include "tree.h"

/* Where the last cache's size is unknown, a cold walk is this long: larger than most. */
static const unsigned long COLD_BYTES = 128ul << 20;

double launch_now_s(void) { return (double)clock_ns() * 1e-9; }

/* A collective that reduces has whole elements. */
static int is_possible(const struct operation *operation, size_t bytes)
{
    if (operation->empty)
        return bytes == 0;
    return !operation->reduces || (bytes > 0 && bytes % sizeof(int32_t) == 0);
}

static struct point *add_point(struct launch *launch, const struct operation *operation,
                               struct size_option size, int window)
{
    struct point *point = &launch->points[launch->point_count++];
    *point = (struct point){
        .operation = operation,
        .size = size,
        .window = window,
        .repetitions = 1,
        .batches = 1,
        .series = launch->context.rank == 0 ? allocate(sizeof(struct series)) : NULL,
    };
    return point;
}

/* One size: of each train or window where there are some, and under it what is measured beside. */
static void add_points(struct launch *launch, struct size_option size)
{
    const struct options *options = launch->options;
    const struct operation *operation = options->operation;
    for (int i = 0; i < options->train_count; i++)
        add_point(launch, &options->trains[i], size, 1);
    for (int i = 0; operation->counts_window && i < options->window_count; i++)
        add_point(launch, operation, size, options->windows[i]);
    if (options->train_count == 0 && !operation->counts_window)
        add_point(launch, operation, size, 1);
    if (options->overlap)
        add_point(launch, operation, size, 1)->overlapped = 1;
    for (int j = 0; options->floor && floor_copies[j] != NULL && size.bytes > 0; j++)
        add_point(launch, floor_copies[j], size, 1);
}

static void make_points(struct launch *launch)
{
    const struct options *options = launch->options;
    const int most_a_size = options->train_count + options->window_count + 4;
    launch->points = allocate((size_t)(options->size_count * most_a_size + 3) *
                              sizeof *launch->points);
    for (int i = 0; i < options->size_count; i++)
        if (is_possible(options->operation, options->sizes[i].bytes))
            add_points(launch, options->sizes[i]);
    for (int j = 0; options->floor && floor_handovers[j] != NULL; j++)
        add_point(launch, floor_handovers[j], (struct size_option){0}, 1);
    if (launch->point_count == 0)
        fail(EXIT_ASKED_WRONGLY, "%s does not support these sizes: %s", options->operation->name,
             options->operation->reduces ? "it adds integers of 4 bytes" : "it has 0 bytes only");
}

/* Room for the samples of one round, or of one visit of a sweep. */
static void make_room(struct launch *launch)
{
    const struct options *options = launch->options;
    const int collective = options->operation->between_all;
    const int a_point = collective            ? MOST_COLLECTIVES
                        : times_each(options) ? SINGLES_A_VISIT
                                              : BATCHES_A_VISIT;
    launch->room = options->sweep ? CHUNK_SAMPLES : launch->point_count * a_point;
    launch->own_ns = allocate((size_t)launch->room * sizeof(double));
    if (launch->context.rank == 0)
        launch->sample_ns = allocate((size_t)launch->room * sizeof(double));
}

/* The definition of a sample: how it was timed, whose time it is, what was subtracted. */
static void define(const struct launch *launch, char *words, size_t room)
{
    const struct options *options = launch->options;
    const struct operation *operation = options->operation;
    const char *buffers = buffers_names[launch->context.buffers];
    if (operation->between_all) {
        snprintf(words, room, "from %s to the last rank's end, clock cost included, %s buffers",
                 options->sync == SYNC_BARRIER ? "the first rank's start behind a barrier"
                                               : "the common start",
                 buffers);
        return;
    }
    const int single = times_each(options), pingpong = operation->mode != NULL;
    const char *per = pingpong ? "2k" : operation->counts_window ? "messages" : "k";
    if (single)
        snprintf(words, room, "%s, ", pingpong ? "half of one round trip" : "one exchange");
    else
        snprintf(words, room, "%s over %s, ", options->sweep ? "whole loop" : "batch",
                 options->sweep ? "2n" : per);
    const size_t length = strlen(words);
    snprintf(words + length, room - length, "%s%s, %s buffers",
             !is_of_two(options) && single ? "each rank's own"
             : options->reduce_first                   ? "first rank"
                                                       : "larger of two ranks",
             !single                     ? ""
             : options->keep_clock_cost ? ", clock cost included"
                                        : ", clock cost subtracted",
             buffers);
}

static void record_facts(const struct launch *launch, const char *places)
{
    const struct options *options = launch->options;
    const int in_batches = !options->sweep && launch->together == NULL;
    char definition[200];
    define(launch, definition, sizeof definition);
    record_launch(&(struct launch_facts){
        .seed = options->seed,
        .clock = launch->clock,
        .places = places,
        .batch_s = in_batches ? batch_least_ns(&launch->clock) * 1e-9 : 0.0,
        .buffers = buffers_names[launch->context.buffers],
        .cold_bytes = launch->context.buffers == BUFFERS_COLD ? launch->cold_bytes : 0,
        .definition = definition,
        .probes_handover = launch->context.shared != NULL && !options->sweep,
        .put_controls = algorithms_put_controls,
    });
    records_flush();
}

/* Ranks that plan by what their clock costs must plan by one number. */
static struct clock common_cost(struct clock clock, MPI_Comm comm)
{
    double costs[2] = {clock.resolution_s, clock.cost_s};
    if (IS_SIMULATED) /* of which there is one clock */
        return clock;
    tree_reduce(costs, (struct tree_layout){.largest = 2}, comm);
    tree_bcast(costs, sizeof costs, comm);
    clock.resolution_s = costs[0];
    clock.cost_s = costs[1];
    return clock;
}

static void open_context(struct launch *launch, MPI_Comm comm)
{
    const struct options *options = launch->options;
    struct context *context = &launch->context;
    check(MPI_Comm_rank(comm, &context->rank), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &context->ranks), "MPI_Comm_size");
    context->comm = comm;
    context->peer = 1 - context->rank;
    context->leads = context->rank == 0;
    context->buffers = options->buffers;
    const int window = largest_window(options);
    context->requests = allocate(2 * (size_t)window * sizeof *context->requests);
    context->statuses = allocate(2 * (size_t)window * sizeof *context->statuses);
    if (options->operation->varies) {
        context->counts = allocate((size_t)context->ranks * sizeof(int));
        context->displacements = allocate((size_t)context->ranks * sizeof(int));
    }
}

static int *peers_of(const struct options *options, int ranks)
{
    int *peers = allocate((size_t)ranks * sizeof *peers);
    for (int i = 0; i < ranks; i++)
        peers[i] = is_of_two(options) ? options->peers[i] : i;
    return peers;
}

/* Sets up what all experiments need: the ranks and their names, clock, buffers, what is shared. */
static void open_launch(struct launch *launch, const struct place *here, MPI_Comm comm)
{
    const struct options *options = launch->options;
    struct context *context = &launch->context;
    open_context(launch, comm);
    if (context->rank == 0)
        launch->peers = peers_of(options, context->ranks);
    launch->clock = common_cost(clock_measure(), comm);
    if (context->buffers == BUFFERS_COLD || options->floor) {
        const unsigned long cache = here->last_cache_bytes;
        launch->cold_bytes = cache > 0 ? 2 * cache : COLD_BYTES;
    }
    buffers_open(launch, node_of(comm).ranks);
    context->shared = context->ranks == 2
                          ? shared_open(comm, options->floor ? launch->out.span : 0, options->seed)
                          : NULL;
    if (options->floor && context->shared == NULL)
        fail(EXIT_ASKED_WRONGLY, "--floor: ranks %d and %d share no memory", options->peers[0],
             options->peers[1]);
    make_points(launch);
    make_room(launch);
    if (options->operation->between_all)
        launch->together =
            together_open(comm, launch->point_count, launch->room, options->sync);
    launch->watchers = IS_SIMULATED ? MPI_COMM_SELF : comm;
    launch->watch = IS_SIMULATED && context->rank > 0 ? NULL : watch_start();
}

static void close_launch(struct launch *launch)
{
    if (launch->together != NULL)
        together_close(launch->together);
    if (launch->watch != NULL)
        watch_end(launch->watch);
    shared_close(launch->context.shared);
    buffers_close(launch);
    for (int i = 0; i < launch->point_count; i++)
        free(launch->points[i].series);
    free(launch->points);
    free(launch->peers);
    free(launch->own_ns);
    free(launch->sample_ns);
    free(launch->context.requests);
    free(launch->context.statuses);
    free(launch->context.counts);
    free(launch->context.displacements);
}

/* Records the disturbances of each rank, once. */
static void record_noises(const struct launch *launch)
{
    if (launch->watch == NULL)
        return;
    int watchers;
    check(MPI_Comm_size(launch->watchers, &watchers), "MPI_Comm_size");
    const struct noise mine = watch_total(launch->watch);
    struct noise *all =
        launch->context.rank == 0 ? allocate((size_t)watchers * sizeof *all) : NULL;
    tree_gather(&mine, all, sizeof mine, launch->watchers);
    for (int i = 0; all != NULL && i < watchers; i++)
        record_noise(launch->peers[i], &all[i]);
    free(all);
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
    open_launch(&launch, here, comm);
    const int first = launch.context.rank == 0;
    if (first)
        record_facts(&launch, places);
    launch.started_s = launch_now_s();
    const char *reason = run_experiment(&launch);
    record_noises(&launch);
    if (first)
        record_end(reason, launch_now_s() - launch.started_s, NULL);
    if (first && options->table) {
        char definition[200];
        define(&launch, definition, sizeof definition);
        table_print(&launch, definition);
    }
    close_launch(&launch);
}
