#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "calibrate.h"
#include "check.h"
#include "congestion.h"
#include "exposures.h"
#include "launch_record.h"
#include "operations/halo.h"
#include "pairs.h"
#include "paths.h"
#include "points.h"
#include "records.h"
#include "rounds.h"
#include "schedule.h"
#include "stragglers.h"
#include "sweep.h"
#include "table.h"
#include "together.h"
#include "trial.h"
#include "warm.h"
#include "threads.h"
#include "tree.h"

/* Where the last cache's size is unknown, a cold walk is this long: larger than most. */
static const unsigned long COLD_BYTES = 128ul << 20;

/* Room for the samples of one round, or of one visit of a sweep. */
static void make_room(struct launch *launch)
{
    const struct options *options = launch->options;
    const int a_point = begins_together(options) ? MOST_COLLECTIVES : launch_most_samples(options);
    launch->room = options->sweep ? CHUNK_SAMPLES : launch->point_count * a_point;
    launch->own_ns = allocate((size_t)launch->room * sizeof(double));
    if (launch->context.rank == 0)
        launch->sample_ns = allocate((size_t)launch->room * sizeof(double));
}

static void define_one_sided(const struct options *options, const char *buffers, char *words,
                             size_t room)
{
    static const char *const of_direction[] = {
        [IN_TURNS] = "k on the origin; fence, pscw and two-sided over 2k, each rank in turn",
        [ONE_WAY] = "operations, the origin's time; fence, pscw and two-sided the larger of two ranks'",
        [BOTH_WAYS] = "operations of both ranks, the larger of their times",
    };
    snprintf(words, room, "%s over %s, %s buffers", times_each(options) ? "one repetition" : "batch",
             of_direction[options->one_sided.direction], buffers);
}

/* The definition of a sample: how it was timed, whose time it is, what was subtracted. */
static void define(const struct launch *launch, char *words, size_t room)
{
    const struct options *options = launch->options;
    const struct operation *operation = options->operation;
    const char *buffers = buffers_names[launch->context.buffers];
    if (operation->one_sided) {
        define_one_sided(options, buffers, words, room);
        return;
    }
    if (begins_together(options)) {
        snprintf(words, room, "from %s to the last rank's end, clock cost included, %s buffers",
                 options->collective.arrivals.count > 0 ? "the last rank's arrival"
                 : options->sync == SYNC_BARRIER        ? "the first rank's start behind a barrier"
                                                        : "the common start",
                 buffers);
        return;
    }
    const int single = times_each(options), pingpong = is_pingpong(operation);
    const char *per = pingpong ? "2k" : operation->counts_window ? "messages" : "k";
    if (single)
        snprintf(words, room, "%s, ", pingpong ? "half of one round trip" : "one exchange");
    else
        snprintf(words, room, "%s over %s, ", options->sweep ? "whole loop" : "batch",
                 options->sweep ? "2n" : per);
    const size_t length = strlen(words);
    snprintf(words + length, room - length, "%s%s, %s buffers",
             options->experiment == CONGESTION ? "largest of the victims'"
             : !is_of_two(options) && single   ? "each rank's own"
             : options->reduce                 ? "first rank"
                                               : "larger of two ranks",
             !single                    ? ""
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
        .options = options,
        .clock = launch->clock,
        .places = places,
        .batch_s = in_batches ? batch_least_ns(&launch->clock) * 1e-9 : 0.0,
        .buffers = launch->context.buffers,
        .cold_bytes = launch->context.buffers == BUFFERS_COLD ? launch->cold_bytes : 0,
        .definition = definition,
        .probes_handover = launch->context.shared != NULL && !options->sweep,
        .probe_refusal = launch->probe_refusal,
        .moved_ranks = options->halo.grid.reordered ? launch->context.halo->moved : -1,
        .ranks = launch->context.ranks,
        .cast = launch->congestion != NULL ? congestion_cast(launch->congestion) : NULL,
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
    ranks_of(comm, &context->rank, &context->ranks);
    launch->comm = context->comm = comm;
    launch->method = &method_plain;
    context->peer = 1 - context->rank;
    context->leads = context->rank == 0;
    context->buffers = options->buffers;
    context->element = options->element;
    const int window = largest_window(options);
    context->requests = allocate(2 * (size_t)window * sizeof *context->requests);
    context->statuses = allocate(2 * (size_t)window * sizeof *context->statuses);
    if (options->operation->varies) {
        struct collective *collective = &context->collective;
        collective->counts = allocate((size_t)context->ranks * sizeof(int));
        collective->displacements = allocate((size_t)context->ranks * sizeof(int));
        collective->types = allocate((size_t)context->ranks * sizeof *collective->types);
    }
}

static int *peers_of(const struct options *options, int ranks)
{
    int *peers = allocate((size_t)ranks * sizeof *peers);
    for (int i = 0; i < ranks; i++)
        peers[i] = is_of_two(options) ? options->peers[i] : i;
    return peers;
}

/* The grid, and a packing that takes the most memory. */
static void open_halo(struct launch *launch, MPI_Comm comm)
{
    const struct options *options = launch->options;
    int with_topology = 0;
    for (int i = 0; i < options->halo.exchange_count; i++)
        with_topology = with_topology || exchange_is_neighborhood(options->halo.exchanges[i]);
    struct halo *halo = launch->context.halo = halo_open(&options->halo.grid, comm, with_topology);
    for (int i = 0; i < options->halo.column_count; i++)
        if (halo_footprint(1, 1, options->halo.columns[i]) > halo_footprint(1, 1, halo->packing))
            halo->packing = options->halo.columns[i];
}

static int has_groups(const struct options *options) { return options->groups > 1 || options->stragglers; }

/* Neighbouring ranks are a group. With --stragglers all are one, in another order in each launch. */
static void open_groups(struct launch *launch)
{
    const struct context *context = &launch->context;
    const struct options *options = launch->options;
    launch->everyone = (struct group){context->comm, context->rank, context->ranks};
    launch->group = launch->everyone;
    if (!has_groups(options))
        return;
    struct group *group = &launch->group;
    group->ranks = context->ranks / options->groups;
    group->rank = options->stragglers ? stragglers_number(options->seed, context->rank, context->ranks)
                                      : context->rank % group->ranks;
    check(MPI_Comm_split(context->comm, context->rank / group->ranks, group->rank, &group->comm),
          "MPI_Comm_split");
    return_errors(group->comm);
}

/* Sets up what all experiments need: the ranks and their names, clock, buffers, what is shared. */
static void open_launch(struct launch *launch, const struct place *here, MPI_Comm comm)
{
    const struct options *options = launch->options;
    struct context *context = &launch->context;
    open_context(launch, comm);
    methods_commit(options);
    if (context->rank == 0)
        launch->peers = peers_of(options, context->ranks);
    launch->clock = common_cost(clock_measure(), comm);
    if (context->buffers == BUFFERS_COLD || options->floor) {
        const unsigned long cache = here->last_cache_bytes;
        launch->cold_bytes = cache > 0 ? 2 * cache : COLD_BYTES;
    }
    threads_open(launch, here);
    if (options->experiment == HALO)
        open_halo(launch, comm);
    open_groups(launch);
    if (options->experiment == CONGESTION)
        launch->congestion = congestion_open(launch, comm);
    launch_enter(launch, &launch->group);
    buffers_open(launch, launch->congestion != NULL ? congestion_needed(launch->congestion) : 0.0, comm);
    if (launch->congestion != NULL)
        congestion_allocate(launch->congestion, options->methods[0].memories.of[0]);
    launch_enter(launch, &launch->everyone);
    /* Ranks that take turns on a CPU wait a turn for each line of the probe. */
    if (context->ranks == 2 && (!here->crowded || options->floor))
        context->shared = shared_open(comm, options->floor ? launch->areas[MEMORY_HOST].out.span : 0, options->seed,
                                      launch->probe_refusal);
    if (options->floor && context->shared == NULL)
        fail(EXIT_ASKED_WRONGLY, "--floor: ranks %d and %d share no memory%s%s", options->peers[0],
             options->peers[1], launch->probe_refusal[0] != '\0' ? ": " : "", launch->probe_refusal);
    if (options->experiment == RMA)
        exposures_open(launch, comm);
    if (options->collective.schedules != NULL)
        launch->collective.schedules =
            schedules_open(options->collective.schedules, options->operation, comm, here->host);
    points_make(launch);
    make_room(launch);
    if (begins_together(options))
        launch->together =
            together_open(comm, launch->point_count, launch->room,
                          schedules_segments(launch->collective.schedules), options->sync);
    launch->watchers = IS_SIMULATED ? MPI_COMM_SELF : comm;
    launch->watch = IS_SIMULATED && context->rank > 0 ? NULL : watch_start();
}

static void close_launch(struct launch *launch)
{
    if (launch->together != NULL)
        together_close(launch->together);
    if (launch->congestion != NULL)
        congestion_close(launch->congestion);
    if (launch->watch != NULL)
        watch_end(launch->watch);
    exposures_close(launch);
    shared_close(launch->context.shared);
    buffers_close(launch);
    threads_close(launch);
    if (launch->context.halo != NULL)
        halo_close(launch->context.halo);
    if (launch->collective.schedules != NULL)
        schedules_close(launch->collective.schedules);
    if (has_groups(launch->options))
        check(MPI_Comm_free(&launch->group.comm), "MPI_Comm_free");
    for (int i = 0; i < launch->point_count; i++) {
        free(launch->points[i].series);
        free(launch->points[i].sketch);
    }
    free(launch->points);
    free(launch->peers);
    free(launch->own_ns);
    free(launch->sample_ns);
    free(launch->context.requests);
    free(launch->context.statuses);
    free(launch->context.collective.counts);
    free(launch->context.collective.displacements);
    free(launch->context.collective.types);
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
    if (options->experiment == PAIRS || options->experiment == CORES || options->experiment == FABRIC)
        return pairs_run(launch);
    if (options->trial)
        return trial_run(launch);
    warm_devices(launch);
    return options->sweep ? sweep_run(launch) : rounds_run(launch);
}

void run_launch(const struct options *options, const struct place *here, const char *places,
                MPI_Comm comm)
{
    struct launch launch = {.options = options, .exposures.comm = MPI_COMM_NULL};
    open_launch(&launch, here, comm);
    const int first = launch.context.rank == 0;
    if (first)
        record_facts(&launch, places);
    struct paths *paths = paths_check(options, here, comm);
    launch.started_s = launch_now_s();
    const char *reason = run_experiment(&launch);
    record_noises(&launch);
    paths_end(paths);
    if (first)
        record_end(reason, launch_now_s() - launch.started_s, NULL);
    if (first && options->table) {
        char definition[200];
        define(&launch, definition, sizeof definition);
        table_print(&launch, definition);
    }
    close_launch(&launch);
}
