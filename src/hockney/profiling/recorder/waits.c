/* Calls that start persistent requests, and calls that complete requests. Their time is their own; each
   call that started one of the requests has its share of it besides. */
#include <stdlib.h>

#include "polls.h"

#define SUFFIX

enum { FEW = 16 };

/* What a call is about to complete: the library overwrites handles, and statuses are needed. */
struct pending {
    int requests, are_ours; /* are_ours: the statuses, as the program ignores them */
    uintptr_t *handles;   /* of what is complete: its cell, as completed_cell() has it */
    MPI_Status *statuses;
    void *held;           /* of more than a few */
    uintptr_t few_handles[FEW];
    MPI_Status few_statuses[FEW];
};

/* Returns 0 where there is no memory, or the call is none that can complete anything. */
static int note_requests(struct pending *pending, int requests, const MPI_Request of[],
                         MPI_Status *given)
{
    if (requests < 0 || (requests && !of))
        return 0;
    const size_t number = (size_t)requests;
    uintptr_t *handles = pending->few_handles;
    MPI_Status *statuses = pending->few_statuses;
    pending->held = NULL;
    if (requests > FEW) {
        handles = malloc(number * (sizeof *handles + sizeof *statuses));
        if (!handles)
            return 0;
        pending->held = handles;
        statuses = (MPI_Status *)(handles + number);
    }
    for (int i = 0; i < requests; i++)
        handles[i] = HANDLE(of[i]);
    pending->requests = requests;
    pending->handles = handles;
    pending->are_ours = given == MPI_STATUSES_IGNORE;
    pending->statuses = pending->are_ours ? statuses : given;
    return 1;
}

/* Twice the number after that of its cell, or 0 of what is not known; and one more where it carries nothing. */
static uintptr_t completed_cell(uintptr_t handle, const MPI_Status *status, const struct done *done)
{
    if (handle == HANDLE(MPI_REQUEST_NULL))
        return 1;
    struct request *request = find_request(handle);
    if (!request || !request->is_active)
        return 0;
    const uintptr_t is_null = (uintptr_t)carries_nothing(request);
    const uint32_t cell = complete_request(request, status, done->enter, done->exit);
    return ((uintptr_t)(cell < CELLS ? cell : CELLS) + 1) << 1 | is_null;
}

/* Null requests and messages of MPI_PROC_NULL are complete at once: the time of the call is that of the other
   requests, if there are any, in equal shares. */
static void share_time(const struct pending *pending, int completed, const int *which, uint64_t spent)
{
    uint64_t nulls = 0;
    for (int i = 0; i < completed; i++)
        nulls += pending->handles[which ? which[i] : i] & 1;
    const uint64_t carry = (uint64_t)completed - nulls;
    for (int i = 0; i < completed; i++) {
        const uintptr_t cell = pending->handles[which ? which[i] : i];
        const uint64_t share = carry ? (cell & 1 ? 0 : spent / carry) : spent / nulls;
        if (cell > 1)
            count_completion((uint32_t)(cell >> 1) - 1, share);
    }
}

/* Of a call that failed, only MPI_ERR_IN_STATUS says which requests it completed. */
static int is_complete(const MPI_Status *status, int result)
{
    return result != MPI_ERR_IN_STATUS || status->MPI_ERROR != MPI_ERR_PENDING;
}

static int is_received(const MPI_Status *status, int result)
{
    return result == MPI_SUCCESS ||
           (result == MPI_ERR_IN_STATUS && status->MPI_ERROR == MPI_SUCCESS);
}

/* Of a program that ignores statuses, MPICH from 4.2 on frees all requests of a call that fails, for the program cannot
   know which of them are pending. As it was given ours, it left those: then they would be reported as leaks. */
static void free_pending(const struct pending *pending, MPI_Request of[])
{
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000 && !defined(I_MPI_VERSION)
    int (*release)(MPI_Request *) = REAL(MPI_Request_free);
    for (int i = 0; i < pending->requests; i++) {
        if (pending->statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            continue;
        lock_recorder();
        const struct request *known = find_request(pending->handles[i]);
        const int may_be_freed = known && !known->is_persistent;
        unlock_recorder();
        if (may_be_freed && release(&of[i]) == MPI_SUCCESS)
            pending->statuses[i].MPI_ERROR = MPI_ERR_UNKNOWN; /* complete, but what it received is not known */
    }
#else
    (void)pending, (void)of;
#endif
}

/* What a call completed: the first so many (which: NULL), or those that it names. polls: of a function that need
   not have found anything; NULL of one that waits. */
static void count_completed(struct done *done, const struct pending *pending, int completed,
                            const int *which, struct polls *polls)
{
    done->exit = ticks();
    if (!begin_entry())
        return;
    if (polls)
        done->enter = begin_of_found(polls, done->enter, done->exit);
    const uint64_t spent = done->exit - done->enter;
    count(&(struct operation){.call = done->call, .group = NO_GROUP, .peer = NO_PEER}, spent);
    for (int i = 0; i < completed; i++) {
        const MPI_Status *status = &pending->statuses[i];
        uintptr_t *handle = &pending->handles[which ? which[i] : i];
        *handle = !is_complete(status, done->result) ? 0
                  : completed_cell(*handle, is_received(status, done->result) ? status : NULL, done);
    }
    share_time(pending, completed, which, spent);
    if (traced && !completed)
        trace_other(done->enter, done->exit);
    unlock_recorder();
}

/* COMPLETES(NAME, IS_POLL, REQUESTS, COMPLETED, WHICH, (ARGUMENTS), PARAMETERS): a function of so many requests
   `of`, which fills `statuses`. COMPLETED: how many it completed; 0 or less for none. WHICH: their places, or NULL
   for the first. */
#define COMPLETES(NAME, IS_POLL, REQUESTS, COMPLETED, WHICH, ARGUMENTS, ...)                       \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        static struct polls own;                                                                   \
        struct polls *const polls = IS_POLL ? &own : NULL;                                         \
        struct pending pending;                                                                    \
        if (!note_requests(&pending, REQUESTS, of, statuses))                                      \
            return real ARGUMENTS;                                                                 \
        statuses = pending.statuses;                                                               \
        struct done done = {call, 0, polls ? begin_poll(polls, 0) : ticks(), 0};                   \
        done.result = real ARGUMENTS;                                                              \
        const int is_known = done.result == MPI_SUCCESS || done.result == MPI_ERR_IN_STATUS;       \
        const int completed = is_known ? COMPLETED : 0;                                            \
        if (__builtin_expect(done.result == MPI_ERR_IN_STATUS, 0) && pending.are_ours && !(WHICH)) \
            free_pending(&pending, of);                                                            \
        if (polls && completed <= 0)                                                               \
            count_nothing(polls, call, NULL, done.enter);                                          \
        else                                                                                       \
            count_completed(&done, &pending, completed, WHICH, polls);                             \
        free(pending.held);                                                                        \
        return done.result;                                                                        \
    }

enum { WAITS, IS_POLL };

COMPLETES(Wait, WAITS, 1, 1, NULL, (of, statuses), MPI_Request *of, MPI_Status *statuses)
COMPLETES(Waitall, WAITS, requests, requests, NULL, (requests, of, statuses), int requests,
          MPI_Request of[], MPI_Status *statuses)
COMPLETES(Waitany, WAITS, requests, *index >= 0, index, (requests, of, index, statuses), int requests,
          MPI_Request of[], int *index, MPI_Status *statuses)
COMPLETES(Waitsome, WAITS, requests, *completed_ones, which,
          (requests, of, completed_ones, which, statuses), int requests, MPI_Request of[],
          int *completed_ones, int which[], MPI_Status *statuses)
COMPLETES(Test, IS_POLL, 1, *flag, NULL, (of, flag, statuses), MPI_Request *of, int *flag,
          MPI_Status *statuses)
COMPLETES(Testall, IS_POLL, requests, *flag ? requests : 0, NULL, (requests, of, flag, statuses),
          int requests, MPI_Request of[], int *flag, MPI_Status *statuses)
COMPLETES(Testany, IS_POLL, requests, *flag && *index >= 0, index,
          (requests, of, index, flag, statuses), int requests, MPI_Request of[], int *index, int *flag,
          MPI_Status *statuses)
COMPLETES(Testsome, IS_POLL, requests, *completed_ones, which,
          (requests, of, completed_ones, which, statuses), int requests, MPI_Request of[],
          int *completed_ones, int which[], MPI_Status *statuses)

POLLS(Request_get_status, *flag, NULL, , (request, flag, status), MPI_Request request, int *flag,
      MPI_Status *status)
#if HAS_MPI(4, 1)
#ifdef I_MPI_VERSION /* whose header was made before the list became const */
#define LISTED_REQUEST MPI_Request
#else
#define LISTED_REQUEST const MPI_Request
#endif
POLLS(Request_get_status_all, *flag, NULL, , (requests, many, flag, statuses), int requests,
      LISTED_REQUEST many[], int *flag, MPI_Status *statuses)
POLLS(Request_get_status_any, *flag, NULL, , (requests, many, index, flag, status), int requests,
      LISTED_REQUEST many[], int *index, int *flag, MPI_Status *status)
POLLS(Request_get_status_some, *completed > 0, NULL, , (requests, many, completed, which, statuses),
      int requests, LISTED_REQUEST many[], int *completed, int which[], MPI_Status *statuses)
#endif

static int find_nothing(MPI_Request *request, int *flag, MPI_Status *status)
{
    (void)request, (void)status;
    *flag = 0;
    return MPI_SUCCESS;
}

void test_for_nothing(void)
{
    MPI_Request request = (MPI_Request)0;
    MPI_Status status;
    int flag;
    Test_counted(find_nothing, 1, &request, &flag, &status);
}

/* Each request is a call of its own: so many messages are sent. */
static void count_started(const struct done *done, int requests, const MPI_Request of[])
{
    if (has_failed(done)) {
        count_plain(done, NO_GROUP, NO_PEER);
        return;
    }
    if (!begin_entry())
        return;
    for (int i = 0; i < requests; i++) {
        struct request *started = find_request(HANDLE(of[i]));
        if (started)
            start_request(started, done, (done->exit - done->enter) / (uint64_t)requests);
    }
    unlock_recorder();
}

CALL(Start, count_started(&done, 1, request), (request), MPI_Request *request)
CALL(Startall, count_started(&done, requests, of), (requests, of), int requests, MPI_Request of[])

/* A receive that is under way goes on. */
static void forget_request(uintptr_t handle)
{
    if (!begin_entry())
        return;
    struct request *freed = find_request(handle);
    if (freed && !(freed->kind == RECEIVE_REQUEST && freed->is_active))
        remove_request(freed);
    unlock_recorder();
}

WRAP(Request_free, (request), MPI_Request *request)
{
    const uintptr_t handle = request ? HANDLE(*request) : 0;
    const uint64_t enter = ticks();
    const int result = real(request);
    const struct done done = {call, result, enter, ticks()};
    count_plain(&done, NO_GROUP, NO_PEER);
    if (handle && !has_failed(&done))
        forget_request(handle);
    return result;
}
