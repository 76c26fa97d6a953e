/* Requests from their start to their end. A receive is counted when it ends: then its size and its sender are
   known. A library may give one handle to all sends that were complete at once: requests of one handle are a stack,
   found by one search, and those that are alike are one entry. The table has a place for more than a program has
   under way, and takes memory as far as it is used. */
#include "recorder.h"

enum { REQUESTS = 1 << 17, PLACES = 1 << 17 };

static struct request pool[REQUESTS]; /* number 0 is none */
static uint32_t heads[PLACES];        /* by handle: the first of those that are found there, linked by `next` */
static uint32_t free_ones;            /* linked by `next` */
static uint32_t ever_used = 1;

static uint32_t *head_of(uintptr_t handle)
{
    return &heads[(handle * 0x9e3779b97f4a7c15u) >> 40 & (PLACES - 1)];
}

/* What has the number of the newest request of a handle, or 0 where there is none. */
static uint32_t *link_to(uintptr_t handle)
{
    uint32_t *link = head_of(handle);
    while (*link && pool[*link].handle != handle)
        link = &pool[*link].next;
    return link;
}

static void count_receive(struct request *request)
{
    request->cell = count(&request->operation, request->spent);
}

static int is_open_receive(const struct request *request)
{
    return request->kind == RECEIVE_REQUEST && request->is_active;
}

/* Sends that only their cell tells apart. */
static int are_alike(const struct request *a, const struct request *b)
{
    return a->kind == SEND_REQUEST && b->kind == SEND_REQUEST && a->cell == b->cell &&
           !a->is_persistent && !b->is_persistent && !a->id && !b->id;
}

static void lose(const struct request *request)
{
    recorded->header.lost_requests++;
    if (is_open_receive(request)) {
        struct request lost = *request;
        count_receive(&lost);
    }
}

static uint32_t free_place(void)
{
    const uint32_t place = free_ones;
    if (place) {
        free_ones = pool[place].next;
        return place;
    }
    return ever_used < REQUESTS ? ever_used++ : 0;
}

struct request *find_request(uintptr_t handle)
{
    const uint32_t place = *link_to(handle);
    return place ? &pool[place] : NULL;
}

/* Of requests with one handle, the newest. */
void remove_request(struct request *request)
{
    if (--request->times)
        return;
    uint32_t *link = link_to(request->handle);
    const uint32_t place = *link, below = request->below;
    if (below)
        pool[below].next = request->next;
    *link = below ? below : request->next;
    request->handle = 0;
    request->next = free_ones;
    free_ones = place;
}

/* A message that is to be received has a handle of its own: what else has it was completed unseen. */
static void forget_older(const struct request *receive)
{
    struct request *older;
    while (receive->operation.peer != NO_PEER && (older = find_request(receive->handle))) {
        if (is_open_receive(older)) {
            recorded->header.unfinished++;
            count_receive(older);
        }
        remove_request(older);
    }
}

void add_request(const struct request *request)
{
    if (request->kind == RECEIVE_REQUEST)
        forget_older(request);
    uint32_t *link = link_to(request->handle);
    struct request *newest = *link ? &pool[*link] : NULL;
    if (newest && are_alike(newest, request)) {
        newest->times++;
        return;
    }
    const uint32_t place = free_place();
    if (!place) {
        lose(request);
        return;
    }
    pool[place] = *request;
    pool[place].times = 1;
    pool[place].below = *link;
    pool[place].next = newest ? newest->next : 0;
    *link = place;
}

static enum what start_of(const struct request *request)
{
    if (request->kind == COLLECTIVE_REQUEST)
        return START_TOGETHER;
    return request->kind == RECEIVE_REQUEST ? START_RECEIVE : START_SEND;
}

/* A persistent request begins again; share: of the time of the call that starts it. */
void start_request(struct request *request, const struct done *done, uint64_t share)
{
    struct operation *operation = &request->operation;
    if (!operation->started)
        operation->started = operation->call;
    operation->call = done->call;
    request->is_active = 1;
    request->spent = share;
    if (traced) {
        request->id = next_request();
        trace_act(start_of(request), operation, request->tag, request->id, done->enter,
                  done->enter + share);
    }
    if (request->kind == RECEIVE_REQUEST) {
        if (request->is_numbered)
            request->number = next_message(operation->group, operation->peer, request->tag, RECEIVED);
        return;
    }
    request->cell = count(operation, share);
    if (operation->peer >= 0 && request->is_numbered)
        log_message(operation->group, operation->peer, request->tag, SENT,
                    next_message(operation->group, operation->peer, request->tag, SENT),
                    request->cell, done->enter, done->enter + share);
}

uint64_t bytes_received(const MPI_Status *status)
{
#if defined(OPEN_MPI)
    return (uint64_t)status->_ucount;
#elif defined(MPICH_NUMVERSION)
    const uint64_t high = (uint32_t)status->count_hi_and_cancelled >> 1;
    return high << 32 | (uint32_t)status->count_lo;
#else
    MPI_Count bytes = 0;
    REAL(MPI_Get_elements_x)(status, byte_type(), &bytes);
    return bytes > 0 ? (uint64_t)bytes : 0;
#endif
}

int was_cancelled(const MPI_Status *status)
{
#if defined(OPEN_MPI)
    return status->_cancelled;
#elif defined(MPICH_NUMVERSION)
    return status->count_hi_and_cancelled & 1;
#else
    int found = 0;
    REAL(MPI_Test_cancelled)(status, &found);
    return found;
#endif
}

/* The sender of what was received, in its communicator; below 0 where nothing was. */
static int source_in(const struct request *request, const MPI_Status *status)
{
    if (!status || !request->has_status || was_cancelled(status))
        return MPI_PROC_NULL;
    return status->MPI_SOURCE;
}

static void complete_receive(struct request *request, const MPI_Status *status, uint64_t enter,
                             uint64_t exit)
{
    struct operation *operation = &request->operation;
    const struct operation posted = *operation; /* a persistent one may receive something else */
    const int source = source_in(request, status), is_from_a_rank = source >= 0;
    if (is_from_a_rank) {
        operation->bytes = bytes_received(status);
        operation->peer = peer_in(operation->group, source);
    } else if (request->has_status && status) {
        operation->bytes = 0;
        operation->peer = NO_PEER;
    }
    count_receive(request);
    if (is_from_a_rank && operation->peer >= 0) {
        if (!request->is_numbered)
            request->number = next_message(operation->group, operation->peer, status->MPI_TAG, RECEIVED);
        log_message(operation->group, operation->peer, status->MPI_TAG, RECEIVED, request->number,
                    request->cell, enter, exit);
    }
    if (traced && request->id)
        trace_act(COMPLETE, operation, is_from_a_rank ? status->MPI_TAG : request->tag, request->id,
                  enter, exit);
    *operation = posted;
}

/* The receive of a call that does both has the number after that of its send. */
static void complete_exchange(struct request *request, const MPI_Status *status, uint64_t enter,
                              uint64_t exit)
{
    const int source = source_in(request, status);
    struct operation received = request->operation;
    received.bytes = source >= 0 ? bytes_received(status) : 0;
    received.peer = peer_in(received.group, source);
    if (received.peer >= 0)
        log_message(received.group, received.peer, status->MPI_TAG, RECEIVED,
                    next_message(received.group, received.peer, status->MPI_TAG, RECEIVED),
                    request->cell, enter, exit);
    if (traced && request->id) {
        trace_act(COMPLETE, &received, received.peer >= 0 ? status->MPI_TAG : request->tag,
                  request->id + 1, enter, exit);
        trace_act(COMPLETE, &request->operation, request->tag, request->id, exit, exit);
    }
}

uint32_t complete_request(struct request *request, const MPI_Status *status, uint64_t enter,
                          uint64_t exit)
{
    if (request->kind == RECEIVE_REQUEST)
        complete_receive(request, status, enter, exit);
    else if (request->kind == EXCHANGE_REQUEST)
        complete_exchange(request, status, enter, exit);
    else if (traced && request->id)
        trace_act(COMPLETE, &request->operation, request->tag, request->id, enter, exit);
    const uint32_t cell = request->cell;
    if (request->is_persistent)
        request->is_active = 0;
    else
        remove_request(request);
    return cell;
}

/* A message to or from MPI_PROC_NULL. */
int carries_nothing(const struct request *request)
{
    return (request->kind == SEND_REQUEST || request->kind == RECEIVE_REQUEST) &&
           request->operation.datatype == NO_DATATYPE;
}

void complete_all_requests(void)
{
    for (uint32_t i = 1; i < ever_used; i++)
        if (pool[i].handle && is_open_receive(&pool[i])) {
            recorded->header.unfinished++;
            count_receive(&pool[i]);
        }
}

/* Handles of messages are others than those of requests. */
static uintptr_t key_of(uintptr_t message)
{
    return ~message;
}

void add_message(MPI_Message message, uint16_t group)
{
    add_request(&(struct request){.handle = key_of(HANDLE(message)), .kind = MATCHED_MESSAGE,
                                  .operation = {.group = group}});
}

uint16_t take_message(uintptr_t message)
{
    struct request *found = find_request(key_of(message));
    if (!found)
        return NO_GROUP;
    const uint16_t group = found->operation.group;
    remove_request(found);
    return group;
}
