/* One element replaces the target's if that equals a third; the origin receives what it was. */
#include "one_sided.h"

INLINED int compare_and_swap(struct access *access)
{
    return MPI_Compare_and_swap(message_next(&access->out), access->compare,
                                message_next(&access->in), access->out.type, access->other,
                                access_next(access), access->win);
}

static int repeat(struct context *context, int64_t repetitions)
{
    return one_sided_repeat(context, compare_and_swap, repetitions);
}

static const struct operation operation_compare_and_swap = {
    .name = "compare-and-swap", ONE_SIDED, .elements = ONE_ELEMENT, .swaps = 1,
    .prepare = one_sided_prepare, .fill = swap_fill, .check = swap_check, .repeat = repeat,
};
LISTED(operation_compare_and_swap);
