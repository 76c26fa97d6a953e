/* The origin writes into the target's memory. */
#include "one_sided.h"

INLINED int put(struct access *access)
{
    return MPI_Put(message_next(&access->out), access->out.count, access->out.type, access->other,
                   access_next(access), access->out.count, access->out.type, access->win);
}

static int repeat(struct context *context, int64_t repetitions)
{
    return one_sided_repeat(context, put, repetitions);
}

static const struct operation operation_put = {
    .name = "put", ONE_SIDED, .prepare = one_sided_prepare, .fill = put_fill,
    .check = put_check, .repeat = repeat,
};
LISTED(operation_put);
