/* One visit of one point: the timed region, and the reduction of its times over the ranks. */
#include "visit.h"

#include "check.h"
#include "faults.h"
#include "pattern.h"
#include "records.h"

void visit_prepare(struct launch *launch, const struct operation *operation, size_t bytes)
{
    struct exchange *exchange = &launch->exchange;
    const int cold = launch->options->cold;
    exchange->bytes = bytes;
    exchange->train = &operation->train;
    message_set(&exchange->out, launch->out, launch->span, bytes, cold);
    message_set(&exchange->in, launch->in, launch->span, bytes, cold);
    if (operation->prepare != NULL)
        check(operation->prepare(exchange), operation->name);
}

void visit_release(struct launch *launch, const struct operation *operation)
{
    if (operation->finish != NULL)
        check(operation->finish(&launch->exchange), operation->name);
    message_release(&launch->exchange.out);
    message_release(&launch->exchange.in);
}

void visit_warm(struct launch *launch, const struct operation *operation, int64_t repetitions)
{
    check(operation->repeat(&launch->exchange, repetitions), operation->name);
}

/* Batches: two readings of the clock around many repetitions; nothing is subtracted. */
static int time_batches(struct exchange *exchange, const struct operation *operation,
                        int64_t repetitions, int count, double *own_ns)
{
    int code = MPI_SUCCESS;
    for (int batch = 0; batch < count && code == MPI_SUCCESS; batch++) {
        const int64_t start = clock_ns();
        code = operation->repeat(exchange, repetitions);
        fault_slow_down(start);
        own_ns[batch] = (double)(clock_ns() - start);
    }
    return code;
}

/* Every message filled before and checked after its exchange. The handshake keeps a rank that
   still checks from being waited for inside the other's timing. */
static int time_verified(struct exchange *exchange, const struct operation *operation, int count,
                         double *own_ns)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
        pattern_fill(&exchange->out, exchange->rank, i);
        fault_corrupt(exchange->out.base + exchange->out.at, exchange->bytes);
        const size_t received_at = exchange->in.at;
        check(MPI_Barrier(exchange->comm), "MPI_Barrier");
        const int64_t start = clock_ns();
        code = operation->repeat(exchange, 1);
        own_ns[i] = (double)(clock_ns() - start);
        pattern_check(exchange->in.base + received_at, exchange->bytes, exchange->rank,
                      exchange->peer, i);
    }
    return code;
}

void visit_time(struct launch *launch, const struct operation *operation, int64_t repetitions,
                int count, double *own_ns)
{
    struct exchange *exchange = &launch->exchange;
    const int single = times_each(launch->options);
    const int code = launch->options->verify && !operation->needs_shared
                         ? time_verified(exchange, operation, count, own_ns)
                         : time_batches(exchange, operation, repetitions, count, own_ns);
    check(code, operation->name);

    const double per = (double)repetitions * operation->messages *
                       (operation->counts_window ? exchange->window : 1);
    const int corrected = single && !launch->options->keep_clock_cost;
    const double cost_ns = corrected ? launch->clock.cost_s * 1e9 : 0.0;
    for (int i = 0; i < count; i++) {
        const double ns = own_ns[i] - cost_ns;
        own_ns[i] = (ns > 0.0 ? ns : 0.0) / per;
    }
}

void visit_reduce(struct launch *launch, int count)
{
    if (launch->options->reduce_first) {
        for (int i = 0; i < count; i++)
            launch->sample_ns[i] = launch->own_ns[i];
        return;
    }
    check(MPI_Reduce(launch->own_ns, launch->sample_ns, count, MPI_DOUBLE, MPI_MAX, 0,
                     launch->exchange.comm),
          "MPI_Reduce");
}

void probe_state(struct launch *launch, int round)
{
    if (launch->exchange.shared == NULL || round < 0)
        return;
    const double ns = probe_handover(launch->exchange.shared, launch->exchange.rank);
    if (launch->exchange.rank == 0)
        record_probe(launch->options->launch, round, launch->peers, ns);
}

int look_at_noise(struct launch *launch, int round)
{
    struct exchange *exchange = &launch->exchange;
    const struct noise mine = noise_look();
    check(MPI_Gather(&mine, NOISE_FIELDS, MPI_DOUBLE, launch->noises, NOISE_FIELDS, MPI_DOUBLE, 0,
                     exchange->comm),
          "MPI_Gather");
    if (exchange->rank != 0)
        return 0;
    int interrupted = 0;
    for (int i = 0; i < exchange->ranks; i++) {
        if (round >= 0)
            record_noise(launch->options->launch, round, launch->peers[i], &launch->noises[i]);
        interrupted = interrupted || launch->noises[i].interrupted > 0.0;
    }
    return interrupted;
}
