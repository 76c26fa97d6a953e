/* Ping-pong by other ways to send: synchronous, nonblocking and persistent. A sample is half the
   round trip, as of the standard mode. */
#include "../operations.h"

static int synchronous(struct exchange *exchange, int64_t repetitions)
{
    struct message out = exchange->out, in = exchange->in;
    const int peer = exchange->peer, leads = exchange->leads;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        if (!leads && (code = message_receive(&in, peer, exchange->comm)) != MPI_SUCCESS)
            break;
        code = MPI_Ssend(message_next(&out), out.count, out.type, peer, 0, exchange->comm);
        if (leads && code == MPI_SUCCESS)
            code = message_receive(&in, peer, exchange->comm);
    }
    exchange->out.at = out.at;
    exchange->in.at = in.at;
    return code;
}

static int wait_for(int started, MPI_Request *request)
{
    return started == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : started;
}

static int nonblocking(struct exchange *exchange, int64_t repetitions)
{
    struct message out = exchange->out, in = exchange->in;
    const int peer = exchange->peer, leads = exchange->leads;
    const MPI_Comm comm = exchange->comm;
    MPI_Request request;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < 2 * repetitions && code == MPI_SUCCESS; i++)
        if ((i % 2 == 0) == leads)
            code = wait_for(MPI_Isend(message_next(&out), out.count, out.type, peer, 0, comm,
                                      &request),
                            &request);
        else
            code = wait_for(MPI_Irecv(message_next(&in), in.count, in.type, peer, 0, comm,
                                      &request),
                            &request);
    exchange->out.at = out.at;
    exchange->in.at = in.at;
    return code;
}

static int persistent_prepare(struct exchange *exchange)
{
    const struct message *out = &exchange->out, *in = &exchange->in;
    const int code = MPI_Send_init(out->base, out->count, out->type, exchange->peer, 0,
                                   exchange->comm, &exchange->requests[0]);
    return code != MPI_SUCCESS ? code
                               : MPI_Recv_init(in->base, in->count, in->type, exchange->peer, 0,
                                               exchange->comm, &exchange->requests[1]);
}

static int persistent_finish(struct exchange *exchange)
{
    const int code = MPI_Request_free(&exchange->requests[0]);
    return code != MPI_SUCCESS ? code : MPI_Request_free(&exchange->requests[1]);
}

static int persistent(struct exchange *exchange, int64_t repetitions)
{
    MPI_Request *first = &exchange->requests[exchange->leads ? 0 : 1];
    MPI_Request *second = &exchange->requests[exchange->leads ? 1 : 0];
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = wait_for(MPI_Start(first), first);
        if (code == MPI_SUCCESS)
            code = wait_for(MPI_Start(second), second);
    }
    return code;
}

const struct operation operation_pingpong_synchronous = {
    .name = "pingpong", .algorithm = "synchronous", .messages = 2.0, .repeat = synchronous,
};
const struct operation operation_pingpong_nonblocking = {
    .name = "pingpong", .algorithm = "nonblocking", .messages = 2.0, .repeat = nonblocking,
};
const struct operation operation_pingpong_persistent = {
    .name = "pingpong", .algorithm = "persistent", .messages = 2.0, .repeat = persistent,
    .prepare = persistent_prepare, .finish = persistent_finish,
};
