/* Ping-pong: the first rank sends, the second sends the same number of bytes back.
   A sample is half the round trip: the time of one message one way. */
#include "../operations.h"

/* `out` and `in` are copies, so that the compiler may keep them in registers: what MPI is given no
   address of, it cannot have changed. */
static int exchange_messages(struct message *out, struct message *in, int leads, int other,
                             MPI_Comm comm, int64_t repetitions)
{
    int code;
    if (leads) {
        for (int64_t i = 0; i < repetitions; i++) {
            if ((code = message_send(out, other, comm)) != MPI_SUCCESS)
                return code;
            if ((code = message_receive(in, other, comm)) != MPI_SUCCESS)
                return code;
        }
    } else {
        for (int64_t i = 0; i < repetitions; i++) {
            if ((code = message_receive(in, other, comm)) != MPI_SUCCESS)
                return code;
            if ((code = message_send(out, other, comm)) != MPI_SUCCESS)
                return code;
        }
    }
    return MPI_SUCCESS;
}

static int repeat(struct exchange *exchange, int64_t repetitions)
{
    struct message out = exchange->out, in = exchange->in;
    const int code = exchange_messages(&out, &in, exchange->leads, exchange->peer,
                                       exchange->comm, repetitions);
    exchange->out.at = out.at;
    exchange->in.at = in.at;
    return code;
}

const struct operation operation_pingpong = {
    .name = "pingpong",
    .messages = 2.0,
    .repeat = repeat,
};
