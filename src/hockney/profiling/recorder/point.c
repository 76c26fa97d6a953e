/* Messages between two ranks: blocking, nonblocking and persistent. */
#include "polls.h"

enum start { SENDING = 1, RECEIVING = 2, BOTH = 3, PERSISTENT = 4 };

struct message {
    const struct done *done;
    const void *buffer;
    uint64_t elements;
    MPI_Datatype datatype;
    int rank, tag;
    MPI_Comm comm;
};

/* What goes to MPI_PROC_NULL, or comes from there, carries nothing. */
static struct operation operation_of(const struct message *message)
{
    const uint16_t group = group_of(message->comm);
    struct operation operation = {.call = message->done->call, .group = group,
                                  .peer = peer_in(group, message->rank)};
    if (message->rank != MPI_PROC_NULL) {
        const struct type type = type_of(message->datatype);
        operation.datatype = type.kind;
        operation.bytes = message->elements * type.size;
        operation.buffer = message->buffer;
        operation.memory = memory_of(message->buffer, operation.bytes);
    }
    return operation;
}

static uint32_t count_sent(const struct message *message, const struct operation *operation)
{
    const struct done *done = message->done;
    const uint32_t cell = count(operation, done->exit - done->enter);
    if (operation->peer >= 0)
        log_message(operation->group, operation->peer, message->tag, SENT,
                    next_message(operation->group, operation->peer, message->tag, SENT), cell,
                    done->enter, done->exit);
    return cell;
}

static void log_received(const struct operation *operation, int tag, uint32_t cell,
                         const struct done *done)
{
    if (operation->peer >= 0)
        log_message(operation->group, operation->peer, tag, RECEIVED,
                    next_message(operation->group, operation->peer, tag, RECEIVED), cell, done->enter,
                    done->exit);
}

static void count_send(const struct message *message)
{
    const struct done *done = message->done;
    if (has_failed(done)) {
        count_plain(done, NO_GROUP, NO_PEER);
        return;
    }
    const struct operation operation = operation_of(message);
    if (!begin_entry())
        return;
    count_sent(message, &operation);
    if (traced)
        trace_act(SEND, &operation, message->tag, 0, done->enter, done->exit);
    unlock_recorder();
}

/* group: NO_GROUP of a message whose communicator is unknown. */
static void count_received(const struct done *done, const void *buffer, MPI_Datatype datatype,
                           const MPI_Status *status, uint16_t group)
{
    if (has_failed(done)) {
        count_plain(done, NO_GROUP, NO_PEER);
        return;
    }
    struct operation operation = {.call = done->call, .group = group,
                                  .peer = peer_in(group, status->MPI_SOURCE)};
    if (status->MPI_SOURCE >= 0) {
        operation.datatype = type_of(datatype).kind;
        operation.bytes = bytes_received(status);
        operation.buffer = buffer;
        operation.memory = memory_of(buffer, operation.bytes);
    }
    if (!begin_entry())
        return;
    const uint32_t cell = count(&operation, done->exit - done->enter);
    log_received(&operation, status->MPI_TAG, cell, done);
    if (traced && group != NO_GROUP)
        trace_act(RECEIVE, &operation, status->MPI_TAG, 0, done->enter, done->exit);
    else if (traced)
        trace_other(done->enter, done->exit);
    unlock_recorder();
}

/* Both messages are under way at once. */
static void trace_exchange(const struct operation *sent, const struct operation *received, int sent_tag,
                           int received_tag, const struct done *done)
{
    const uint32_t out = next_request(), in = next_request();
    trace_act(START_RECEIVE, received, received_tag, in, done->enter, done->enter);
    trace_act(START_SEND, sent, sent_tag, out, done->enter, done->enter);
    trace_act(COMPLETE, received, received_tag, in, done->enter, done->exit);
    trace_act(COMPLETE, sent, sent_tag, out, done->exit, done->exit);
}

static void count_exchange(const struct message *message, const MPI_Status *status)
{
    const struct done *done = message->done;
    if (has_failed(done)) {
        count_plain(done, NO_GROUP, NO_PEER);
        return;
    }
    const struct operation operation = operation_of(message);
    struct operation received = operation;
    received.peer = peer_in(operation.group, status->MPI_SOURCE);
    received.bytes = status->MPI_SOURCE >= 0 ? bytes_received(status) : 0;
    if (!begin_entry())
        return;
    const uint32_t cell = count_sent(message, &operation);
    log_received(&received, status->MPI_TAG, cell, done);
    if (traced)
        trace_exchange(&operation, &received, message->tag, status->MPI_TAG, done);
    unlock_recorder();
}

static enum request_kind kind_of(enum start start)
{
    const enum request_kind kinds[] = {SEND_REQUEST, SEND_REQUEST, RECEIVE_REQUEST, EXCHANGE_REQUEST};
    return kinds[start & BOTH];
}

static void trace_start(struct request *request, enum start start, const struct done *done)
{
    request->id = next_request();
    if (start & SENDING)
        trace_act(START_SEND, &request->operation, request->tag, request->id, done->enter, done->exit);
    else
        trace_act(START_RECEIVE, &request->operation, request->tag, request->id, done->enter,
                  done->exit);
}

static void begin_request(struct request *request, const struct message *message, enum start start)
{
    const struct operation *operation = &request->operation;
    if (start & PERSISTENT)
        request->cell = count(operation, request->spent);
    else if (start & SENDING)
        request->cell = count_sent(message, operation);
    else if (request->is_numbered)
        request->number = next_message(operation->group, operation->peer, message->tag, RECEIVED);
    if (traced && !(start & PERSISTENT))
        trace_start(request, start, message->done);
    if (traced && start == BOTH) /* the number after that of the send is the receive's */
        trace_act(START_RECEIVE, operation, message->tag, next_request(), message->done->exit,
                  message->done->exit);
}

static void count_start(const struct message *message, enum start start, const MPI_Request *handle)
{
    const struct done *done = message->done;
    if (has_failed(done)) {
        count_plain(done, NO_GROUP, NO_PEER);
        return;
    }
    struct request request = {.handle = HANDLE(*handle), .operation = operation_of(message),
                              .tag = message->tag, .spent = done->exit - done->enter,
                              .kind = (uint8_t)kind_of(start),
                              .is_persistent = (start & PERSISTENT) != 0,
                              .is_active = !(start & PERSISTENT), .has_status = 1,
                              .is_numbered = message->rank >= 0 && message->tag >= 0};
    if (!begin_entry())
        return;
    begin_request(&request, message, start);
    add_request(&request);
    unlock_recorder();
}

/* A message that a probe found: its size and its sender are known when it has been received. */
static void count_matched_start(const struct done *done, const void *buffer, MPI_Datatype datatype,
                                uintptr_t matched, const MPI_Request *handle)
{
    if (has_failed(done)) {
        count_plain(done, NO_GROUP, NO_PEER);
        return;
    }
    struct request request = {.handle = HANDLE(*handle), .kind = RECEIVE_REQUEST, .is_active = 1,
                              .has_status = 1, .spent = done->exit - done->enter,
                              .operation = {.call = done->call, .peer = NO_PEER}};
    if (matched != HANDLE(message_of_nobody())) {
        request.operation.datatype = type_of(datatype).kind;
        request.operation.peer = UNKNOWN_PEER;
        request.operation.buffer = buffer;
        request.operation.memory = memory_of(buffer, 0);
    }
    if (!begin_entry())
        return;
    request.operation.group = take_message(matched);
    if (traced)
        trace_other(done->enter, done->exit);
    add_request(&request);
    unlock_recorder();
}

static void note_message(const MPI_Message *message, MPI_Comm comm)
{
    const uint16_t group = group_of(comm);
    if (!begin_entry())
        return;
    add_message(*message, group);
    unlock_recorder();
}

static uint16_t group_of_message(uintptr_t message)
{
    if (!begin_entry())
        return NO_GROUP;
    const uint16_t group = take_message(message);
    unlock_recorder();
    return group;
}

#define COUNT int
#define SUFFIX
#include "point_calls.h"
#undef COUNT
#undef SUFFIX

#if HAS_LARGE_COUNTS
#define COUNT MPI_Count
#define SUFFIX _c
#include "point_calls.h"
#undef COUNT
#undef SUFFIX
#endif

#define SUFFIX

#define MATCHED                                                                                    \
    ON_COMM;                                                                                       \
    if (!has_failed(&done))                                                                        \
    note_message(message, comm)

CALL(Probe, ON_COMM, (rank, tag, comm, status), int rank, int tag, MPI_Comm comm, MPI_Status *status)
CALL(Mprobe, MATCHED, (rank, tag, comm, message, status), int rank, int tag, MPI_Comm comm,
     MPI_Message *message, MPI_Status *status)
POLLS(Iprobe, *flag, &comm, , (rank, tag, comm, flag, status), int rank, int tag, MPI_Comm comm,
      int *flag, MPI_Status *status)
POLLS(Improbe, *flag, &comm, note_message(message, comm), (rank, tag, comm, flag, message, status),
      int rank, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)

/* Where messages of MPI_Bsend are kept: those that take it away or empty it wait for them. */
CALL(Buffer_attach, PLAIN, (buffer, bytes), void *buffer, int bytes)
CALL(Buffer_detach, PLAIN, (buffer, bytes), void *buffer, int *bytes)
#if HAS_MPI(4, 1)
CALL(Comm_attach_buffer, ON_COMM, (comm, buffer, bytes), MPI_Comm comm, void *buffer, int bytes)
CALL(Comm_detach_buffer, ON_COMM, (comm, buffer, bytes), MPI_Comm comm, void *buffer, int *bytes)
CALL(Session_attach_buffer, PLAIN, (session, buffer, bytes), MPI_Session session, void *buffer,
     int bytes)
CALL(Session_detach_buffer, PLAIN, (session, buffer, bytes), MPI_Session session, void *buffer,
     int *bytes)
CALL(Buffer_iflush, PLAIN, (request), MPI_Request *request)
CALL(Comm_flush_buffer, ON_COMM, (comm), MPI_Comm comm)
CALL(Comm_iflush_buffer, ON_COMM, (comm, request), MPI_Comm comm, MPI_Request *request)
CALL(Session_flush_buffer, PLAIN, (session), MPI_Session session)
CALL(Session_iflush_buffer, PLAIN, (session, request), MPI_Session session, MPI_Request *request)
#endif

#if HAS_MPI(4, 1)
/* It has no arguments, and so no line in the table. */
#define FLUSHES(SYMBOL)                                                                            \
    VISIBLE int SYMBOL(void)                                                                       \
    {                                                                                              \
        static struct call of = {"MPI_Buffer_flush", 0};                                           \
        int (*real)(void) = (int (*)(void))real_of(#SYMBOL);                                       \
        if (!is_recording() || depth || is_from_library(__builtin_return_address(0)))              \
            return real();                                                                         \
        depth++;                                                                                   \
        const uint64_t enter = ticks();                                                            \
        const int result = real();                                                                 \
        const struct done done = {number_of(&of), result, enter, ticks()};                         \
        PLAIN;                                                                                     \
        depth--;                                                                                   \
        return result;                                                                             \
    }

FLUSHES(MPI_Buffer_flush)
FLUSHES(PMPI_Buffer_flush)
#endif

#undef SUFFIX
#define SUFFIX _c
#if HAS_LARGE_COUNTS
CALL(Buffer_attach, PLAIN, (buffer, bytes), void *buffer, MPI_Count bytes)
CALL(Buffer_detach, PLAIN, (buffer, bytes), void *buffer, MPI_Count *bytes)
#endif
#if HAS_MPI(4, 1)
CALL(Comm_attach_buffer, ON_COMM, (comm, buffer, bytes), MPI_Comm comm, void *buffer, MPI_Count bytes)
CALL(Comm_detach_buffer, ON_COMM, (comm, buffer, bytes), MPI_Comm comm, void *buffer,
     MPI_Count *bytes)
CALL(Session_attach_buffer, PLAIN, (session, buffer, bytes), MPI_Session session, void *buffer,
     MPI_Count bytes)
CALL(Session_detach_buffer, PLAIN, (session, buffer, bytes), MPI_Session session, void *buffer,
     MPI_Count *bytes)
#endif
