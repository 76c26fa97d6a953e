/* A ping-pong without MPI: a cache line is handed over, then the receiver copies the bytes out of
   the sender's memory. One cache-line transfer and one copy are the least that a message through shared
   memory can take. Warm: the same buffers each time; cold: a walk through more than the last
   cache holds. */
#include <string.h>

#include "../operations.h"

/* The cache line shows whose turn it is: a rank that received it copies, then returns it. */
static void copy_there_and_back(struct context *context, int64_t repetitions, size_t stride)
{
    struct shared *shared = context->shared;
    _Atomic uint64_t *turn = &shared->lines[LINE_ONE].value;
    const uint64_t mine = (uint64_t)context->rank;
    const char *source = shared->part[1 - mine];
    /* Returned buffers: the copy is what the other rank reads next, as its messages are. */
    char *target = context->buffers == BUFFERS_RETURNED ? shared->part[mine] : context->in.base;
    size_t at = stride > 0 ? shared->cold_at : 0;
    for (int64_t i = 0; i < repetitions; i++) {
        if (at + context->bytes > shared->span)
            at = 0; /* the walk may have come here with smaller messages */
        if (mine == 0)
            atomic_store_explicit(turn, 1, memory_order_release);
        shared_wait(turn, mine);
        memcpy(target + at, source + at, context->bytes);
        if (mine == 1)
            atomic_store_explicit(turn, 0, memory_order_release);
        at += stride;
    }
    if (stride > 0)
        shared->cold_at = at;
}

static int warm(struct context *context, int64_t repetitions)
{
    copy_there_and_back(context, repetitions, 0);
    return MPI_SUCCESS;
}

static int cold(struct context *context, int64_t repetitions)
{
    copy_there_and_back(context, repetitions, message_cold_stride(context->bytes));
    return MPI_SUCCESS;
}

const struct operation operation_copy_warm = {
    .name = "copy", .algorithm = "warm", .messages = 2.0, .needs_shared = 1, .repeat = warm,
};
const struct operation operation_copy_cold = {
    .name = "copy", .algorithm = "cold", .messages = 2.0, .needs_shared = 1, .repeat = cold,
};
