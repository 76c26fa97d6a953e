/* Ping-pong by other ways to send: synchronous, nonblocking and persistent. A sample is half the
   round trip, as of the standard mode. */
#include "../operations.h"
#include "../pattern.h"

static int synchronous(struct context *context, int64_t repetitions)
{
    struct message out = context->out, in = context->in;
    const int peer = context->peer, leads = context->leads, source = context->source;
    const int tag = context->tag;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        if (!leads && (code = message_receive(&in, source, tag, context->comm)) != MPI_SUCCESS)
            break;
        code = MPI_Ssend(message_next(&out), out.count, out.type, peer, tag, context->comm);
        if (leads && code == MPI_SUCCESS)
            code = message_receive(&in, source, tag, context->comm);
    }
    message_walked(&context->out, &out);
    message_walked(&context->in, &in);
    return code;
}

static int wait_for(int started, MPI_Request *request)
{
    return started == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : started;
}

static int nonblocking(struct context *context, int64_t repetitions)
{
    struct message out = context->out, in = context->in;
    const int peer = context->peer, leads = context->leads, source = context->source;
    const int tag = context->tag;
    const MPI_Comm comm = context->comm;
    MPI_Request request;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < 2 * repetitions && code == MPI_SUCCESS; i++)
        if ((i % 2 == 0) == leads)
            code = wait_for(MPI_Isend(message_next(&out), out.count, out.type, peer, tag, comm,
                                      &request),
                            &request);
        else
            code = wait_for(MPI_Irecv(message_next(&in), in.count, in.type, source, tag, comm,
                                      &request),
                            &request);
    message_walked(&context->out, &out);
    message_walked(&context->in, &in);
    return code;
}

static int persistent_prepare(struct context *context)
{
    const struct message *out = &context->out, *in = &context->in;
    const int code = MPI_Send_init(out->base, out->count, out->type, context->peer, context->tag,
                                   context->comm, &context->requests[0]);
    return code != MPI_SUCCESS ? code
                               : MPI_Recv_init(in->base, in->count, in->type, context->source,
                                               context->tag, context->comm, &context->requests[1]);
}

static int persistent_finish(struct context *context)
{
    const int code = MPI_Request_free(&context->requests[0]);
    return code != MPI_SUCCESS ? code : MPI_Request_free(&context->requests[1]);
}

static int persistent(struct context *context, int64_t repetitions)
{
    MPI_Request *first = &context->requests[context->leads ? 0 : 1];
    MPI_Request *second = &context->requests[context->leads ? 1 : 0];
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = wait_for(MPI_Start(first), first);
        if (code == MPI_SUCCESS)
            code = wait_for(MPI_Start(second), second);
    }
    return code;
}

#define PINGPONG                                                                                   \
    .name = "pingpong", .messages = 2.0, .fill = pattern_fill_one, .check = pattern_check_one

static const struct operation operation_pingpong_synchronous = {
    PINGPONG, .mode = "synchronous", .accepts = RETURNED | SEPARATE | COLD, .repeat = synchronous,
};
LISTED(operation_pingpong_synchronous);
static const struct operation operation_pingpong_nonblocking = {
    PINGPONG, .mode = "nonblocking", .accepts = RETURNED | SEPARATE | COLD, .repeat = nonblocking,
};
LISTED(operation_pingpong_nonblocking);
/* A persistent request keeps its buffer: there is no walk through cold ones. */
static const struct operation operation_pingpong_persistent = {
    PINGPONG, .mode = "persistent", .accepts = RETURNED | SEPARATE, .repeat = persistent,
    .prepare = persistent_prepare, .finish = persistent_finish,
};
LISTED(operation_pingpong_persistent);
