/* Streams: a window of messages outstanding at once, one way (acknowledged by an empty message at
   the window's end) or both ways. A sample is the time of one message; both ways, of one of either
   direction. Each receive of a window has its own place: MPI forbids two in one. */
#include "../operations.h"

static int start_sends(struct exchange *exchange, MPI_Request *requests)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < exchange->window && code == MPI_SUCCESS; i++)
        code = MPI_Isend(exchange->out.base, exchange->out.count, exchange->out.type,
                         exchange->peer, 0, exchange->comm, &requests[i]);
    return code;
}

static int start_receives(struct exchange *exchange, MPI_Request *requests)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < exchange->window && code == MPI_SUCCESS; i++)
        code = MPI_Irecv(exchange->in.base + (size_t)i * exchange->bytes, exchange->in.count,
                         exchange->in.type, exchange->peer, 0, exchange->comm, &requests[i]);
    return code;
}

static int one_way(struct exchange *exchange, int64_t repetitions)
{
    MPI_Request *requests = exchange->requests;
    const int peer = exchange->peer, window = exchange->window;
    const MPI_Comm comm = exchange->comm;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = exchange->leads ? start_sends(exchange, requests)
                               : start_receives(exchange, requests);
        if (code == MPI_SUCCESS)
            code = MPI_Waitall(window, requests, exchange->statuses);
        if (code == MPI_SUCCESS)
            code = exchange->leads ? MPI_Recv(NULL, 0, MPI_BYTE, peer, 1, comm, MPI_STATUS_IGNORE)
                                   : MPI_Send(NULL, 0, MPI_BYTE, peer, 1, comm);
    }
    return code;
}

static int both_ways(struct exchange *exchange, int64_t repetitions)
{
    MPI_Request *requests = exchange->requests;
    const int window = exchange->window;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = start_receives(exchange, requests);
        if (code == MPI_SUCCESS)
            code = start_sends(exchange, requests + window);
        if (code == MPI_SUCCESS)
            code = MPI_Waitall(2 * window, requests, exchange->statuses);
    }
    return code;
}

const struct operation operation_stream = {
    .name = "stream", .messages = 1.0, .counts_window = 1, .repeat = one_way,
};
const struct operation operation_bidirectional = {
    .name = "bidirectional", .messages = 2.0, .counts_window = 1, .repeat = both_ways,
};
