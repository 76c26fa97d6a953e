#include "buffers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

/* Free memory of the node in bytes as the kernel counts it, or 0 where it does not. */
static unsigned long long available_memory(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib * 1024;
}

static size_t largest_size(const struct options *options)
{
    size_t largest = 0;
    for (int i = 0; i < options->size_count; i++)
        largest = options->sizes[i].bytes > largest ? options->sizes[i].bytes : largest;
    return largest;
}

static int blocks_here(const struct launch *launch, enum blocks blocks)
{
    const int may_be_root = launch->options->rotate || launch->context.rank == 0;
    return blocks == BLOCKS_ON_ALL || (blocks == BLOCKS_ON_ROOT && may_be_root)
               ? launch->context.ranks
               : 1;
}

/* Received and sent buffers are one: nothing is received while something is sent. */
static int is_one_buffer(const struct launch *launch, const struct operation *operation)
{
    return operation->in_place ||
           (launch->context.buffers == BUFFERS_RETURNED && !operation->at_once);
}

/* How many messages of a visit lie side by side. */
static int side_by_side(const struct launch *launch, int window, int receives)
{
    return receives || launch->context.buffers != BUFFERS_SEPARATE ? window : 1;
}

/* Memory of one message of `bytes`: of all its blocks. */
static double footprint(const struct launch *launch, size_t bytes, enum blocks blocks)
{
    return (double)bytes * blocks_here(launch, blocks);
}

static double span_of(const struct launch *launch, int receives)
{
    const struct options *options = launch->options;
    const struct operation *operation = options->operation;
    const double bytes = footprint(launch, largest_size(options),
                                   receives ? operation->in_blocks : operation->out_blocks);
    const double count = side_by_side(launch, largest_window(options), receives);
    const double walk = (double)launch->cold_bytes;
    /* Steps of a walk are whole pages. */
    return walk > 0.0 ? walk + count * (bytes + 4096.0) : count * bytes;
}

double buffers_needed(const struct launch *launch)
{
    const int one = is_one_buffer(launch, launch->options->operation);
    return span_of(launch, 0) + (one ? 0.0 : span_of(launch, 1));
}

/* Every byte of it `filled`. The buffers of simulated ranks, all in this machine's memory, lie upon
   each other where nobody reads them. */
static struct area area_of(double bytes, int filled, int is_read)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t span = (size_t)bytes;
#ifdef SMPI_H
    enum { LEAST_SHARED = 1 << 15 };
    if (!is_read && span >= LEAST_SHARED)
        return (struct area){.base = SMPI_SHARED_MALLOC(span), .span = span};
#endif
    (void)is_read;
    const size_t rounded = (span / page + 1) * page;
    char *base = aligned_alloc(page, rounded);
    if (base == NULL)
        fail(EXIT_WENT_WRONG, "no memory for a buffer of %zu bytes", rounded);
    return (struct area){.base = memset(base, filled, rounded), .span = span};
}

static void check_sizes(const struct launch *launch, int on_node)
{
    const struct options *options = launch->options;
    const size_t largest = largest_size(options);
    const unsigned long long available = available_memory();
    /* The floor's shared memory is as large as a buffer. */
    const double needed =
        on_node * (buffers_needed(launch) + (options->floor ? span_of(launch, 0) : 0.0));
    if (needed > 0.25 * (double)SIZE_MAX || (available > 0 && needed > (double)available))
        fail(EXIT_ASKED_WRONGLY,
             "messages of %zu bytes need %.0f MiB on a node, which has %llu MiB free", largest,
             needed / 1048576.0, available >> 20);
    if (options->operation->reduces && largest / sizeof(int32_t) > INT_MAX)
        fail(EXIT_ASKED_WRONGLY, "%s of %zu bytes: at most %d elements of 4 bytes",
             options->operation->name, largest, INT_MAX);
}

void buffers_open(struct launch *launch, int on_node)
{
    const int is_read = launch->options->verify;
    check_sizes(launch, on_node);
    launch->out = area_of(span_of(launch, 0), 1, is_read);
    launch->in = is_one_buffer(launch, launch->options->operation)
                     ? launch->out
                     : area_of(span_of(launch, 1), 2, is_read);
}

void buffers_close(struct launch *launch)
{
    if (launch->in.base != launch->out.base)
        free(launch->in.base);
    free(launch->out.base);
}

static void set(struct message *message, const struct area *area, size_t bytes, size_t stride)
{
    *message = (struct message){
        .base = area->base,
        .at = stride > 0 && area->at + bytes <= area->span ? area->at : 0,
        .stride = stride,
        .span = area->span,
        .bytes = bytes,
    };
}

static size_t stride_of(const struct launch *launch, size_t bytes, int window, int receives)
{
    if (launch->context.buffers == BUFFERS_COLD)
        return message_cold_stride(bytes);
    return side_by_side(launch, window, receives) > 1 ? bytes : 0;
}

void buffers_set(struct launch *launch, const struct operation *operation, size_t bytes, int window)
{
    struct context *context = &launch->context;
    const size_t out = (size_t)footprint(launch, bytes, operation->out_blocks);
    const size_t in = (size_t)footprint(launch, bytes, operation->in_blocks);
    set(&context->out, &launch->out, out, stride_of(launch, out, window, 0));
    set(&context->in, &launch->in, in, stride_of(launch, in, window, 1));
    /* Where messages lie side by side they wrap at the window's end. */
    if (context->buffers != BUFFERS_COLD) {
        context->out.at = context->in.at = 0;
        context->out.span = out * (size_t)window;
        context->in.span = in * (size_t)window;
    }
    /* Displacements are int: past that they count blocks. */
    const int as_block =
        operation->varies && (double)bytes * context->ranks > (double)INT_MAX;
    message_set_type(&context->out, bytes, as_block);
    message_set_type(&context->in, bytes, as_block);
    context->bytes = bytes;
    context->window = window;
    for (int i = 0; operation->varies && i < context->ranks; i++) {
        context->counts[i] = context->out.count;
        context->displacements[i] = (int)((size_t)i * (as_block ? 1 : bytes));
    }
}

void buffers_release(struct launch *launch)
{
    launch->out.at = launch->context.out.at;
    launch->in.at = launch->context.in.at;
    message_release(&launch->context.out);
    message_release(&launch->context.in);
}
