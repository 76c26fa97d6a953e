/* Exchange: both ranks send and receive at once (MPI_Sendrecv). A sample is one exchange: each rank
   has sent one message and received one. */
#include "../operations.h"
#include "../pattern.h"

/* MPI forbids that what is sent overlaps what is received: what came in is sent next by swapping the
   two buffers. */
static int repeat(struct context *context, int64_t repetitions)
{
    struct message out = context->out, in = context->in;
    const int peer = context->peer, returned = context->buffers == BUFFERS_RETURNED;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = MPI_Sendrecv(message_next(&out), out.count, out.type, peer, 0, message_next(&in),
                            in.count, in.type, peer, 0, context->comm, MPI_STATUS_IGNORE);
        if (returned)
            message_swap(&out, &in);
    }
    context->out = out;
    context->in = in;
    return code;
}

static const struct operation operation_exchange = {
    .name = "exchange",
    .at_once = 1,
    .messages = 1.0,
    .accepts = RETURNED | SEPARATE | COLD,
    .fill = pattern_fill_one,
    .check = pattern_check_one,
    .repeat = repeat,
};
LISTED(operation_exchange);
