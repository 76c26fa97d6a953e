/* Requests from their start to their end. A receive is counted when it ends: then its size and its
   sender are known. Some libraries give out one handle many times, for what is complete at once. */
#include "recorder.h"

enum { REQUESTS = 32768, MOST_REQUESTS = REQUESTS / 4 * 3 };

static struct request table[REQUESTS];
static uint32_t held;

static uint32_t place_of(uintptr_t handle)
{
    return (uint32_t)((handle * 0x9e3779b97f4a7c15u) >> 40) & (REQUESTS - 1);
}

static void count_receive(struct request *request)
{
    request->cell = count(&request->operation, request->spent);
}

void add_request(const struct request *request)
{
    if (held >= MOST_REQUESTS) {
        recorded->header.lost_requests++;
        if (request->is_receive && request->is_active) {
            struct request lost = *request;
            count_receive(&lost);
        }
        return;
    }
    uint32_t place = place_of(request->handle);
    while (table[place].handle)
        place = (place + 1) & (REQUESTS - 1);
    table[place] = *request;
    held++;
}

struct request *find_request(uintptr_t handle)
{
    for (uint32_t place = place_of(handle); table[place].handle; place = (place + 1) & (REQUESTS - 1))
        if (table[place].handle == handle)
            return &table[place];
    return NULL;
}

/* Moves those up that were put behind it, so that searches may end at free places. */
void remove_request(struct request *request)
{
    uint32_t hole = (uint32_t)(request - table), place = hole;
    for (;;) {
        place = (place + 1) & (REQUESTS - 1);
        if (!table[place].handle)
            break;
        const uint32_t wanted = place_of(table[place].handle);
        if (((place - wanted) & (REQUESTS - 1)) >= ((place - hole) & (REQUESTS - 1))) {
            table[hole] = table[place];
            hole = place;
        }
    }
    table[hole].handle = 0;
    held--;
}

/* A persistent request begins again. */
void start_request(struct request *request, uint16_t call, uint64_t enter, uint64_t spent)
{
    struct operation *operation = &request->operation;
    if (!operation->started)
        operation->started = operation->call;
    operation->call = call;
    request->is_active = 1;
    request->spent = spent;
    if (traced) {
        request->id = next_request();
        trace_act(request->is_collective ? START_TOGETHER
                  : request->is_receive  ? START_RECEIVE
                                         : START_SEND,
                  operation, request->tag, request->id, enter, enter + spent);
    }
    if (request->is_receive)
        return;
    request->cell = count(operation, spent);
    if (operation->peer >= 0 && request->is_numbered)
        log_message(operation->group, operation->peer, request->tag, SENT,
                    next_message(operation->group, operation->peer, request->tag, SENT),
                    request->cell, enter, enter + spent);
}

uint64_t bytes_received(const MPI_Status *status)
{
#if defined(OPEN_MPI)
    return (uint64_t)status->_ucount;
#elif defined(MPICH_NUMVERSION)
    const uint64_t high = (uint32_t)status->count_hi_and_cancelled >> 1;
    return high << 32 | (uint32_t)status->count_lo;
#else
    static int (*get_count)(const MPI_Status *, MPI_Datatype, MPI_Count *);
    if (!get_count)
        get_count = REAL(MPI_Get_elements_x);
    MPI_Count bytes = 0;
    get_count(status, byte_type(), &bytes);
    return bytes > 0 ? (uint64_t)bytes : 0;
#endif
}

static void complete_receive(struct request *request, const MPI_Status *status, uint64_t enter,
                             uint64_t exit)
{
    struct operation *operation = &request->operation;
    const int is_from_a_rank = status && status->MPI_SOURCE >= 0 && !request->is_partitioned;
    const uint64_t posted = operation->bytes;
    const int32_t asked = operation->peer;
    if (is_from_a_rank) {
        operation->bytes = bytes_received(status);
        operation->peer = peer_in(operation->group, status->MPI_SOURCE);
    }
    count_receive(request);
    if (is_from_a_rank) {
        if (!request->is_numbered)
            request->number = next_message(operation->group, operation->peer, status->MPI_TAG, RECEIVED);
        log_message(operation->group, operation->peer, status->MPI_TAG, RECEIVED, request->number,
                    request->cell, enter, exit);
    }
    if (traced && request->id)
        trace_act(COMPLETE, operation, is_from_a_rank ? status->MPI_TAG : request->tag, request->id,
                  enter, exit);
    operation->bytes = posted; /* a persistent one may receive something else */
    operation->peer = asked;
}

void complete_request(struct request *request, const MPI_Status *status, uint64_t enter,
                      uint64_t exit, uint64_t share)
{
    if (!request->is_active)
        return;
    if (request->is_receive)
        complete_receive(request, status, enter, exit);
    else if (traced && request->id)
        trace_act(COMPLETE, &request->operation, request->tag, request->id, enter, exit);
    count_completion(request->cell, share);
    request->is_active = 0;
    if (!request->is_persistent)
        remove_request(request);
}

void complete_all_requests(void)
{
    for (uint32_t i = 0; i < REQUESTS; i++)
        if (table[i].handle && table[i].is_receive && table[i].is_active) {
            recorded->header.unfinished++;
            count_receive(&table[i]);
        }
}
