/* Calls that start persistent requests, and calls that complete requests. Their time is their own; each
   call that started one of the requests has its share of it besides. */
#include <stdlib.h>
#include <string.h>

#include "polls.h"

#define SUFFIX

/* What a call is about to complete: the library overwrites handles, and statuses are needed. */
struct pending {
    uintptr_t *handles;
    MPI_Status *statuses;
    int room;
};

static _Thread_local struct pending pending;

/* Makes room for as many; returns 0 where there is none. It grows, and stays. */
static int make_room(int requests)
{
    if (requests <= pending.room)
        return 1;
    const int room = requests < 64 ? 64 : 2 * requests;
    uintptr_t *handles = realloc(pending.handles, (size_t)room * sizeof *handles);
    pending.handles = handles ? handles : pending.handles;
    MPI_Status *statuses = realloc(pending.statuses, (size_t)room * sizeof *statuses);
    pending.statuses = statuses ? statuses : pending.statuses;
    if (!handles || !statuses)
        return 0;
    pending.room = room;
    return 1;
}

static void note_handles(int requests, const MPI_Request *of)
{
    for (int i = 0; i < requests; i++)
        pending.handles[i] = HANDLE(of[i]);
}

static void complete(uintptr_t handle, const MPI_Status *status, uint64_t enter, uint64_t exit,
                     uint64_t share)
{
    struct request *request = find_request(handle);
    if (request)
        complete_request(request, status, enter, exit, share);
}

static void count_wait(uint16_t call, uint64_t enter, uint64_t exit)
{
    const struct operation operation = {.call = call, .group = NO_GROUP, .peer = NO_PEER};
    count(&operation, exit - enter);
}

/* All requests of a call; those that were none had no handle that is known. polls: of a function that need
   not have found anything; NULL of one that waits. */
static void complete_all(uint16_t call, int requests, const MPI_Status *statuses, uint64_t enter,
                         struct polls *polls)
{
    const uint64_t exit = ticks();
    lock_recorder();
    if (polls)
        enter = begin_of_found(polls, enter, exit);
    count_wait(call, enter, exit);
    for (int i = 0; i < requests; i++)
        complete(pending.handles[i], &statuses[i], enter, exit, (exit - enter) / (uint64_t)requests);
    unlock_recorder();
}

static void complete_some(uint16_t call, int completed, const int *which, const MPI_Status *statuses,
                          uint64_t enter, struct polls *polls)
{
    const uint64_t exit = ticks();
    lock_recorder();
    if (polls)
        enter = begin_of_found(polls, enter, exit);
    count_wait(call, enter, exit);
    for (int i = 0; i < completed; i++)
        complete(pending.handles[which[i]], &statuses[i], enter, exit,
                 (exit - enter) / (uint64_t)completed);
    unlock_recorder();
}

static void complete_none(uint16_t call, uint64_t enter)
{
    const uint64_t exit = ticks();
    lock_recorder();
    count_wait(call, enter, exit);
    if (traced)
        trace_other(enter, exit);
    unlock_recorder();
}

WRAP(Wait, (request, status), MPI_Request *request, MPI_Status *status)
{
    if (!make_room(1))
        return real(request, status);
    note_handles(1, request);
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? pending.statuses : status;
    const uint64_t enter = ticks();
    const int result = real(request, seen);
    complete_all(call, 1, seen, enter, NULL);
    return result;
}

WRAP(Test, (request, flag, status), MPI_Request *request, int *flag, MPI_Status *status)
{
    if (!make_room(1))
        return real(request, flag, status);
    static struct polls polls;
    note_handles(1, request);
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? pending.statuses : status;
    const uint64_t enter = begin_poll(&polls, 0);
    const int result = real(request, flag, seen);
    if (*flag)
        complete_all(call, 1, seen, enter, &polls);
    else
        count_nothing(&polls, call, NULL, enter);
    return result;
}

static int find_nothing(MPI_Request *request, int *flag, MPI_Status *status)
{
    (void)request, (void)status;
    *flag = 0;
    return MPI_SUCCESS;
}

void test_for_nothing(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    int flag;
    Test_counted(find_nothing, 1, &request, &flag, &status);
}

WRAP(Waitall, (requests, of, statuses), int requests, MPI_Request of[], MPI_Status statuses[])
{
    if (requests < 0 || !make_room(requests))
        return real(requests, of, statuses);
    note_handles(requests, of);
    MPI_Status *seen = statuses == MPI_STATUSES_IGNORE ? pending.statuses : statuses;
    const uint64_t enter = ticks();
    const int result = real(requests, of, seen);
    complete_all(call, requests, seen, enter, NULL);
    return result;
}

WRAP(Testall, (requests, of, flag, statuses), int requests, MPI_Request of[], int *flag,
     MPI_Status statuses[])
{
    if (requests < 0 || !make_room(requests))
        return real(requests, of, flag, statuses);
    static struct polls polls;
    note_handles(requests, of);
    MPI_Status *seen = statuses == MPI_STATUSES_IGNORE ? pending.statuses : statuses;
    const uint64_t enter = begin_poll(&polls, 0);
    const int result = real(requests, of, flag, seen);
    if (*flag)
        complete_all(call, requests, seen, enter, &polls);
    else
        count_nothing(&polls, call, NULL, enter);
    return result;
}

WRAP(Waitany, (requests, of, index, status), int requests, MPI_Request of[], int *index,
     MPI_Status *status)
{
    if (requests < 0 || !make_room(requests))
        return real(requests, of, index, status);
    note_handles(requests, of);
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? pending.statuses : status;
    const uint64_t enter = ticks();
    const int result = real(requests, of, index, seen);
    if (*index >= 0 && *index < requests)
        complete_some(call, 1, index, seen, enter, NULL);
    else
        complete_none(call, enter);
    return result;
}

WRAP(Testany, (requests, of, index, flag, status), int requests, MPI_Request of[], int *index,
     int *flag, MPI_Status *status)
{
    if (requests < 0 || !make_room(requests))
        return real(requests, of, index, flag, status);
    static struct polls polls;
    note_handles(requests, of);
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? pending.statuses : status;
    const uint64_t enter = begin_poll(&polls, 0);
    const int result = real(requests, of, index, flag, seen);
    if (*flag && *index >= 0 && *index < requests)
        complete_some(call, 1, index, seen, enter, &polls);
    else
        count_nothing(&polls, call, NULL, enter);
    return result;
}

/* POLLS: NULL, or where the polls are counted. */
#define SOME(NAME, POLLS)                                                                          \
    WRAP(NAME, (requests, of, completed, which, statuses), int requests, MPI_Request of[],         \
         int *completed, int which[], MPI_Status statuses[])                                       \
    {                                                                                              \
        if (requests < 0 || !make_room(requests))                                                  \
            return real(requests, of, completed, which, statuses);                                 \
        struct polls *polls = POLLS;                                                               \
        note_handles(requests, of);                                                                \
        MPI_Status *seen = statuses == MPI_STATUSES_IGNORE ? pending.statuses : statuses;          \
        const uint64_t enter = polls ? begin_poll(polls, 0) : ticks();                             \
        const int result = real(requests, of, completed, which, seen);                             \
        if (*completed > 0)                                                                        \
            complete_some(call, *completed, which, seen, enter, polls);                            \
        else if (polls)                                                                            \
            count_nothing(polls, call, NULL, enter);                                               \
        else                                                                                       \
            complete_none(call, enter);                                                            \
        return result;                                                                             \
    }

static struct polls of_testsome;
SOME(Waitsome, NULL)
SOME(Testsome, &of_testsome)

WRAP(Start, (request), MPI_Request *request)
{
    const uint64_t enter = ticks();
    const int result = real(request);
    const uint64_t spent = ticks() - enter;
    lock_recorder();
    struct request *started = find_request(HANDLE(*request));
    if (started)
        start_request(started, call, enter, spent);
    unlock_recorder();
    return result;
}

/* Each request is a call of its own: so many messages are sent. */
WRAP(Startall, (requests, of), int requests, MPI_Request of[])
{
    const uint64_t enter = ticks();
    const int result = real(requests, of);
    const uint64_t spent = ticks() - enter;
    lock_recorder();
    for (int i = 0; i < requests; i++) {
        struct request *started = find_request(HANDLE(of[i]));
        if (started)
            start_request(started, call, enter, spent / (uint64_t)requests);
    }
    unlock_recorder();
    return result;
}

WRAP(Request_free, (request), MPI_Request *request)
{
    const uintptr_t handle = HANDLE(*request);
    const uint64_t enter = ticks();
    const int result = real(request);
    count_plain(call, NO_GROUP, NO_PEER, enter);
    lock_recorder();
    struct request *freed = find_request(handle);
    if (freed && !(freed->is_receive && freed->is_active))
        remove_request(freed);
    unlock_recorder();
    return result;
}
