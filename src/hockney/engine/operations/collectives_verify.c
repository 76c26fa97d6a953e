#include <stdint.h>
#include <string.h>

#include "../check.h"
#include "../pattern.h"
#include "collectives.h"

/* The initial content of a receive buffer, which differs from any expected content. */
enum { NOTHING = 0xee };

static char *out_of(const struct context *context) { return context->out.base + context->out.at; }

static char *in_of(const struct context *context) { return context->in.base + context->in.at; }

static char *block_of(char *at, const struct context *context, int block)
{
    return at + (size_t)block * context->bytes;
}

void bcast_fill(struct context *context, int repetition)
{
    if (context->rank == context->collective.root)
        pattern_fill(out_of(context), context->bytes, context->collective.root, 0, repetition);
    else
        memset(out_of(context), NOTHING, context->bytes);
}

void bcast_check(struct context *context, int repetition)
{
    pattern_check(out_of(context), context->bytes, context->collective.root, 0, context->rank, repetition);
}

void all_blocks_fill(struct context *context, int repetition)
{
    for (int block = 0; block < context->ranks; block++)
        pattern_fill(block_of(out_of(context), context, block), context->bytes, context->rank,
                     block, repetition);
}

void root_blocks_fill(struct context *context, int repetition)
{
    if (context->rank == context->collective.root)
        all_blocks_fill(context, repetition);
}

void one_block_fill(struct context *context, int repetition)
{
    pattern_fill(out_of(context), context->bytes, context->rank, 0, repetition);
}

void scatter_check(struct context *context, int repetition)
{
    pattern_check(in_of(context), context->bytes, context->collective.root, context->rank, context->rank,
                  repetition);
}

void allgather_check(struct context *context, int repetition)
{
    for (int sender = 0; sender < context->ranks; sender++)
        pattern_check(block_of(in_of(context), context, sender), context->bytes, sender, 0,
                      context->rank, repetition);
}

void gather_check(struct context *context, int repetition)
{
    if (context->rank == context->collective.root)
        allgather_check(context, repetition);
}

void alltoall_check(struct context *context, int repetition)
{
    for (int sender = 0; sender < context->ranks; sender++)
        pattern_check(block_of(in_of(context), context, sender), context->bytes, sender,
                      context->rank, context->rank, repetition);
}

/* Rank r contributes base(element) + r % CYCLE: sums differ for every number of ranks, and are so small that
   even 700,000 ranks add up exactly in a float, and that those of 2,800 do not overflow in 16 bits. */
enum { CYCLE = 8, BASES = LARGEST_ADDED - CYCLE + 1 };

static double base_of(size_t element, int repetition)
{
    return 1.0 + (double)((element * 7919u + (unsigned)repetition * 31u) % BASES);
}

static double part_of(int rank) { return (double)(rank % CYCLE); }

/* The sum of the parts of ranks 0 to n - 1. */
static double parts_of(int ranks)
{
    const double whole = (double)(ranks / CYCLE), rest = (double)(ranks % CYCLE);
    return whole * (CYCLE * (CYCLE - 1) / 2) + rest * (rest - 1.0) / 2.0;
}

static void fill_elements(const struct context *context, size_t elements, int repetition)
{
    for (size_t i = 0; i < elements; i++)
        context->element->store(out_of(context), i, base_of(i, repetition) + part_of(context->rank));
}

static size_t elements_of(const struct context *context)
{
    return context->bytes / context->element->bytes;
}

void elements_fill(struct context *context, int repetition)
{
    fill_elements(context, elements_of(context), repetition);
}

void element_blocks_fill(struct context *context, int repetition)
{
    fill_elements(context, elements_of(context) * (size_t)context->ranks, repetition);
}

static void check_value(const struct context *context, int ranks, int repetition, size_t i, double expected)
{
    const double found = context->element->load(in_of(context), i), apart = found - expected;
    const double allowed = element_tolerance(context->element, ranks, expected);
    if (!(apart <= allowed && apart >= -allowed))
        fail(EXIT_WENT_WRONG,
             "data check: reduced over %d rank%s, %zu bytes, repetition %d: on rank %d element %zu (%s) is "
             "%.17g and should be %.17g",
             ranks, ranks == 1 ? "" : "s", context->bytes, repetition, context->rank, i,
             context->element->name, found, expected);
}

/* `first`: of the elements of all, the number of the first one received; `ranks`: 0 to this one were
   added up. */
static void check_sums(const struct context *context, size_t first, int ranks, int repetition)
{
    for (size_t i = 0; i < elements_of(context); i++)
        check_value(context, ranks, repetition, i,
                    (double)ranks * base_of(first + i, repetition) + parts_of(ranks));
}

void allreduce_check(struct context *context, int repetition)
{
    check_sums(context, 0, context->ranks, repetition);
}

void reduce_check(struct context *context, int repetition)
{
    if (context->rank == context->collective.root)
        allreduce_check(context, repetition);
}

/* The first rank's result is undefined. */
void exscan_check(struct context *context, int repetition)
{
    if (context->rank > 0)
        check_sums(context, 0, context->rank, repetition);
}

/* A rank adds to what it has the same once more. */
void local_fill(struct context *context, int repetition)
{
    elements_fill(context, repetition);
    memcpy(in_of(context), out_of(context), context->bytes);
}

void local_check(struct context *context, int repetition)
{
    for (size_t i = 0; i < elements_of(context); i++)
        check_value(context, 1, repetition, i, 2.0 * (base_of(i, repetition) + part_of(context->rank)));
}

void scan_check(struct context *context, int repetition)
{
    check_sums(context, 0, context->rank + 1, repetition);
}

void reduce_scatter_check(struct context *context, int repetition)
{
    check_sums(context, elements_of(context) * (size_t)context->rank, context->ranks, repetition);
}
