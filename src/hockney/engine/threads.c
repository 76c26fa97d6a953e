#include "threads.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

/* Tags below are those of ranks with one thread, and of what the engine itself sends. */
enum { FIRST_THREAD_TAG = 16, TAGS_OF_THREAD = 2 };

int threads_here(const struct launch *launch)
{
    const struct method *method = launch->method;
    const int threads = launch->context.leads ? method->threads : method->receivers;
    return threads > 0 ? threads : 1;
}

struct context *threads_context(struct launch *launch, int thread)
{
    return thread == 0 ? &launch->context : &launch->threads.others[thread - 1].context;
}

struct context *threads_before(struct launch *launch, int thread)
{
    return thread == 0 ? &launch->before : &launch->threads.others[thread - 1].before;
}

struct areas *threads_areas(struct launch *launch, int thread)
{
    const enum memory memory = launch_memory(launch, launch->method);
    return thread == 0 ? &launch->areas[memory] : &launch->threads.others[thread - 1].areas[memory];
}

int threads_with_messages(const struct launch *launch)
{
    return launch->method->partitions.count > 0 ? 1 : threads_here(launch);
}

/* A communicator for each thread, or that of the launch for all. */
static void open_communicators(struct launch *launch, int most)
{
    const MPI_Comm comm = launch->context.comm;
    MPI_Comm *comms = launch->threads.comms = allocate((size_t)most * sizeof *comms);
    for (int i = 0; i < most; i++) {
        comms[i] = comm;
        if (strcmp(launch->options->messages.thread_comms, "shared") == 0)
            continue;
        check(MPI_Comm_dup(comm, &comms[i]), "MPI_Comm_dup");
        return_errors(comms[i]);
    }
}

static void open_context(struct launch *launch, int thread)
{
    struct context *context = threads_context(launch, thread);
    const int window = largest_window(launch->options);
    *context = launch->context;
    context->thread.number = thread;
    context->requests = allocate(2 * (size_t)window * sizeof *context->requests);
    context->statuses = allocate(2 * (size_t)window * sizeof *context->statuses);
}

void threads_open(struct launch *launch, const struct place *here)
{
    const int most = methods_most_threads(launch->options);
    launch->context.thread.first = &launch->context;
    if (most == 0)
        return;
    open_communicators(launch, most);
    struct threads *threads = &launch->threads;
    threads->team = launch->context.thread.team = team_open(most, here->thread_pus, here->crowded);
    threads->others = allocate((size_t)most * sizeof *threads->others);
    threads->other_count = most - 1;
    for (int i = 1; i < most; i++)
        open_context(launch, i);
}

void threads_close(struct launch *launch)
{
    struct threads *threads = &launch->threads;
    if (threads->team == NULL)
        return;
    team_close(threads->team);
    for (int i = 0; i <= threads->other_count; i++)
        if (threads->comms[i] != launch->comm)
            check(MPI_Comm_free(&threads->comms[i]), "MPI_Comm_free");
    for (int i = 0; i < threads->other_count; i++) {
        free(threads->others[i].context.requests);
        free(threads->others[i].context.statuses);
    }
    free(threads->others);
    free(threads->comms);
}

void threads_prepare(struct launch *launch)
{
    const struct method *method = launch->method;
    struct context *first = &launch->context;
    first->partitions = method->partitions;
    first->staging = (struct staging){
        .host = launch_memory(launch, method) == MEMORY_DEVICE ? launch->stage.base : NULL,
        .block = method->staging > 0 ? (size_t)method->staging : 0,
    };
    first->source = launch->options->any_source ? MPI_ANY_SOURCE : first->peer;
    if (launch->threads.team == NULL)
        return;
    /* Where there are more on one side, any thread takes any message. */
    const int apart = method->threads == method->receivers && method->partitions.count == 0;
    first->tag = method->threads > 0 ? FIRST_THREAD_TAG : 0;
    first->comm = launch->threads.comms[0];
    for (int i = 1; i < threads_here(launch); i++) {
        struct context *context = threads_context(launch, i);
        const struct context own = *context;
        *context = *first;
        context->requests = own.requests;
        context->statuses = own.statuses;
        context->packed = own.packed;
        context->thread.number = i;
        context->tag += apart ? TAGS_OF_THREAD * i : 0;
        context->comm = launch->threads.comms[i];
    }
    team_wake(launch->threads.team, threads_here(launch));
}

/* What the engine sends goes over the communicator of the launch. */
void threads_finish(struct launch *launch)
{
    launch->context.comm = launch->comm;
    if (launch->threads.team != NULL)
        team_rest(launch->threads.team);
}

/* One batch of all threads. */
struct batch {
    struct launch *launch;
    const struct operation *operation;
    int64_t repetitions;
};

/* Where this side has another number of threads than the leading one, each takes its part of the messages. */
int64_t threads_repetitions(const struct launch *launch, int64_t repetitions, int thread)
{
    const struct method *method = launch->method;
    if (launch->context.leads || method->threads == method->receivers)
        return repetitions;
    const int64_t all = repetitions * method->threads;
    return all / method->receivers + (thread < all % method->receivers);
}

static void repeat(void *argument, int thread)
{
    const struct batch *batch = argument;
    struct launch *launch = batch->launch;
    const int64_t repetitions = threads_repetitions(launch, batch->repetitions, thread);
    const int code = batch->operation->repeat(threads_context(launch, thread), repetitions);
    check(code, batch->operation->name);
}

int threads_repeat(struct launch *launch, const struct operation *operation, int64_t repetitions)
{
    if (launch->threads.team == NULL)
        return operation->repeat(&launch->context, repetitions);
    struct batch batch = {launch, operation, repetitions};
    team_run(launch->threads.team, repeat, &batch);
    return MPI_SUCCESS;
}
