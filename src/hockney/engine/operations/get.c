/* The origin reads the target's memory. */
#include "one_sided.h"

INLINED int get(struct access *access)
{
    return MPI_Get(message_next(&access->in), access->in.count, access->in.type, access->other,
                   access_next(access), access->in.count, access->in.type, access->win);
}

static int repeat(struct context *context, int64_t repetitions)
{
    return one_sided_repeat(context, get, repetitions);
}

static const struct operation operation_get = {
    .name = "get", ONE_SIDED, .prepare = get_prepare, .fill = get_fill,
    .check = get_check, .repeat = repeat,
};
LISTED(operation_get);
