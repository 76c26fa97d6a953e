/* Streams: a window of messages in flight at once, one way (acknowledged by an empty message at the
   window's end) or both ways. A sample is the time of one message; both ways, of one of either
   direction. Each receive of a window has its own place: MPI forbids two in one. Requests are new for
   each window, or persistent. */
#include "../operations.h"
#include "../pattern.h"

static int start_sends(struct context *context, MPI_Request *requests)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < context->window && code == MPI_SUCCESS; i++)
        code = MPI_Isend(message_next(&context->out), context->out.count, context->out.type,
                         context->peer, context->tag, context->comm, &requests[i]);
    return code;
}

static int start_receives(struct context *context, MPI_Request *requests)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < context->window && code == MPI_SUCCESS; i++)
        code = MPI_Irecv(message_next(&context->in), context->in.count, context->in.type,
                         context->source, context->tag, context->comm, &requests[i]);
    return code;
}

/* An empty message at the end of a window that went one way. */
static int acknowledge(const struct context *context)
{
    const int tag = context->tag + 1;
    return context->leads ? MPI_Recv(NULL, 0, MPI_BYTE, context->peer, tag, context->comm,
                                     MPI_STATUS_IGNORE)
                          : MPI_Send(NULL, 0, MPI_BYTE, context->peer, tag, context->comm);
}

static int one_way(struct context *context, int64_t repetitions)
{
    MPI_Request *requests = context->requests;
    const int window = context->window;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = context->leads ? start_sends(context, requests)
                              : start_receives(context, requests);
        if (code == MPI_SUCCESS)
            code = MPI_Waitall(window, requests, context->statuses);
        if (code == MPI_SUCCESS)
            code = acknowledge(context);
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

/* Receives first, then sends; one way, each rank has requests of its own kind alone. */
static int prepare_requests(struct context *context, int receives, int sends)
{
    MPI_Request *request = context->requests;
    int code = MPI_SUCCESS;
    for (int i = 0; receives && i < context->window && code == MPI_SUCCESS; i++)
        code = MPI_Recv_init(message_next(&context->in), context->in.count, context->in.type,
                             context->source, context->tag, context->comm, request++);
    for (int i = 0; sends && i < context->window && code == MPI_SUCCESS; i++)
        code = MPI_Send_init(message_next(&context->out), context->out.count, context->out.type,
                             context->peer, context->tag, context->comm, request++);
    return code;
}

static int prepare_one_way(struct context *context)
{
    return prepare_requests(context, !context->leads, context->leads);
}

static int prepare_both_ways(struct context *context) { return prepare_requests(context, 1, 1); }

static int finish_requests(struct context *context, int count)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        code = MPI_Request_free(&context->requests[i]);
    return code;
}

static int finish_one_way(struct context *context)
{
    return finish_requests(context, context->window);
}

static int finish_both_ways(struct context *context)
{
    return finish_requests(context, 2 * context->window);
}

static int persistent_one_way(struct context *context, int64_t repetitions)
{
    MPI_Request *requests = context->requests;
    const int window = context->window;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = MPI_Startall(window, requests);
        if (code == MPI_SUCCESS)
            code = MPI_Waitall(window, requests, context->statuses);
        if (code == MPI_SUCCESS)
            code = acknowledge(context);
    }
    return code;
}

static int persistent_both_ways(struct context *context, int64_t repetitions)
{
    MPI_Request *requests = context->requests;
    const int requests_of_window = 2 * context->window;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = MPI_Startall(requests_of_window, requests);
        if (code == MPI_SUCCESS)
            code = MPI_Waitall(requests_of_window, requests, context->statuses);
    }
    return code;
}

/* Messages go one way only, so there are no returned buffers. */
#define STREAM                                                                                     \
    .name = "stream", .messages = 1.0, .counts_window = 1, .buffers = BUFFERS_SEPARATE,            \
    .fill = pattern_fill_window, .check = pattern_check_stream
#define BIDIRECTIONAL                                                                              \
    .name = "bidirectional", .messages = 2.0, .counts_window = 1, .at_once = 1,                    \
    .buffers = BUFFERS_SEPARATE, .fill = pattern_fill_window, .check = pattern_check_window

static const struct operation operation_stream = {
    STREAM, .accepts = SEPARATE | COLD, .repeat = one_way,
};
LISTED(operation_stream);
static const struct operation operation_bidirectional = {
    BIDIRECTIONAL, .accepts = RETURNED | SEPARATE | COLD, .repeat = both_ways,
};
LISTED(operation_bidirectional);
/* Persistent requests keep their buffers: there is no walk through cold ones, and nothing is swapped. */
static const struct operation operation_stream_persistent = {
    STREAM, .mode = "persistent", .accepts = SEPARATE, .prepare = prepare_one_way,
    .finish = finish_one_way, .repeat = persistent_one_way,
};
LISTED(operation_stream_persistent);
static const struct operation operation_bidirectional_persistent = {
    BIDIRECTIONAL, .mode = "persistent", .accepts = SEPARATE, .prepare = prepare_both_ways,
    .finish = finish_both_ways, .repeat = persistent_both_ways,
};
LISTED(operation_bidirectional_persistent);
