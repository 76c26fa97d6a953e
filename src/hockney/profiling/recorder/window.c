/* One-sided operations, and what makes windows and opens and closes their epochs. */
#include "wrap.h"

/* buffer: of this rank; the memory of the target is known there. */
static void count_access(const struct done *done, MPI_Win window, const void *buffer,
                         uint64_t elements, MPI_Datatype datatype, int target,
                         const MPI_Request *handle)
{
    if (has_failed(done)) {
        count_plain(done, NO_GROUP, NO_PEER);
        return;
    }
    const uint16_t group = group_of_window(window);
    struct request request = {.is_active = 1, .kind = SEND_REQUEST,
                              .operation = {.call = done->call, .group = group,
                                            .peer = peer_in(group, target)}};
    if (target != MPI_PROC_NULL) {
        const struct type type = type_of(datatype);
        request.operation.datatype = type.kind;
        request.operation.bytes = elements * type.size;
        request.operation.memory = memory_of(buffer, request.operation.bytes);
    }
    if (!begin_entry())
        return;
    request.cell = count(&request.operation, done->exit - done->enter);
    if (handle) {
        request.handle = HANDLE(*handle);
        add_request(&request);
    }
    unlock_recorder();
}

static void count_on_window(const struct done *done, MPI_Win window, int rank)
{
    const uint16_t group = has_failed(done) ? NO_GROUP : group_of_window(window);
    count_plain(done, group, group == NO_GROUP ? NO_PEER : peer_in(group, rank));
}

#define ACCESSES(BUFFER)                                                                           \
    count_access(&done, window, BUFFER, (uint64_t)elements, datatype, target, NULL)
#define REQUESTS(BUFFER)                                                                           \
    count_access(&done, window, BUFFER, (uint64_t)elements, datatype, target, request)
#define ONE count_access(&done, window, in, 1, datatype, target, NULL)
#define ON_WINDOW count_on_window(&done, window, MPI_PROC_NULL)
#define ON_RANK count_on_window(&done, window, rank)

#define COUNT int
#define UNIT int
#define SUFFIX
#include "window_calls.h"

CALL(Fetch_and_op, ONE, (out, in, datatype, target, place, op, window), const void *out, void *in,
     MPI_Datatype datatype, int target, MPI_Aint place, MPI_Op op, MPI_Win window)
CALL(Compare_and_swap, ONE, (out, compared, in, datatype, target, place, window), const void *out,
     const void *compared, void *in, MPI_Datatype datatype, int target, MPI_Aint place,
     MPI_Win window)
CALL(Win_fence, ON_WINDOW, (assertion, window), int assertion, MPI_Win window)
CALL(Win_start, ON_WINDOW, (group, assertion, window), MPI_Group group, int assertion, MPI_Win window)
CALL(Win_post, ON_WINDOW, (group, assertion, window), MPI_Group group, int assertion, MPI_Win window)
CALL(Win_complete, ON_WINDOW, (window), MPI_Win window)
CALL(Win_wait, ON_WINDOW, (window), MPI_Win window)
CALL(Win_test, ON_WINDOW, (window, flag), MPI_Win window, int *flag)
CALL(Win_lock, ON_RANK, (type, rank, assertion, window), int type, int rank, int assertion,
     MPI_Win window)
CALL(Win_unlock, ON_RANK, (rank, window), int rank, MPI_Win window)
CALL(Win_lock_all, ON_WINDOW, (assertion, window), int assertion, MPI_Win window)
CALL(Win_unlock_all, ON_WINDOW, (window), MPI_Win window)
CALL(Win_flush, ON_RANK, (rank, window), int rank, MPI_Win window)
CALL(Win_flush_local, ON_RANK, (rank, window), int rank, MPI_Win window)
CALL(Win_flush_all, ON_WINDOW, (window), MPI_Win window)
CALL(Win_flush_local_all, ON_WINDOW, (window), MPI_Win window)
CALL(Win_sync, ON_WINDOW, (window), MPI_Win window)
CALL(Win_create_dynamic, ON_COMM, (info, comm, window), MPI_Info info, MPI_Comm comm, MPI_Win *window)
CALL(Win_attach, ON_WINDOW, (window, base, size), MPI_Win window, void *base, MPI_Aint size)
CALL(Win_detach, ON_WINDOW, (window, base), MPI_Win window, const void *base)
CALL(Win_set_info, ON_WINDOW, (window, info), MPI_Win window, MPI_Info info)

WRAP(Win_free, (window), MPI_Win *window)
{
    if (window)
        forget_window(*window);
    const uint64_t enter = ticks();
    const int result = real(window);
    const struct done done = {call, result, enter, ticks()};
    PLAIN;
    return result;
}

#undef COUNT
#undef UNIT
#undef SUFFIX
#if HAS_LARGE_COUNTS
#define COUNT MPI_Count
#define UNIT MPI_Aint
#define SUFFIX _c
#include "window_calls.h"
#endif
