/* One-sided operations, and what opens and closes their epochs. */
#include "wrap.h"

static void count_access(uint16_t call, MPI_Win window, uint64_t elements, MPI_Datatype datatype,
                         int target, uintptr_t handle, uint64_t enter)
{
    const uint64_t spent = ticks() - enter;
    lock_recorder();
    const uint16_t group = group_of_window(window);
    const struct type type = type_of(datatype);
    struct request request = {.handle = handle, .is_active = 1,
                              .operation = {.call = call, .group = group, .datatype = type.kind,
                                            .peer = peer_in(group, target),
                                            .bytes = elements * type.size}};
    request.cell = count(&request.operation, spent);
    if (handle)
        add_request(&request);
    unlock_recorder();
}

#define COUNT int
#define SUFFIX
#include "window_calls.h"

#define ONE(NAME, ARGUMENTS, ...)                                                                  \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real ARGUMENTS;                                                         \
        count_access(call, window, 1, datatype, target, 0, enter);                                 \
        return result;                                                                             \
    }

ONE(Fetch_and_op, (out, in, datatype, target, place, op, window), const void *out, void *in,
    MPI_Datatype datatype, int target, MPI_Aint place, MPI_Op op, MPI_Win window)
ONE(Compare_and_swap, (out, compared, in, datatype, target, place, window), const void *out,
    const void *compared, void *in, MPI_Datatype datatype, int target, MPI_Aint place,
    MPI_Win window)

#define SYNCHRONIZES(NAME, TARGET, ARGUMENTS, ...)                                                 \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real ARGUMENTS;                                                         \
        const uint16_t group = group_of_window(window);                                            \
        count_plain(call, group, peer_in(group, TARGET), enter);                                   \
        return result;                                                                             \
    }

enum { NO_TARGET = -1 };
SYNCHRONIZES(Win_fence, NO_TARGET, (assertion, window), int assertion, MPI_Win window)
SYNCHRONIZES(Win_start, NO_TARGET, (group_of_ranks, assertion, window), MPI_Group group_of_ranks,
             int assertion, MPI_Win window)
SYNCHRONIZES(Win_post, NO_TARGET, (group_of_ranks, assertion, window), MPI_Group group_of_ranks,
             int assertion, MPI_Win window)
SYNCHRONIZES(Win_complete, NO_TARGET, (window), MPI_Win window)
SYNCHRONIZES(Win_wait, NO_TARGET, (window), MPI_Win window)
SYNCHRONIZES(Win_test, NO_TARGET, (window, flag), MPI_Win window, int *flag)
SYNCHRONIZES(Win_lock, rank, (type, rank, assertion, window), int type, int rank, int assertion,
             MPI_Win window)
SYNCHRONIZES(Win_unlock, rank, (rank, window), int rank, MPI_Win window)
SYNCHRONIZES(Win_lock_all, NO_TARGET, (assertion, window), int assertion, MPI_Win window)
SYNCHRONIZES(Win_unlock_all, NO_TARGET, (window), MPI_Win window)
SYNCHRONIZES(Win_flush, rank, (rank, window), int rank, MPI_Win window)
SYNCHRONIZES(Win_flush_local, rank, (rank, window), int rank, MPI_Win window)
SYNCHRONIZES(Win_flush_all, NO_TARGET, (window), MPI_Win window)
SYNCHRONIZES(Win_flush_local_all, NO_TARGET, (window), MPI_Win window)
SYNCHRONIZES(Win_sync, NO_TARGET, (window), MPI_Win window)

#undef COUNT
#undef SUFFIX
#undef ACCESS
#undef REQUESTED
#if MPI_VERSION >= 4
#define COUNT MPI_Count
#define SUFFIX _c
#include "window_calls.h"
#undef COUNT
#undef SUFFIX
#endif

#define SUFFIX
WRAP(Win_free, (window), MPI_Win *window)
{
    lock_recorder();
    forget_window(*window);
    unlock_recorder();
    const uint64_t enter = ticks();
    const int result = real(window);
    count_plain(call, NO_GROUP, NO_PEER, enter);
    return result;
}
