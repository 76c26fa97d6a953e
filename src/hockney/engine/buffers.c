#include "buffers.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "areas.h"
#include "check.h"
#include "devices.h"
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
        return halo_footprint(launch->context.halo->directions, bytes, launch->context.halo->packing);
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
    return launch->options->messages.partition_count > 0 ? 1 : launch->threads.other_count + 1;
}

double buffers_needed(const struct launch *launch)
{
    const int one = is_one_buffer(launch, launch->options->operation);
    return most_with_messages(launch) * (span_of(launch, 0) + (one ? 0.0 : span_of(launch, 1)) +
                                         packed_span(launch)) +
           (launch->options->operation->in_window + launch->options->one_sided.window_kind_count) *
               exposed_bytes(launch);
}

int buffers_lie_in(const struct launch *launch, enum memory memory)
{
    const struct options *options = launch->options;
    for (int i = 0; i < options->method_count; i++)
        for (int side = 0; side < 2; side++)
            if (options->methods[i].memories.of[side] == memory &&
                (!is_of_two(options) || side == !launch->context.leads))
                return 1;
    return 0;
}

/* Cold messages walk through so many allocations of a device, as far as an eighth of what is free has room. */
static const double MOST_ALLOCATIONS = 64.0;

static int walks_through_allocations(const struct launch *launch)
{
    return launch->context.buffers == BUFFERS_COLD && !launch->options->operation->one_sided;
}

/* Messages that are under way at once have an allocation each. */
static double least_allocations(const struct options *options)
{
    return fmax((double)largest_window(options), 2.0);
}

static int allocations_of(const struct options *options)
{
    const double room = devices_available() / 8.0 / fmax((double)largest_bytes(options), 1.0);
    return (int)fmax(fmin(room, MOST_ALLOCATIONS), least_allocations(options));
}

/* What messages on a device need, in so many allocations if they walk through these. */
static double needed_in(const struct launch *launch, double allocations)
{
    const double bytes = (double)largest_bytes(launch->options);
    return walks_through_allocations(launch) ? most_with_messages(launch) * 2.0 * allocations * bytes
                                             : buffers_needed(launch);
}

/* The memory of a device is apart from that of the host, which then has mirrors and what is staged. */
static void check_memory(const struct launch *launch, double besides, MPI_Comm comm)
{
    const struct options *options = launch->options;
    const double each = buffers_needed(launch);
    double on_host = 0.0;
    for (enum memory memory = MEMORY_HOST; memory < MEMORY_DEVICE; memory++)
        on_host += buffers_lie_in(launch, memory);
    const int on_device = buffers_lie_in(launch, MEMORY_DEVICE);
    /* All allocations have a mirror; what is staged goes through one buffer. */
    on_host += on_device && options->staged != NULL && !options->verify;
    const double mirrored = on_device && options->verify ? needed_in(launch, allocations_of(options)) : 0.0;
    /* The floor's shared memory is as large as a buffer. */
    double needed = on_host * each + mirrored + (options->floor ? span_of(launch, 0) : 0.0) + besides;
    double available = memory_available();
    memory_agree(&needed, &available, comm);
    if (needed > 0.25 * (double)SIZE_MAX || needed > available)
        fail(EXIT_ASKED_WRONGLY,
             "messages of %zu bytes need %.0f MiB on a node, which has %.0f MiB free",
             largest_bytes(options), needed / 1048576.0, available / 1048576.0);
    const double on_this = on_device ? needed_in(launch, least_allocations(options)) : 0.0;
    if (on_device && on_this > devices_available())
        fail(EXIT_ASKED_WRONGLY, "messages of %zu bytes need %.0f MiB on %s, which has %.0f MiB free",
             largest_bytes(options), on_this / 1048576.0, devices_name(), devices_available() / 1048576.0);
}

static void check_sizes(const struct launch *launch)
{
    const struct options *options = launch->options;
    const size_t largest = largest_bytes(options), element = options->element->bytes;
    const double added = options->verify ? (double)LARGEST_ADDED : 1.0;
    element_check(options->element, options->operation->reduces ? added * launch->context.ranks : 0.0);
    if (options->operation->reduces && largest / element > INT_MAX)
        fail(EXIT_ASKED_WRONGLY, "%s of %zu bytes: at most %d elements of %zu bytes",
             options->operation->name, largest, INT_MAX, element);
    if (options->operation->in_bytes && (double)largest * launch->context.ranks > (double)INT_MAX)
        fail(EXIT_ASKED_WRONGLY, "%s of %zu bytes: its displacements in bytes are at most %d",
             options->operation->name, largest, INT_MAX);
}

/* Small whole numbers, whose sums every type holds exactly. A local reduction adds to what it has again and
   again: nothing, so that it never overflows. */
static void fill_values(const struct options *options, struct area *out)
{
    const struct element *element = options->element;
    struct area filled = *out;
    filled.mirror = NULL;
    area_mirror(&filled);
    char *values = filled.mirror != NULL ? filled.mirror : filled.base;
    for (size_t i = 0; i < out->span / element->bytes && !IS_SIMULATED; i++)
        element->store(values, i, options->operation->accumulates ? 0.0 : 1.0);
    area_put(&filled, out->span);
    free(filled.mirror);
}

/* Memory that messages are sent from, or received into. */
static struct area open_area(const struct launch *launch, enum memory memory, int receives)
{
    const struct options *options = launch->options;
    const int filled = receives ? 2 : 1;
    struct area area = memory == MEMORY_DEVICE && walks_through_allocations(launch)
                           ? area_of_many((double)largest_bytes(options), filled, allocations_of(options))
                           : area_of(memory, span_of(launch, receives), filled, options->verify);
    if (options->verify)
        area_mirror(&area);
    return area;
}

/* By the thread itself: memory lies where it was first touched. */
static void open_thread(struct launch *launch, int thread)
{
    const struct options *options = launch->options;
    const enum memory memory = launch_memory(launch, launch->method);
    struct areas *areas = threads_areas(launch, thread);
    areas->out = open_area(launch, memory, 0);
    areas->in = is_one_buffer(launch, options->operation) ? areas->out : open_area(launch, memory, 1);
    if (options->operation->reduces)
        fill_values(options, &areas->out);
}

/* Room for data of one message with a layout, whatever memory it lies in. */
static void open_packed(struct launch *launch, int thread)
{
    struct context *context = threads_context(launch, thread);
    if (packed_span(launch) > 0.0 && context->packed == NULL)
        context->packed = area_of(MEMORY_HOST, packed_span(launch), 3, 1).base;
}

static void open_other(void *launch, int thread)
{
    if (thread > 0) {
        devices_join();
        open_thread(launch, thread);
        open_packed(launch, thread);
    }
}

void buffers_open(struct launch *launch, double besides, MPI_Comm comm)
{
    const struct method *before = launch->method;
    struct method in_memory = method_plain;
    check_memory(launch, besides, comm);
    check_sizes(launch);
    launch->method = &in_memory;
    open_packed(launch, 0);
    for (enum memory memory = MEMORY_HOST; memory < MEMORIES; memory++) {
        if (!buffers_lie_in(launch, memory))
            continue;
        in_memory.memories = (struct memories){{memory, memory}};
        open_thread(launch, 0);
        if (launch->threads.team == NULL || most_with_messages(launch) == 1)
            continue;
        team_wake(launch->threads.team, most_with_messages(launch));
        team_run(launch->threads.team, open_other, launch);
        team_rest(launch->threads.team);
    }
    launch->method = before;
    if (launch->options->staged != NULL)
        launch->stage = area_of(MEMORY_PINNED, (double)largest_bytes(launch->options), 1, 1);
}

static void close_areas(struct areas *areas)
{
    if (areas->out.base == NULL)
        return;
    if (areas->in.base != areas->out.base)
        area_release(&areas->in);
    area_release(&areas->out);
}

void buffers_close(struct launch *launch)
{
    for (int i = 0; i < most_with_messages(launch); i++) {
        for (int memory = 0; memory < MEMORIES; memory++)
            close_areas(i == 0 ? &launch->areas[memory] : &launch->threads.others[i - 1].areas[memory]);
        free(threads_context(launch, i)->packed);
    }
    if (launch->stage.base != NULL)
        area_release(&launch->stage);
}

static void set(struct message *message, const struct area *area, size_t bytes, size_t stride)
{
    *message = (struct message){
        .base = area->base,
        .at = area->places != NULL                           ? (size_t)area->places[area->place]
              : stride > 0 && area->at + bytes <= area->span ? area->at
                                                             : 0,
        .stride = stride,
        .span = area->span,
        .places = stride > 0 ? area->places : NULL,
        .place_count = area->place_count,
        .place = area->place,
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
    const struct areas *areas = threads_areas(launch, thread);
    set(&context->out, &areas->out, out, stride_of(launch, out, window, 0));
    set(&context->in, &areas->in, in, stride_of(launch, in, window, 1));
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
        context->collective.counts[i] =
            operation->reduces ? (int)(bytes / context->element->bytes) : context->out.count;
        context->collective.displacements[i] = (int)((size_t)i * of_rank);
        context->collective.types[i] = context->out.type;
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

static void keep_walk(struct area *area, const struct message *message)
{
    area->at = message->at;
    area->place = message->place;
}

void buffers_release(struct launch *launch)
{
    for (int i = 0; i < threads_with_messages(launch); i++) {
        struct context *context = threads_context(launch, i);
        struct areas *areas = threads_areas(launch, i);
        keep_walk(&areas->out, &context->out);
        keep_walk(&areas->in, &context->in);
        message_release(&context->out);
        message_release(&context->in);
    }
}
