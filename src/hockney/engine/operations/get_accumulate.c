/* The same, and the origin receives what the target held before. */
#include "one_sided.h"

INLINED int get_accumulate(struct access *access)
{
    return MPI_Get_accumulate(message_next(&access->out), access->out.count, access->out.type,
                              message_next(&access->in), access->out.count, access->out.type,
                              access->other, access_next(access), access->out.count,
                              access->out.type, access->op, access->win);
}

static int repeat(struct context *context, int64_t repetitions)
{
    return one_sided_repeat(context, get_accumulate, repetitions);
}

static const struct operation operation_get_accumulate = {
    .name = "get-accumulate", ONE_SIDED, .elements = ELEMENTS, .prepare = one_sided_prepare,
    .fill = accumulate_fill, .check = get_accumulate_check, .repeat = repeat,
};
LISTED(operation_get_accumulate);
