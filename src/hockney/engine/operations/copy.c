/* A ping-pong without MPI: a cache line is handed over, then the receiver copies the bytes out of
   the sender's memory. One hand-over and one copy is the least that a message through shared
   memory can take. Warm: the same buffers each time; cold: a walk through more than the last
   cache holds. */
#include <string.h>

#include "../operations.h"

static void copy_there_and_back(struct exchange *exchange, int64_t repetitions, size_t stride)
{
    struct shared *shared = exchange->shared;
    const int rank = exchange->rank;
    const char *source = shared->part[1 - rank];
    char *target = exchange->in.base;
    size_t at = shared->cold_at;
    for (int64_t i = 0; i < repetitions; i++) {
        if (rank == 0)
            shared_signal(shared, rank);
        shared_await(shared, rank);
        memcpy(target + at, source + at, exchange->bytes);
        if (rank == 1)
            shared_signal(shared, rank);
        at += stride;
        if (at + exchange->bytes > shared->span)
            at = 0;
    }
    shared->cold_at = stride > 0 ? at : 0;
}

static int warm(struct exchange *exchange, int64_t repetitions)
{
    exchange->shared->cold_at = 0;
    copy_there_and_back(exchange, repetitions, 0);
    return MPI_SUCCESS;
}

static int cold(struct exchange *exchange, int64_t repetitions)
{
    copy_there_and_back(exchange, repetitions, message_stride(exchange->bytes));
    return MPI_SUCCESS;
}

const struct operation operation_copy_warm = {
    .name = "copy", .algorithm = "warm", .messages = 2.0, .needs_shared = 1, .repeat = warm,
};
const struct operation operation_copy_cold = {
    .name = "copy", .algorithm = "cold", .messages = 2.0, .needs_shared = 1, .repeat = cold,
};
