#include "method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memories.h"
#include "options.h"
#include "simulated.h"

enum { DATATYPE_BYTES = 4096 };

const struct method method_plain = {.staging = -1};

static void add(struct options *options, struct method method)
{
    options->methods = grown(options->methods, (size_t)options->method_count, sizeof method);
    options->methods[options->method_count++] = method;
}

/* Contiguous messages, and the same data in the layouts by each packing. */
static void add_layouts(struct options *options, struct method method)
{
    const struct operation *operation = options->operation;
    method.datatype = options->messages.out != NULL ? "contiguous" : NULL;
    add(options, method);
    method.out = options->messages.out;
    method.in = options->messages.in;
    method.datatype = options->messages.datatype_name;
    for (int i = 0; options->messages.out != NULL && options->messages.packings[i] != NULL; i++) {
        method.packing = options->messages.packings[i];
        method.operation = strcmp(method.packing, "datatype") == 0
                               ? operation
                               : operation_packed(operation, method.packing);
        if (method.operation == NULL)
            fail(EXIT_ASKED_WRONGLY, "%s takes no --packing %s: only the standard pingpong does",
                 operation->name, method.packing);
        add(options, method);
    }
}

/* What two ranks do two-sided in the same direction, with which one-sided operations are compared. */
static const struct operation *two_sided(enum direction direction)
{
    static const char *const names[] = {"pingpong", "stream", "bidirectional"};
    return operation_named(names[direction], "standard");
}

/* A one-sided operation by each window kind and synchronisation, and what it is compared with. */
static void add_ways(struct options *options, struct method method)
{
    const struct operation *asked = options->operation;
    for (int i = 0; i < options->one_sided.window_kind_count * options->one_sided.synchronization_count; i++) {
        struct way *way = allocate(sizeof *way);
        struct operation *made = allocate(sizeof *made);
        const int of_kind = options->one_sided.synchronization_count;
        *way = (struct way){
            .synchronization = (enum synchronization)options->one_sided.synchronizations[i % of_kind],
            .kind = (enum window_kind)options->one_sided.window_kinds[i / of_kind],
            .direction = options->one_sided.direction,
            .element = asked->elements == ANY_BYTES ? NULL : options->element,
            .reduction = options->one_sided.reduction,
        };
        *made = *asked;
        made->way = way;
        made->messages = is_of_origin(way) || way->direction == ONE_WAY ? 1.0 : 2.0;
        method.operation = made;
        add(options, method);
    }
    method.operation = two_sided(options->one_sided.direction);
    add(options, method);
}

/* Messages in partitions, and beside them whole ones that wait for all of their parts. */
static void add_partitions(struct options *options, struct method method)
{
    for (int i = 0; i < options->messages.partition_count; i++) {
        method.partitions.count = method.threads = method.receivers = options->messages.partitions[i];
        method.operation = options->operation;
        add(options, method);
        method.operation = operation_whole();
        add(options, method);
    }
}

static void check_layouts(const struct options *options)
{
    const struct message_options *messages = &options->messages;
    if (messages->out == NULL)
        return;
    for (int i = 0; i < options->size_count; i++) {
        const size_t bytes = options->sizes[i].bytes;
        if (bytes % messages->out->bytes != 0 || bytes % messages->in->bytes != 0)
            fail(EXIT_ASKED_WRONGLY, "--sizes %zu: not a multiple of a datatype's %zu bytes", bytes,
                 bytes % messages->out->bytes != 0 ? messages->out->bytes : messages->in->bytes);
        if (bytes / messages->out->bytes > INT32_MAX || bytes / messages->in->bytes > INT32_MAX)
            fail(EXIT_ASKED_WRONGLY, "--sizes %zu: more than %d elements of a datatype", bytes,
                 INT32_MAX);
        for (int j = 0; messages->packings[j] != NULL; j++)
            if (strcmp(messages->packings[j], "pack") == 0 && bytes > INT32_MAX)
                fail(EXIT_ASKED_WRONGLY, "--packing pack: MPI_Pack takes at most %d bytes",
                     INT32_MAX);
    }
}

static void check_partitions(const struct options *options)
{
    for (int i = 0; i < options->messages.partition_count; i++)
        for (int j = 0; j < options->size_count; j++)
            if (options->sizes[j].bytes == 0 ||
                options->sizes[j].bytes % (size_t)options->messages.partitions[i] != 0)
                fail(EXIT_ASKED_WRONGLY, "--partitions %d: %zu bytes do not make as many equal parts",
                     options->messages.partitions[i], options->sizes[j].bytes);
}

static void check_threads(const struct options *options)
{
    const struct operation *operation = options->operation;
    if (operation->between_all && options->messages.thread_count > 0 &&
        (operation->in_window || options->overlap || options->groups > 1 ||
         options->collective.arrivals.count > 0))
        fail(EXIT_ASKED_WRONGLY, "%s: --threads takes no --overlap, --groups, --arrival or --form by put or "
                                 "get", operation->name);
    if (operation->between_all && options->messages.thread_count > 0 &&
        strcmp(options->messages.thread_comms, "shared") == 0)
        fail(EXIT_ASKED_WRONGLY, "--thread-comms shared: on one communicator only one collective may be made "
                                 "at a time; use own or vci");
    for (int i = 0; i < options->messages.thread_count; i++) {
        const int threads = options->messages.threads[i].threads, receivers = options->messages.threads[i].receivers;
        if (threads == receivers)
            continue;
        if (!is_pingpong(operation))
            fail(EXIT_ASKED_WRONGLY, "--threads %d:%d: only pingpong has more threads on one side",
                 threads, receivers);
        if (strcmp(options->messages.thread_comms, "shared") != 0)
            fail(EXIT_ASKED_WRONGLY, "--threads %d:%d: only threads that share a communicator can be "
                                     "more on one side", threads, receivers);
        if (options->verify && threads > receivers)
            fail(EXIT_ASKED_WRONGLY, "--threads %d:%d: --verify needs a receiver for each sender",
                 threads, receivers);
    }
}

/* Parts of the question that exclude each other. */
static void check_together(const struct options *options)
{
    if (options->operation->one_sided &&
        (options->messages.thread_count > 0 || options->messages.out != NULL || options->any_source))
        fail(EXIT_ASKED_WRONGLY, "%s takes no --threads, --datatype or --any-source",
             options->operation->name);
    const int partitioned = is_partitioned(options->operation);
    if (partitioned != (options->messages.partition_count > 0))
        fail(EXIT_ASKED_WRONGLY, "--mode partitioned and --partitions need each other");
    if (partitioned && (options->messages.thread_count > 0 || options->messages.out != NULL))
        fail(EXIT_ASKED_WRONGLY, "--partitions has a thread for each partition: leave out %s",
             options->messages.out != NULL ? "--datatype" : "--threads");
    if (!partitioned && options->stagger_ns > 0.0)
        fail(EXIT_ASKED_WRONGLY, "--stagger needs --mode partitioned");
    if (options->any_source && partitioned)
        fail(EXIT_ASKED_WRONGLY, "--any-source: a partitioned receive names its source");
    if (IS_SIMULATED && methods_most_threads(options) > 0)
        fail(EXIT_ASKED_WRONGLY, "SimGrid simulates ranks with one thread");
    if ((options->sweep || options->table) && options->method_count > 1)
        fail(EXIT_ASKED_WRONGLY, "--%s measures one method at a time",
             options->sweep ? "sweep" : "table");
}

/* What records call the layouts: one name where both are the same. */
static void name_datatypes(struct message_options *messages)
{
    if (messages->in == NULL)
        messages->in = messages->out;
    if (messages->in != messages->out && messages->out == NULL)
        fail(EXIT_ASKED_WRONGLY, "--receive-datatype needs --datatype");
    if (messages->out == NULL)
        return;
    messages->datatype_name = allocate(DATATYPE_BYTES);
    const int length = messages->in == messages->out
                           ? snprintf(messages->datatype_name, DATATYPE_BYTES, "%s", messages->out->text)
                           : snprintf(messages->datatype_name, DATATYPE_BYTES, "%s>%s",
                                      messages->out->text, messages->in->text);
    if (length >= DATATYPE_BYTES)
        fail(EXIT_ASKED_WRONGLY, "--datatype: more than %d characters", DATATYPE_BYTES - 1);
}

void methods_make(struct options *options)
{
    struct method method = method_plain;
    method.operation = options->operation;
    method.thread_comms = options->messages.thread_comms;
    method.partitions.stagger_ns = options->stagger_ns;
    memories_read(options);
    name_datatypes(&options->messages);
    check_layouts(options);
    check_partitions(options);
    check_threads(options);
    for (int i = 0; i < options->messages.thread_count; i++) {
        method.threads = options->messages.threads[i].threads;
        method.receivers = options->messages.threads[i].receivers;
        add_layouts(options, method);
    }
    if (options->operation->one_sided)
        add_ways(options, method);
    else if (options->messages.partition_count > 0)
        add_partitions(options, method);
    else if (options->messages.thread_count == 0)
        add_layouts(options, method);
    memories_multiply(options, add);
    check_together(options);
}

void methods_commit(const struct options *options)
{
    if (options->messages.out != NULL)
        layout_commit(options->messages.out);
    if (options->messages.in != options->messages.out)
        layout_commit(options->messages.in);
}

void methods_free(struct options *options)
{
    if (options->messages.in != NULL && options->messages.in != options->messages.out)
        layout_free(options->messages.in);
    if (options->messages.out != NULL)
        layout_free(options->messages.out);
    free(options->messages.datatype_name);
    free(options->methods);
    free(options->memories.plain);
    free(options->memories.list);
}

int methods_most_threads(const struct options *options)
{
    int most = 0;
    for (int i = 0; i < options->method_count; i++) {
        const struct method *method = &options->methods[i];
        most = method->threads > most ? method->threads : most;
        most = method->receivers > most ? method->receivers : most;
    }
    return most;
}
