/* The origin's elements are combined with those of the target. */
#include "one_sided.h"

INLINED int accumulate(struct access *access)
{
    return MPI_Accumulate(message_next(&access->out), access->out.count, access->out.type,
                          access->other, access_next(access), access->out.count,
                          access->out.type, access->op, access->win);
}

static int repeat(struct context *context, int64_t repetitions)
{
    return one_sided_repeat(context, accumulate, repetitions);
}

static const struct operation operation_accumulate = {
    .name = "accumulate", ONE_SIDED, .elements = ELEMENTS, .prepare = one_sided_prepare,
    .fill = accumulate_fill, .check = accumulate_check, .repeat = repeat,
};
LISTED(operation_accumulate);
