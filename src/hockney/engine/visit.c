/* One visit of one point: the timed region, and the reduction of its times over the ranks. */
#include "visit.h"

#include <math.h>
#include <string.h>

#include "buffers.h"
#include "check.h"
#include "exposures.h"
#include "faults.h"
#include "mirror.h"
#include "operations/halo.h"
#include "order.h"
#include "records.h"
#include "state.h"
#include "threads.h"
#include "tree.h"

enum { TAG_HANDSHAKE = 6 };

/* The rank of the world with which this one exchanges messages; negative where all do. */
static int partner_of(const struct launch *launch, const struct operation *operation)
{
    const int peer = launch->context.peer;
    if (operation->between_all)
        return -1;
    return is_of_two(launch->options) && (peer == 0 || peer == 1) ? launch->options->peers[peer] : peer;
}

void visit_prepare(struct launch *launch, const struct operation *operation,
                   const struct method *method, size_t bytes, int window)
{
    state_exchange(operation->name, bytes, partner_of(launch, operation));
    launch->method = method;
    launch->context.parameters = operation->parameters;
    launch->context.one_sided.way = operation->way;
    launch->context.waited = operation->waited;
    exposures_enter(launch);
    threads_prepare(launch);
    buffers_set(launch, operation, bytes, window);
    for (int i = 0; operation->prepare != NULL && i < threads_here(launch); i++)
        check(operation->prepare(threads_context(launch, i)), operation->name);
}

void visit_release(struct launch *launch, const struct operation *operation)
{
    for (int i = 0; operation->finish != NULL && i < threads_here(launch); i++)
        check(operation->finish(threads_context(launch, i)), operation->name);
    buffers_release(launch);
    threads_finish(launch);
    state_enter("between exchanges");
}

void visit_begin(struct launch *launch, const struct point *point)
{
    if (launch->context.halo != NULL)
        launch->context.halo->packing = point->packing;
    launch->context.collective.schedule = point->collective.schedule;
    if (point->pair[1] > 0)
        launch->context.peer = point->pair[1];
    launch_enter(launch, &launch->group);
    visit_prepare(launch, point->operation, point->method, point->size.bytes, point->window);
}

void visit_end(struct launch *launch, const struct point *point)
{
    visit_release(launch, point->operation);
    launch_enter(launch, &launch->everyone);
}

static int settle(struct context *context, const struct operation *operation)
{
    return operation->settle != NULL ? operation->settle(context) : MPI_SUCCESS;
}

void visit_warm(struct launch *launch, const struct operation *operation, int64_t repetitions)
{
    check(threads_repeat(launch, operation, repetitions), operation->name);
    check(settle(&launch->context, operation), operation->name);
}

/* Batches: two readings of the clock around many repetitions; nothing is subtracted. */
static int time_batches(struct launch *launch, const struct operation *operation,
                        int64_t repetitions, int count, double *own_ns)
{
    int code = MPI_SUCCESS;
    for (int batch = 0; batch < count && code == MPI_SUCCESS; batch++) {
        const int64_t start = clock_ns();
        code = threads_repeat(launch, operation, repetitions);
        fault_slow_down(start);
        own_ns[batch] = (double)(clock_ns() - start);
        if (code == MPI_SUCCESS)
            code = settle(&launch->context, operation);
    }
    return code;
}

int visit_is_verified(const struct launch *launch, const struct operation *operation)
{
    /* A message beside a collective in place would be received where it is sent from. */
    const struct areas *areas = &launch->areas[launch_memory(launch, launch->method)];
    const int has_buffers = operation->in_place || areas->in.base != areas->out.base;
    return launch->options->verify && operation->check != NULL && has_buffers;
}

void visit_fill(struct launch *launch, const struct operation *operation, int repetition)
{
    for (int i = 0; i < threads_with_messages(launch); i++) {
        struct context *context = threads_context(launch, i);
        *threads_before(launch, i) = *context;
        mirror_enter(launch, i, context);
        operation->fill(context, repetition);
        fault_corrupt(context->out.base + context->out.at, context->out.bytes, context->bytes);
        mirror_put(launch, i, context);
        mirror_leave(launch, i, context);
    }
}

void visit_check(struct launch *launch, const struct operation *operation, int repetition)
{
    for (int i = 0; i < threads_with_messages(launch); i++) {
        struct context seen = *threads_context(launch, i);
        const struct context *before = threads_before(launch, i);
        seen.out = before->out;
        seen.in = before->in;
        seen.one_sided.exposed = before->one_sided.exposed;
        if (threads_repetitions(launch, 1, i) <= 0)
            continue;
        mirror_get(launch, i, &seen);
        mirror_enter(launch, i, &seen);
        operation->check(&seen, repetition);
    }
}

static void shake_hands(const struct context *context)
{
    check(MPI_Sendrecv(NULL, 0, MPI_BYTE, context->peer, TAG_HANDSHAKE, NULL, 0, MPI_BYTE,
                       context->peer, TAG_HANDSHAKE, context->comm, MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
}

/* Single repetitions. The handshake keeps a rank that still checks from being waited for inside the
   other's timing. */
static int time_verified(struct launch *launch, const struct operation *operation, int count,
                         double *own_ns)
{
    struct context *context = &launch->context;
    int code = MPI_SUCCESS;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
        visit_fill(launch, operation, i);
        shake_hands(context);
        const int64_t start = clock_ns();
        code = threads_repeat(launch, operation, 1);
        own_ns[i] = (double)(clock_ns() - start);
        if (code == MPI_SUCCESS)
            code = settle(context, operation);
        check(code, operation->name);
        visit_check(launch, operation, i);
    }
    shake_hands(context); /* what is one-sided must not begin while the other rank still checks */
    return code;
}

void visit_time(struct launch *launch, const struct operation *operation, int64_t repetitions,
                int count, double *own_ns)
{
    struct context *context = &launch->context;
    const int single = times_each(launch->options);
    const int code = visit_is_verified(launch, operation)
                         ? time_verified(launch, operation, count, own_ns)
                         : time_batches(launch, operation, repetitions, count, own_ns);
    check(code, operation->name);

    const double per = (double)repetitions * operation->messages *
                       (operation->counts_window ? context->window : 1);
    const int corrected = single && !launch->options->keep_clock_cost;
    const double cost_ns = corrected ? launch->clock.cost_s * 1e9 : 0.0;
    const int counts = context->leads || !is_timed_by_leader(operation);
    for (int i = 0; i < count; i++) {
        const double ns = own_ns[i] - cost_ns;
        own_ns[i] = (counts && ns > 0.0 ? ns : 0.0) / per;
    }
}

void visit_reduce(struct launch *launch, int count)
{
    double *values = launch->own_ns;
    if (launch->context.rank == 0)
        values = memcpy(launch->sample_ns, values, (size_t)count * sizeof *values);
    if (!launch->options->reduce)
        tree_reduce(values, (struct tree_layout){.largest = count}, launch->context.comm);
}

void probe_state(struct launch *launch, int round)
{
    if (launch->context.shared == NULL || round < 0)
        return;
    double ns[PROBED_PAGES];
    probe_handover(launch->context.shared, launch->context.rank, launch->clock.cost_s * 1e9, ns);
    if (launch->context.rank != 0)
        return;
    judge_lines(launch->context.shared, launch->options->launch, round, ns);
    record_probe(&(struct probe_facts){
        .round = round,
        .peers = launch->peers,
        .low_ns = quantile_of(ns, PROBED_PAGES, 0.25),
        .handover_ns = median_of(ns, PROBED_PAGES),
        .high_ns = quantile_of(ns, PROBED_PAGES, 0.75),
    });
}

/* Disturbances of all ranks between two probes; doubles only, as tree_reduce needs them. */
struct seen {
    double interrupted;
    struct {
        double value, rank;
    } waited_s, probe_s; /* the largest */
    double switches, migrations, steal_s; /* of all together */
};

int look_at_noise(struct launch *launch, int round)
{
    if (launch->watch == NULL)
        return 0;
    const struct noise mine = watch_look(launch->watch);
    const int rank = launch->context.rank;
    struct seen seen = {mine.interrupted,
                        {mine.waited_s, rank},
                        {mine.probe_s, rank},
                        mine.switches,
                        mine.migrations,
                        fmax(mine.steal_s, 0.0)};
    tree_reduce((double *)&seen, (struct tree_layout){1, 2, 3}, launch->watchers);
    if (rank != 0)
        return 0;
    if (round >= 0)
        record_round(&(struct round_facts){
            .round = round,
            .wall_s = mine.wall_s,
            .waited_s = seen.waited_s.value,
            .waited_rank = launch->peers[(int)seen.waited_s.rank],
            .probe_s = seen.probe_s.value,
            .probe_rank = launch->peers[(int)seen.probe_s.rank],
            .switches = seen.switches,
            .migrations = seen.migrations,
            .steal_s = seen.steal_s,
        });
    return seen.interrupted > 0.0;
}
