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
    if (context->rank == context->root)
        pattern_fill(out_of(context), context->bytes, context->root, 0, repetition);
    else
        memset(out_of(context), NOTHING, context->bytes);
}

void bcast_check(struct context *context, int repetition)
{
    pattern_check(out_of(context), context->bytes, context->root, 0, context->rank, repetition);
}

void all_blocks_fill(struct context *context, int repetition)
{
    for (int block = 0; block < context->ranks; block++)
        pattern_fill(block_of(out_of(context), context, block), context->bytes, context->rank,
                     block, repetition);
}

void root_blocks_fill(struct context *context, int repetition)
{
    if (context->rank == context->root)
        all_blocks_fill(context, repetition);
}

void one_block_fill(struct context *context, int repetition)
{
    pattern_fill(out_of(context), context->bytes, context->rank, 0, repetition);
}

void scatter_check(struct context *context, int repetition)
{
    pattern_check(in_of(context), context->bytes, context->root, context->rank, context->rank,
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
    if (context->rank == context->root)
        allgather_check(context, repetition);
}

void alltoall_check(struct context *context, int repetition)
{
    for (int sender = 0; sender < context->ranks; sender++)
        pattern_check(block_of(in_of(context), context, sender), context->bytes, sender,
                      context->rank, context->rank, repetition);
}

/* Rank r contributes base(element) + r, so that the sum over ranks 0 to n-1 is
   n base + n (n - 1) / 2, and differs for every number of ranks. */
static int32_t base_of(size_t element, int repetition)
{
    return (int32_t)((element * 7919u + (unsigned)repetition * 31u) % 1000u);
}

static void fill_elements(const struct context *context, size_t elements, int repetition)
{
    int32_t *out = (int32_t *)(void *)out_of(context);
    for (size_t i = 0; i < elements; i++)
        out[i] = base_of(i, repetition) + context->rank;
}

void elements_fill(struct context *context, int repetition)
{
    fill_elements(context, context->bytes / sizeof(int32_t), repetition);
}

void element_blocks_fill(struct context *context, int repetition)
{
    const size_t elements = context->bytes / sizeof(int32_t);
    fill_elements(context, elements * (size_t)context->ranks, repetition);
}

static noreturn void wrong_sum(const struct context *context, int ranks, int repetition, size_t i,
                               int32_t found, int32_t expected)
{
    fail(EXIT_WENT_WRONG,
         "data check: reduced over %d rank%s, %zu bytes, repetition %d: on rank %d element %zu is %ld "
         "and should be %ld",
         ranks, ranks == 1 ? "" : "s", context->bytes, repetition, context->rank, i, (long)found,
         (long)expected);
}

/* `first`: of the elements of all, the number of the first one received; `ranks`: 0 to this one were
   added up. */
static void check_sums(const struct context *context, size_t first, int ranks, int repetition)
{
    const int32_t *in = (const int32_t *)(const void *)in_of(context);
    const uint32_t of_ranks = (uint32_t)((int64_t)ranks * (ranks - 1) / 2);
    for (size_t i = 0; i < context->bytes / sizeof(int32_t); i++) {
        const uint32_t expected =
            (uint32_t)ranks * (uint32_t)base_of(first + i, repetition) + of_ranks;
        if ((uint32_t)in[i] != expected)
            wrong_sum(context, ranks, repetition, i, in[i], (int32_t)expected);
    }
}

void allreduce_check(struct context *context, int repetition)
{
    check_sums(context, 0, context->ranks, repetition);
}

void reduce_check(struct context *context, int repetition)
{
    if (context->rank == context->root)
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
    const int32_t *in = (const int32_t *)(const void *)in_of(context);
    for (size_t i = 0; i < context->bytes / sizeof(int32_t); i++) {
        const int32_t expected = 2 * (base_of(i, repetition) + context->rank);
        if (in[i] != expected)
            wrong_sum(context, 1, repetition, i, in[i], expected);
    }
}

void scan_check(struct context *context, int repetition)
{
    check_sums(context, 0, context->rank + 1, repetition);
}

void reduce_scatter_check(struct context *context, int repetition)
{
    const size_t elements = context->bytes / sizeof(int32_t);
    check_sums(context, elements * (size_t)context->rank, context->ranks, repetition);
}
