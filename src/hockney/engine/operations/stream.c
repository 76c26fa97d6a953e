/* Streams: a window of messages in flight at once, one way (acknowledged by an empty message at the
   window's end) or both ways. A sample is the time of one message; both ways, of one of either
   direction. Each receive of a window has its own place: MPI forbids two in one. */
#include "../operations.h"
#include "../pattern.h"

static int start_sends(struct context *context, MPI_Request *requests)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < context->window && code == MPI_SUCCESS; i++)
        code = MPI_Isend(message_next(&context->out), context->out.count, context->out.type,
                         context->peer, 0, context->comm, &requests[i]);
    return code;
}

static int start_receives(struct context *context, MPI_Request *requests)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < context->window && code == MPI_SUCCESS; i++)
        code = MPI_Irecv(message_next(&context->in), context->in.count, context->in.type,
                         context->peer, 0, context->comm, &requests[i]);
    return code;
}

static int one_way(struct context *context, int64_t repetitions)
{
    MPI_Request *requests = context->requests;
    const int peer = context->peer, window = context->window;
    const MPI_Comm comm = context->comm;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = context->leads ? start_sends(context, requests)
                              : start_receives(context, requests);
        if (code == MPI_SUCCESS)
            code = MPI_Waitall(window, requests, context->statuses);
        if (code == MPI_SUCCESS)
            code = context->leads ? MPI_Recv(NULL, 0, MPI_BYTE, peer, 1, comm, MPI_STATUS_IGNORE)
                                  : MPI_Send(NULL, 0, MPI_BYTE, peer, 1, comm);
    }
    return code;
}

static int both_ways(struct context *context, int64_t repetitions)
{
    MPI_Request *requests = context->requests;
    const int window = context->window, returned = context->buffers == BUFFERS_RETURNED;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = start_receives(context, requests);
        if (code == MPI_SUCCESS)
            code = start_sends(context, requests + window);
        if (code == MPI_SUCCESS)
            code = MPI_Waitall(2 * window, requests, context->statuses);
        if (returned)
            message_swap(&context->out, &context->in);
    }
    return code;
}

/* Messages go one way only, so there are no returned buffers. */
static const struct operation operation_stream = {
    .name = "stream", .messages = 1.0, .counts_window = 1, .buffers = BUFFERS_SEPARATE,
    .accepts = SEPARATE | COLD, .fill = pattern_fill_window, .check = pattern_check_stream,
    .repeat = one_way,
};
LISTED(operation_stream);
static const struct operation operation_bidirectional = {
    .name = "bidirectional", .messages = 2.0, .counts_window = 1, .at_once = 1,
    .buffers = BUFFERS_SEPARATE,
    .accepts = RETURNED | SEPARATE | COLD, .fill = pattern_fill_window,
    .check = pattern_check_window, .repeat = both_ways,
};
LISTED(operation_bidirectional);
