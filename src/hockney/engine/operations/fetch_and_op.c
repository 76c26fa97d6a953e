/* One element is combined with the target's, and the origin receives what that was before. */
#include "one_sided.h"

INLINED int fetch_and_op(struct access *access)
{
    return MPI_Fetch_and_op(message_next(&access->out), message_next(&access->in),
                            access->out.type, access->other, access_next(access), access->op,
                            access->win);
}

static int repeat(struct context *context, int64_t repetitions)
{
    return one_sided_repeat(context, fetch_and_op, repetitions);
}

static const struct operation operation_fetch_and_op = {
    .name = "fetch-and-op", ONE_SIDED, .elements = ONE_ELEMENT, .prepare = one_sided_prepare,
    .fill = accumulate_fill, .check = get_accumulate_check, .repeat = repeat,
};
LISTED(operation_fetch_and_op);
