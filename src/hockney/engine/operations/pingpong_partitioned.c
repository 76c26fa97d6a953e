/* Ping-pong of messages whose partitions become ready one after the other, each by a thread of its own:
   partitioned (MPI 4), where a partition may be sent as soon as it is ready, or whole, where the message
   waits for the last one. A sample is half the round trip, the waits for readiness included: what
   partitions gain shows in the same time. */
#include "../check.h"
#include "../clock.h"
#include "../operations.h"
#include "../pattern.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)

enum { SEND, RECEIVE }; /* the requests, of thread 0 */

/* All threads begin to work on the message at once; that of partition i needs i times the stagger. */
static void work(const struct context *context)
{
    const int64_t ns = (int64_t)(context->partitions.stagger_ns * context->thread.number);
    team_meet(context->thread.team);
    if (ns > 0)
        clock_compute(ns);
}

/* Only here does a failure end the launch inside the loop: the other threads would wait for ever. */
static void send_partitions(struct context *context)
{
    MPI_Request *request = &context->thread.first->requests[SEND];
    if (context->thread.number == 0)
        check(MPI_Start(request), "MPI_Start");
    work(context);
    check(MPI_Pready(context->thread.number, *request), "MPI_Pready");
    team_meet(context->thread.team);
    if (context->thread.number == 0)
        check(MPI_Wait(request, MPI_STATUS_IGNORE), "MPI_Wait");
}

static void send_whole(struct context *context)
{
    MPI_Request *request = &context->thread.first->requests[SEND];
    work(context);
    team_meet(context->thread.team);
    if (context->thread.number == 0) {
        check(MPI_Start(request), "MPI_Start");
        check(MPI_Wait(request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
}

/* The receive is begun before the rank sends, as a program does that knows what will come. */
static int repeat(struct context *context, int64_t repetitions, void (*send)(struct context *context))
{
    MPI_Request *receive = &context->thread.first->requests[RECEIVE];
    for (int64_t i = 0; i < repetitions; i++) {
        if (context->thread.number == 0)
            check(MPI_Start(receive), "MPI_Start");
        if (context->leads)
            send(context);
        if (context->thread.number == 0)
            check(MPI_Wait(receive, MPI_STATUS_IGNORE), "MPI_Wait");
        if (!context->leads)
            send(context);
    }
    return MPI_SUCCESS;
}

static int repeat_partitioned(struct context *context, int64_t repetitions)
{
    return repeat(context, repetitions, send_partitions);
}

static int repeat_whole(struct context *context, int64_t repetitions)
{
    return repeat(context, repetitions, send_whole);
}

static int prepare_partitioned(struct context *context)
{
    const int partitions = context->partitions.count;
    const MPI_Count bytes = (MPI_Count)(context->bytes / (size_t)partitions);
    if (context->thread.number > 0)
        return MPI_SUCCESS;
    const int code = MPI_Psend_init(context->out.base, partitions, bytes, MPI_BYTE, context->peer,
                                    context->tag, context->comm, MPI_INFO_NULL,
                                    &context->requests[SEND]);
    return code != MPI_SUCCESS ? code
                               : MPI_Precv_init(context->in.base, partitions, bytes, MPI_BYTE,
                                                context->peer, context->tag, context->comm,
                                                MPI_INFO_NULL, &context->requests[RECEIVE]);
}

static int prepare_whole(struct context *context)
{
    const struct message *out = &context->out, *in = &context->in;
    if (context->thread.number > 0)
        return MPI_SUCCESS;
    const int code = MPI_Send_init(out->base, out->count, out->type, context->peer, context->tag,
                                   context->comm, &context->requests[SEND]);
    return code != MPI_SUCCESS ? code
                               : MPI_Recv_init(in->base, in->count, in->type, context->peer,
                                               context->tag, context->comm,
                                               &context->requests[RECEIVE]);
}

static int finish(struct context *context)
{
    if (context->thread.number > 0)
        return MPI_SUCCESS;
    const int code = MPI_Request_free(&context->requests[SEND]);
    return code != MPI_SUCCESS ? code : MPI_Request_free(&context->requests[RECEIVE]);
}

/* The message is one, whose buffers are those of thread 0. */
static void fill(struct context *context, int repetition)
{
    if (context->thread.number == 0)
        pattern_fill_one(context, repetition);
}

static void check_message(struct context *context, int repetition)
{
    if (context->thread.number == 0)
        pattern_check_one(context, repetition);
}

#define OF_PARTITIONS                                                                              \
    .name = "pingpong", .messages = 2.0, .buffers = BUFFERS_SEPARATE, .accepts = SEPARATE,         \
    .finish = finish, .fill = fill, .check = check_message

static const struct operation operation_partitioned = {
    OF_PARTITIONS, .mode = "partitioned", .prepare = prepare_partitioned,
    .repeat = repeat_partitioned,
};
LISTED(operation_partitioned);
static const struct operation whole = {
    OF_PARTITIONS, .mode = "persistent", .prepare = prepare_whole, .repeat = repeat_whole,
};
const struct operation *operation_whole(void) { return &whole; }

#else

const struct operation *operation_whole(void) { return NULL; }

#endif
