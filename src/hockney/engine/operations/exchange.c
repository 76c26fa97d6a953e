/* Exchange: both ranks send and receive at once. A sample is one exchange: each rank has sent one
   message and received one. The usual way is MPI_Sendrecv; nonblocking, a send is begun before the
   receive; replace has one buffer for both (MPI_Sendrecv_replace). */
#include "../operations.h"
#include "../pattern.h"

/* MPI forbids that what is sent overlaps what is received: what came in is sent next by swapping the
   two buffers. */
static int at_once(struct context *context, int64_t repetitions)
{
    struct message out = context->out, in = context->in;
    const int peer = context->peer, source = context->source, tag = context->tag;
    const int returned = context->buffers == BUFFERS_RETURNED;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = MPI_Sendrecv(message_next(&out), out.count, out.type, peer, tag, message_next(&in),
                            in.count, in.type, source, tag, context->comm, MPI_STATUS_IGNORE);
        if (returned)
            message_swap(&out, &in);
    }
    context->out = out;
    context->in = in;
    return code;
}

static int nonblocking(struct context *context, int64_t repetitions)
{
    struct message out = context->out, in = context->in;
    const int peer = context->peer, source = context->source, tag = context->tag;
    const int returned = context->buffers == BUFFERS_RETURNED;
    const MPI_Comm comm = context->comm;
    MPI_Request request;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = MPI_Isend(message_next(&out), out.count, out.type, peer, tag, comm, &request);
        if (code == MPI_SUCCESS)
            code = message_receive(&in, source, tag, comm);
        if (code == MPI_SUCCESS)
            code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (returned)
            message_swap(&out, &in);
    }
    context->out = out;
    context->in = in;
    return code;
}

/* What is sent is there where the message of the other rank will be. */
static int replace(struct context *context, int64_t repetitions)
{
    struct message in = context->in;
    const int peer = context->peer, source = context->source, tag = context->tag;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++)
        code = MPI_Sendrecv_replace(message_next(&in), in.count, in.type, peer, tag, source, tag,
                                    context->comm, MPI_STATUS_IGNORE);
    message_walked(&context->in, &in);
    return code;
}

#define EXCHANGE                                                                                   \
    .name = "exchange", .messages = 1.0, .fill = pattern_fill_one, .check = pattern_check_one

static const struct operation operation_exchange = {
    EXCHANGE, .at_once = 1, .accepts = RETURNED | SEPARATE | COLD, .repeat = at_once,
};
LISTED(operation_exchange);
static const struct operation operation_exchange_nonblocking = {
    EXCHANGE, .mode = "nonblocking", .at_once = 1, .accepts = RETURNED | SEPARATE | COLD,
    .repeat = nonblocking,
};
LISTED(operation_exchange_nonblocking);
/* One buffer, in which a rank's message is replaced by the other's. */
static const struct operation operation_exchange_replace = {
    EXCHANGE, .mode = "replace", .accepts = RETURNED | SEPARATE, .in_place = 1,
    .repeat = replace,
};
LISTED(operation_exchange_replace);
