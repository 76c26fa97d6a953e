/* Exchange: both ranks send and receive at once (MPI_Sendrecv). A sample is one exchange: each rank
   has sent one message and received one. */
#include "../operations.h"

static int repeat(struct exchange *exchange, int64_t repetitions)
{
    struct message out = exchange->out, in = exchange->in;
    const int peer = exchange->peer;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++)
        code = MPI_Sendrecv(message_next(&out), out.count, out.type, peer, 0, message_next(&in),
                            in.count, in.type, peer, 0, exchange->comm, MPI_STATUS_IGNORE);
    exchange->out.at = out.at;
    exchange->in.at = in.at;
    return code;
}

const struct operation operation_exchange = {
    .name = "exchange",
    .messages = 1.0,
    .repeat = repeat,
};
