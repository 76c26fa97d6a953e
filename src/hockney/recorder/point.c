/* Messages between two ranks: blocking, nonblocking and persistent. */
#include "polls.h"

enum start { SENDING = 1, RECEIVING = 2, PERSISTENT = 4 };

struct message {
    uint16_t call;
    const void *buffer;
    uint64_t elements;
    MPI_Datatype datatype;
    int rank, tag;
    MPI_Comm comm;
};

static struct operation operation_of(const struct message *message)
{
    const struct type type = type_of(message->datatype);
    const uint16_t group = group_of(message->comm);
    return (struct operation){.call = message->call, .group = group, .datatype = type.kind,
                              .peer = peer_in(group, message->rank),
                              .bytes = message->elements * type.size, .buffer = message->buffer};
}

static uint32_t count_sent(const struct message *message, const struct operation *operation,
                           uint64_t enter, uint64_t exit)
{
    const uint32_t cell = count(operation, exit - enter);
    if (operation->peer >= 0)
        log_message(operation->group, operation->peer, message->tag, SENT,
                    next_message(operation->group, operation->peer, message->tag, SENT), cell, enter,
                    exit);
    return cell;
}

static void count_send(const struct message *message, uint64_t enter, uint64_t exit)
{
    lock_recorder();
    const struct operation operation = operation_of(message);
    count_sent(message, &operation, enter, exit);
    if (traced)
        trace_act(SEND, &operation, message->tag, 0, enter, exit);
    unlock_recorder();
}

static void log_received(uint16_t group, int32_t peer, int tag, uint32_t cell, uint64_t enter,
                         uint64_t exit)
{
    if (peer >= 0)
        log_message(group, peer, tag, RECEIVED, next_message(group, peer, tag, RECEIVED), cell, enter,
                    exit);
}

static void count_received(uint16_t call, const void *buffer, uint8_t kind, const MPI_Status *status,
                           MPI_Comm comm, uint64_t enter, uint64_t exit)
{
    lock_recorder();
    const uint16_t group = group_of(comm);
    const int is_from_a_rank = status->MPI_SOURCE >= 0;
    const struct operation operation = {
        .call = call, .group = group, .datatype = kind,
        .peer = peer_in(group, status->MPI_SOURCE),
        .bytes = is_from_a_rank ? bytes_received(status) : 0, .buffer = buffer};
    const uint32_t cell = count(&operation, exit - enter);
    log_received(group, operation.peer, status->MPI_TAG, cell, enter, exit);
    if (traced)
        trace_act(RECEIVE, &operation, status->MPI_TAG, 0, enter, exit);
    unlock_recorder();
}

/* A message that MPI_Mprobe found does not say where it comes from. */
static void count_matched(uint16_t call, uint8_t kind, const MPI_Status *status, uint64_t enter)
{
    const uint64_t exit = ticks();
    lock_recorder();
    const struct operation operation = {.call = call, .group = NO_GROUP, .datatype = kind,
                                        .peer = UNKNOWN_PEER, .bytes = bytes_received(status)};
    count(&operation, exit - enter);
    if (traced)
        trace_other(enter, exit);
    unlock_recorder();
}

/* Both messages are under way at once. */
static void trace_exchange(const struct operation *sent, const struct operation *received, int sent_tag,
                           int received_tag, uint64_t enter, uint64_t exit)
{
    const uint32_t out = next_request(), in = next_request();
    trace_act(START_RECEIVE, received, received_tag, in, enter, enter);
    trace_act(START_SEND, sent, sent_tag, out, enter, enter);
    trace_act(COMPLETE, received, received_tag, in, enter, exit);
    trace_act(COMPLETE, sent, sent_tag, out, exit, exit);
}

static void count_exchange(const struct message *message, const MPI_Status *status, uint64_t enter,
                           uint64_t exit)
{
    lock_recorder();
    const struct operation operation = operation_of(message);
    const uint32_t cell = count_sent(message, &operation, enter, exit);
    const int32_t source = peer_in(operation.group, status->MPI_SOURCE);
    log_received(operation.group, source, status->MPI_TAG, cell, enter, exit);
    if (traced) {
        struct operation received = operation;
        received.peer = source;
        received.bytes = status->MPI_SOURCE >= 0 ? bytes_received(status) : 0;
        trace_exchange(&operation, &received, message->tag, status->MPI_TAG, enter, exit);
    }
    unlock_recorder();
}

static void count_start(const struct message *message, enum start start, uintptr_t handle,
                        uint64_t enter, uint64_t exit)
{
    lock_recorder();
    const int is_persistent = (start & PERSISTENT) != 0;
    struct request request = {.handle = handle, .operation = operation_of(message), .tag = message->tag,
                              .spent = exit - enter, .is_receive = (start & RECEIVING) != 0,
                              .is_persistent = (uint8_t)is_persistent,
                              .is_active = (uint8_t)!is_persistent,
                              .is_numbered = message->rank >= 0 && message->tag >= 0};
    if (is_persistent) {
        request.cell = count(&request.operation, exit - enter);
    } else if (!request.is_receive) {
        request.cell = count_sent(message, &request.operation, enter, exit);
    } else if (request.is_numbered) {
        request.number = next_message(request.operation.group, request.operation.peer, message->tag,
                                      RECEIVED);
    }
    if (traced && !is_persistent) {
        request.id = next_request();
        trace_act(request.is_receive ? START_RECEIVE : START_SEND, &request.operation, message->tag,
                  request.id, enter, exit);
    }
    add_request(&request);
    unlock_recorder();
}

#define COUNT int
#define SUFFIX
#include "point_calls.h"
#undef COUNT
#undef SUFFIX

#if MPI_VERSION >= 4
#define COUNT MPI_Count
#define SUFFIX _c
#include "point_calls.h"
#undef COUNT
#undef SUFFIX
#endif

#define SUFFIX

ON_COMM(Probe, (rank, tag, comm, status), int rank, int tag, MPI_Comm comm, MPI_Status *status)

static void count_probed(struct polls *polls, uint16_t call, MPI_Comm comm, uint64_t enter)
{
    const uint64_t exit = ticks();
    lock_recorder();
    enter = begin_of_found(polls, enter, exit);
    count(&(struct operation){.call = call, .group = group_of(comm), .peer = NO_PEER}, exit - enter);
    if (traced)
        trace_other(enter, exit);
    unlock_recorder();
}

#define PROBES(NAME, ARGUMENTS, ...)                                                               \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        static struct polls polls;                                                                 \
        const uint64_t enter = begin_poll(&polls, HANDLE(comm));                                   \
        const int result = real ARGUMENTS;                                                         \
        if (*flag)                                                                                 \
            count_probed(&polls, call, comm, enter);                                               \
        else                                                                                       \
            count_nothing(&polls, call, &comm, enter);                                             \
        return result;                                                                             \
    }

PROBES(Iprobe, (rank, tag, comm, flag, status), int rank, int tag, MPI_Comm comm, int *flag,
       MPI_Status *status)
ON_COMM(Mprobe, (rank, tag, comm, message, status), int rank, int tag, MPI_Comm comm,
       MPI_Message *message, MPI_Status *status)
PROBES(Improbe, (rank, tag, comm, flag, message, status), int rank, int tag, MPI_Comm comm,
       int *flag, MPI_Message *message, MPI_Status *status)
