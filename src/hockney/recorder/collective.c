/* Collectives: blocking, nonblocking and persistent. */
#include "wrap.h"

enum { NO_ROOT = -1 };

static void count_collective(uint16_t call, MPI_Comm comm, uint64_t bytes, MPI_Datatype datatype,
                             int root, uint64_t enter, uint64_t exit)
{
    lock_recorder();
    const uint16_t group = group_of(comm);
    const struct operation operation = {.call = call, .group = group,
                                        .datatype = type_of(datatype).kind,
                                        .peer = peer_in(group, root), .bytes = bytes};
    const uint32_t cell = count(&operation, exit - enter);
    log_collective(group, cell, enter, exit);
    if (traced)
        trace_act(TOGETHER, &operation, 0, 0, enter, exit);
    unlock_recorder();
}

static void count_started(uint16_t call, MPI_Comm comm, uint64_t bytes, MPI_Datatype datatype,
                          int root, uintptr_t handle, int is_persistent, uint64_t enter,
                          uint64_t exit)
{
    lock_recorder();
    const uint16_t group = group_of(comm);
    struct request request = {.handle = handle, .is_persistent = (uint8_t)is_persistent,
                              .is_active = (uint8_t)!is_persistent, .is_collective = 1,
                              .operation = {.call = call, .group = group,
                                            .datatype = type_of(datatype).kind,
                                            .peer = peer_in(group, root), .bytes = bytes}};
    request.cell = count(&request.operation, exit - enter);
    if (traced && !is_persistent) {
        request.id = next_request();
        trace_act(START_TOGETHER, &request.operation, 0, request.id, enter, exit);
    }
    add_request(&request);
    unlock_recorder();
}

static inline uint64_t bytes_of(MPI_Count elements, MPI_Datatype datatype)
{
    return (uint64_t)elements * type_of(datatype).size;
}

static int own_rank(MPI_Comm comm)
{
    return recorded->groups[group_of(comm)].rank;
}

static int peers_of(MPI_Comm comm)
{
    return recorded->groups[group_of(comm)].size;
}

/* How many ranks this one sends to in the communicator's topology. */
static int neighbors_of(MPI_Comm comm)
{
    int (*test)(MPI_Comm, int *) = REAL(MPI_Topo_test);
    int (*graph)(MPI_Comm, int *, int *, int *) =
        REAL(MPI_Dist_graph_neighbors_count);
    int (*dimensions)(MPI_Comm, int *) = REAL(MPI_Cartdim_get);
    int (*neighbors)(MPI_Comm, int, int *) =
        REAL(MPI_Graph_neighbors_count);
    int kind = MPI_UNDEFINED, in, out = 0, is_weighted;
    test(comm, &kind);
    if (kind == MPI_DIST_GRAPH)
        graph(comm, &in, &out, &is_weighted);
    else if (kind == MPI_CART && dimensions(comm, &out) == MPI_SUCCESS)
        out *= 2;
    else if (kind == MPI_GRAPH)
        neighbors(comm, own_rank(comm), &out);
    return out;
}

#define SUMS(SUM, MIXED, NUMBER)                                                                   \
    static uint64_t SUM(const NUMBER *elements, int number)                                        \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        for (int i = 0; i < number; i++)                                                           \
            sum += (uint64_t)elements[i];                                                          \
        return sum;                                                                                \
    }                                                                                              \
    static uint64_t MIXED(const NUMBER *elements, const MPI_Datatype *types, int number)           \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        for (int i = 0; i < number; i++)                                                           \
            sum += elements[i] ? (uint64_t)elements[i] * type_of(types[i]).size : 0;               \
        return sum;                                                                                \
    }

SUMS(sum_of, mixed_sum_of, int)
#define COUNT int
#define DISPLACEMENT int
#define SUFFIX
#include "collective_calls.h"

COLLECTIVE(Barrier, Ibarrier, 0, byte_type(), NO_ROOT, (comm), MPI_Comm comm)

#undef COUNT
#undef DISPLACEMENT
#undef SUFFIX
#undef BLOCKING
#undef NONBLOCKING
#undef PERSISTENT
#undef COLLECTIVE

#if MPI_VERSION >= 4
SUMS(sum_of_c, mixed_sum_of_c, MPI_Count)
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define SUFFIX _c
#include "collective_calls.h"
#endif
