/* Ping-pong: the first rank sends, the second sends the same number of bytes back.
   A sample is half the round trip: the time of one message one way. */
#include "../operations.h"
#include "../pattern.h"

/* `out` and `in` are copies, so that the compiler may keep them in registers: what MPI is given no
   address of, it cannot have changed. */
static int exchange_messages(struct message *out, struct message *in, int leads, int to, int from,
                             int tag, MPI_Comm comm, int64_t repetitions)
{
    int code;
    if (leads) {
        for (int64_t i = 0; i < repetitions; i++) {
            if ((code = message_send(out, to, tag, comm)) != MPI_SUCCESS)
                return code;
            if ((code = message_receive(in, from, tag, comm)) != MPI_SUCCESS)
                return code;
        }
    } else {
        for (int64_t i = 0; i < repetitions; i++) {
            if ((code = message_receive(in, from, tag, comm)) != MPI_SUCCESS)
                return code;
            if ((code = message_send(out, to, tag, comm)) != MPI_SUCCESS)
                return code;
        }
    }
    return MPI_SUCCESS;
}

static int repeat(struct context *context, int64_t repetitions)
{
    struct message out = context->out, in = context->in;
    const int code = exchange_messages(&out, &in, context->leads, context->peer, context->source,
                                       context->tag, context->comm, repetitions);
    message_walked(&context->out, &out);
    message_walked(&context->in, &in);
    return code;
}

static const struct operation operation_pingpong = {
    .name = "pingpong",
    .mode = "standard",
    .messages = 2.0,
    .accepts = RETURNED | SEPARATE | COLD,
    .fill = pattern_fill_one,
    .check = pattern_check_one,
    .repeat = repeat,
};
LISTED(operation_pingpong);
