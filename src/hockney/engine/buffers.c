#include "buffers.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "memory.h"
#include "operations/halo.h"
#include "threads.h"

static int blocks_here(const struct launch *launch, enum blocks blocks)
{
    const int may_be_root = launch->options->root || launch->context.rank == 0;
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

/* Messages with gaps begin where any element of them may lie. */
enum { ALIGNMENT = 16 };

/* Memory of one message of `bytes`: of all its blocks, and of the gaps of its layout. */
static double footprint(const struct launch *launch, size_t bytes, enum blocks blocks,
                        const struct layout *layout)
{
    if (blocks == BLOCKS_OF_NEIGHBORS)
        return halo_footprint(launch->context.halo->directions, bytes, launch->context.packing);
    if (layout == NULL)
        return (double)bytes * blocks_here(launch, blocks);
    const size_t span = layout_span(layout, bytes / layout->bytes);
    return (double)((span + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static double span_of(const struct launch *launch, int receives)
{
    const struct options *options = launch->options;
    const struct operation *operation = options->operation;
    const enum blocks blocks = receives ? operation->in_blocks : operation->out_blocks;
    const struct layout *layout = receives ? options->messages.in : options->messages.out;
    const size_t largest = largest_bytes(options);
    const double bytes = fmax(footprint(launch, largest, blocks, NULL),
                              footprint(launch, largest, blocks, layout));
    const double count = side_by_side(launch, largest_window(options), receives);
    const double walk = (double)launch->cold_bytes;
    /* Steps of a walk are whole pages. */
    return walk > 0.0 ? walk + count * (bytes + 4096.0) : count * bytes;
}

/* Whatever walks through a window, as what is sent or as what is received. */
static double exposed_bytes(const struct launch *launch)
{
    const double sent = span_of(launch, 0), received = span_of(launch, 1);
    return sent > received ? sent : received;
}

size_t exposure_span(const struct launch *launch) { return (size_t)exposed_bytes(launch); }
/* Data of one message with a layout, where somebody brings them together. */
static double packed_span(const struct launch *launch)
{
    return launch->options->messages.out != NULL ? (double)largest_bytes(launch->options) : 0.0;
}

/* Threads of a rank that have messages, at most: of a partitioned one there is one message. */
static int most_with_messages(const struct launch *launch)
{
    return launch->options->messages.partition_count > 0 ? 1 : launch->other_count + 1;
}

double buffers_needed(const struct launch *launch)
{
    const int one = is_one_buffer(launch, launch->options->operation);
    return most_with_messages(launch) * (span_of(launch, 0) + (one ? 0.0 : span_of(launch, 1)) +
                                         packed_span(launch)) +
           (launch->options->operation->in_window + launch->options->one_sided.window_kind_count) *
               exposed_bytes(launch);
}

struct area area_of(double bytes, int filled, int is_read)
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

static void check_memory(const struct launch *launch, double besides, MPI_Comm comm)
{
    const struct options *options = launch->options;
    /* The floor's shared memory is as large as a buffer. */
    double needed = buffers_needed(launch) + (options->floor ? span_of(launch, 0) : 0.0) + besides;
    double available = memory_available();
    memory_agree(&needed, &available, comm);
    if (needed > 0.25 * (double)SIZE_MAX || needed > available)
        fail(EXIT_ASKED_WRONGLY,
             "messages of %zu bytes need %.0f MiB on a node, which has %.0f MiB free",
             largest_bytes(options), needed / 1048576.0, available / 1048576.0);
}

static void check_sizes(const struct launch *launch)
{
    const struct options *options = launch->options;
    const size_t largest = largest_bytes(options), element = options->element->bytes;
    if (options->operation->reduces && largest / element > INT_MAX)
        fail(EXIT_ASKED_WRONGLY, "%s of %zu bytes: at most %d elements of %zu bytes",
             options->operation->name, largest, INT_MAX, element);
    if (options->operation->in_bytes && (double)largest * launch->context.ranks > (double)INT_MAX)
        fail(EXIT_ASKED_WRONGLY, "%s of %zu bytes: its displacements in bytes are at most %d",
             options->operation->name, largest, INT_MAX);
}

/* Small whole numbers, whose sums every type holds exactly. A local reduction adds to what it has again and
   again: nothing, so that it never overflows. */
static void fill_values(const struct options *options, const struct area *out)
{
    const struct element *element = options->element;
    for (size_t i = 0; i < out->span / element->bytes && !IS_SIMULATED; i++)
        element->store(out->base, i, options->operation->accumulates ? 0.0 : 1.0);
}

/* By the thread itself: memory lies where it was first touched. */
static void open_thread(struct launch *launch, int thread)
{
    const int is_read = launch->options->verify;
    struct area *out = threads_out(launch, thread), *in = threads_in(launch, thread);
    *out = area_of(span_of(launch, 0), 1, is_read);
    *in = is_one_buffer(launch, launch->options->operation) ? *out
                                                            : area_of(span_of(launch, 1), 2, is_read);
    if (launch->options->operation->reduces)
        fill_values(launch->options, out);
    if (packed_span(launch) > 0.0)
        threads_context(launch, thread)->packed = area_of(packed_span(launch), 3, 1).base;
}

static void open_other(void *launch, int thread)
{
    if (thread > 0)
        open_thread(launch, thread);
}

void buffers_open(struct launch *launch, double besides, MPI_Comm comm)
{
    check_memory(launch, besides, comm);
    check_sizes(launch);
    open_thread(launch, 0);
    if (launch->team == NULL || most_with_messages(launch) == 1)
        return;
    team_wake(launch->team, most_with_messages(launch));
    team_run(launch->team, open_other, launch);
    team_rest(launch->team);
}

void buffers_close(struct launch *launch)
{
    for (int i = 0; i < most_with_messages(launch); i++) {
        struct area *out = threads_out(launch, i), *in = threads_in(launch, i);
        if (in->base != out->base)
            free(in->base);
        free(out->base);
        free(threads_context(launch, i)->packed);
    }
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

static void set_type(struct message *message, const struct layout *layout, size_t bytes, int as_block)
{
    if (layout != NULL)
        message_set_layout(message, layout, bytes);
    else
        message_set_type(message, bytes, as_block);
}

static void set_messages(struct launch *launch, int thread, const struct operation *operation,
                         size_t bytes, int window)
{
    const struct method *method = launch->method;
    struct context *context = threads_context(launch, thread);
    const size_t out = (size_t)footprint(launch, bytes, operation->out_blocks, method->out);
    const size_t in = (size_t)footprint(launch, bytes, operation->in_blocks, method->in);
    set(&context->out, threads_out(launch, thread), out, stride_of(launch, out, window, 0));
    set(&context->in, threads_in(launch, thread), in, stride_of(launch, in, window, 1));
    /* Where messages lie side by side they wrap at the window's end. */
    if (context->buffers != BUFFERS_COLD) {
        context->out.at = context->in.at = 0;
        context->out.span = out * (size_t)window;
        context->in.span = in * (size_t)window;
    }
    /* Displacements are int: past that they count blocks. */
    const int as_block =
        operation->varies && (double)bytes * context->ranks > (double)INT_MAX;
    set_type(&context->out, method->out, bytes, as_block);
    set_type(&context->in, method->in, bytes, as_block);
    const size_t of_rank = as_block ? 1 : bytes;
    for (int i = 0; operation->varies && i < context->ranks; i++) {
        context->counts[i] =
            operation->reduces ? (int)(bytes / context->element->bytes) : context->out.count;
        context->displacements[i] = (int)((size_t)i * of_rank);
        context->types[i] = context->out.type;
    }
}

void buffers_set(struct launch *launch, const struct operation *operation, size_t bytes, int window)
{
    for (int i = 0; i < threads_here(launch); i++) {
        struct context *context = threads_context(launch, i);
        context->bytes = bytes;
        context->window = window;
        if (i < threads_with_messages(launch))
            set_messages(launch, i, operation, bytes, window);
    }
}

void buffers_release(struct launch *launch)
{
    for (int i = 0; i < threads_with_messages(launch); i++) {
        struct context *context = threads_context(launch, i);
        threads_out(launch, i)->at = context->out.at;
        threads_in(launch, i)->at = context->in.at;
        message_release(&context->out);
        message_release(&context->in);
    }
}
