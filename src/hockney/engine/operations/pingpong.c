/* Ping-pong: the first rank sends, the second sends the same number of bytes back.
   A sample is half the round trip: the time of one message one way. */
#include "../operations.h"

static int repeat(struct exchange *exchange, int64_t repetitions)
{
    const int other = 1 - exchange->rank;
    MPI_Comm comm = exchange->comm;
    int code;
    if (exchange->rank == 0) {
        for (int64_t i = 0; i < repetitions; i++) {
            if ((code = message_send(&exchange->out, other, comm)) != MPI_SUCCESS)
                return code;
            if ((code = message_receive(&exchange->in, other, comm)) != MPI_SUCCESS)
                return code;
        }
    } else {
        for (int64_t i = 0; i < repetitions; i++) {
            if ((code = message_receive(&exchange->in, other, comm)) != MPI_SUCCESS)
                return code;
            if ((code = message_send(&exchange->out, other, comm)) != MPI_SUCCESS)
                return code;
        }
    }
    return MPI_SUCCESS;
}

const struct operation operation_pingpong = {
    .name = "pingpong",
    .messages = 2.0,
    .repeat = repeat,
};
