/* Handing a cache line over between two cores, without MPI: what the hardware takes for the
   smallest message. The best of the variants is the floor under a 0-byte latency. */
#include "../operations.h"

static int one_line(struct context *context, int64_t repetitions)
{
    _Atomic uint64_t *line = &context->shared->lines[LINE_ONE].value;
    const uint64_t mine = (uint64_t)context->rank;
    for (int64_t i = 0; i < repetitions; i++) {
        shared_wait(line, mine);
        atomic_store_explicit(line, 1 - mine, memory_order_release);
    }
    if (context->rank == 0)
        shared_wait(line, 0);
    return MPI_SUCCESS;
}

static int two_lines(struct context *context, int64_t repetitions)
{
    shared_handovers(context->shared, context->rank, repetitions);
    return MPI_SUCCESS;
}

static int swap(struct context *context, int64_t repetitions)
{
    _Atomic uint64_t *line = &context->shared->lines[LINE_SWAP].value;
    const uint64_t mine = (uint64_t)context->rank;
    for (int64_t i = 0; i < repetitions; i++) {
        uint64_t expected = mine;
        for (int tries = 0; !atomic_compare_exchange_weak_explicit(
                 line, &expected, 1 - mine, memory_order_acq_rel, memory_order_relaxed);
             expected = mine)
            if (++tries >= LOOKS_BEFORE_YIELD)
                sched_yield();
    }
    if (context->rank == 0)
        shared_wait(line, 0);
    return MPI_SUCCESS;
}

const struct operation operation_handover_one_line = {
    .name = "handover", .algorithm = "one line", .messages = 2.0, .needs_shared = 1,
    .repeat = one_line,
};
const struct operation operation_handover_two_lines = {
    .name = "handover", .algorithm = "two lines", .messages = 2.0, .needs_shared = 1,
    .repeat = two_lines,
};
const struct operation operation_handover_swap = {
    .name = "handover", .algorithm = "swap", .messages = 2.0, .needs_shared = 1,
    .repeat = swap,
};
