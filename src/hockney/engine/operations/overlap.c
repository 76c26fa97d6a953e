/* One message between two ranks, of which one computes between the start and the end of its part while
   the other does nothing but send or receive. That rank's own duration without the computation is what
   the message costs its processor. */
#include "../clock.h"
#include "../operations.h"
#include "../pattern.h"

/* The first rank sends to the second. */
enum { SENDER, RECEIVER };

static int compute_and_wait(const struct context *context, int code, MPI_Request *request)
{
    if (code == MPI_SUCCESS && context->compute_ns > 0.0)
        clock_compute((int64_t)context->compute_ns);
    return code == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : code;
}

static int send_nonblocking(struct context *context)
{
    struct message *out = &context->out;
    MPI_Request request;
    const int code = MPI_Isend(message_next(out), out->count, out->type, RECEIVER, 0, context->comm,
                               &request);
    return compute_and_wait(context, code, &request);
}

static int receive_nonblocking(struct context *context)
{
    struct message *in = &context->in;
    MPI_Request request;
    const int code = MPI_Irecv(message_next(in), in->count, in->type, SENDER, 0, context->comm,
                               &request);
    return compute_and_wait(context, code, &request);
}

static int isend(struct context *context, int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++)
        code = context->rank == SENDER ? send_nonblocking(context)
                                       : message_receive(&context->in, SENDER, 0, context->comm);
    return code;
}

static int irecv(struct context *context, int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++)
        code = context->rank == RECEIVER ? receive_nonblocking(context)
                                         : message_send(&context->out, RECEIVER, 0, context->comm);
    return code;
}

static void check_received(struct context *context, int repetition)
{
    if (context->rank == RECEIVER)
        pattern_check_one(context, repetition);
}

#define BETWEEN_TWO(operation)                                                                     \
    .name = #operation, .form = "nonblocking", .messages = 1.0, .between_all = 1, .overlaps = 1,   \
    .buffers = BUFFERS_SEPARATE, .accepts = SEPARATE | COLD, .fill = pattern_fill_one,             \
    .check = check_received, .repeat = operation

const struct operation operation_isend = {BETWEEN_TWO(isend), .timed_rank = 1 + SENDER};
const struct operation operation_irecv = {BETWEEN_TWO(irecv), .timed_rank = 1 + RECEIVER};
