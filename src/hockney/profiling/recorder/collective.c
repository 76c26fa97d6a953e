/* Collectives: blocking, nonblocking and persistent. */
#include "wrap.h"

enum { NO_ROOT = MPI_PROC_NULL };

/* What a rank gives to a collective, or takes from it. */
struct part {
    uint64_t bytes;
    uint8_t kind; /* of its datatype */
    uint8_t memory;
};

static const struct part nothing;

static struct part part_of(const void *buffer, MPI_Count elements, MPI_Datatype datatype)
{
    const struct type type = type_of(datatype);
    const uint64_t bytes = (uint64_t)elements * type.size;
    return (struct part){bytes, type.kind, memory_of(buffer, bytes)};
}

static struct part mixed_part(const void *buffer, uint64_t bytes)
{
    return (struct part){bytes, BASIC, memory_of(buffer, bytes)};
}

static struct operation operation_of(const struct done *done, MPI_Comm comm, struct part part, int root)
{
    const uint16_t group = group_of(comm);
    return (struct operation){.call = done->call, .group = group, .datatype = part.kind,
                              .memory = part.memory, .bytes = part.bytes,
                              .peer = root < 0 ? NO_PEER : peer_in(group, root)};
}

static void count_collective(const struct done *done, MPI_Comm comm, struct part part, int root)
{
    const struct operation operation = operation_of(done, comm, part, root);
    if (!begin_entry())
        return;
    const uint32_t cell = count(&operation, done->exit - done->enter);
    log_collective(operation.group, cell, done->enter, done->exit);
    if (traced)
        trace_act(TOGETHER, &operation, 0, 0, done->enter, done->exit);
    unlock_recorder();
}

static void count_started(const struct done *done, MPI_Comm comm, struct part part, int root,
                          const MPI_Request *handle, int is_persistent)
{
    struct request request = {.handle = HANDLE(*handle), .is_persistent = (uint8_t)is_persistent,
                              .is_active = (uint8_t)!is_persistent, .kind = COLLECTIVE_REQUEST,
                              .operation = operation_of(done, comm, part, root)};
    if (!begin_entry())
        return;
    request.cell = count(&request.operation, done->exit - done->enter);
    if (traced && !is_persistent) {
        request.id = next_request();
        trace_act(START_TOGETHER, &request.operation, 0, request.id, done->enter, done->exit);
    }
    add_request(&request);
    unlock_recorder();
}

static int own_rank(MPI_Comm comm)
{
    int rank = 0;
    REAL(MPI_Comm_rank)(comm, &rank);
    return rank;
}

static int own_size(MPI_Comm comm)
{
    int size = 0;
    REAL(MPI_Comm_size)(comm, &size);
    return size;
}

/* How many ranks this one exchanges blocks with. */
static int peers_of(MPI_Comm comm)
{
    int is_inter = 0, size = 0;
    REAL(MPI_Comm_test_inter)(comm, &is_inter);
    if (!is_inter)
        return own_size(comm);
    REAL(MPI_Comm_remote_size)(comm, &size);
    return size;
}

/* How many ranks this one sends to in the communicator's topology. */
static int neighbors_of(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED, in, out = 0, is_weighted;
    REAL(MPI_Topo_test)(comm, &kind);
    if (kind == MPI_DIST_GRAPH)
        REAL(MPI_Dist_graph_neighbors_count)(comm, &in, &out, &is_weighted);
    else if (kind == MPI_CART && REAL(MPI_Cartdim_get)(comm, &out) == MPI_SUCCESS)
        out *= 2;
    else if (kind == MPI_GRAPH)
        REAL(MPI_Graph_neighbors_count)(comm, own_rank(comm), &out);
    return out;
}

/* Whether a neighbour in a grid lies beyond its edge, so that nothing is sent there. */
static int is_beyond(MPI_Comm grid, int neighbor)
{
    int kind = MPI_UNDEFINED, ends[2] = {0, 0};
    if (grid == MPI_COMM_NULL || REAL(MPI_Topo_test)(grid, &kind) != MPI_SUCCESS || kind != MPI_CART)
        return 0;
    REAL(MPI_Cart_shift)(grid, neighbor / 2, 1, &ends[0], &ends[1]);
    return ends[neighbor % 2] == MPI_PROC_NULL;
}

/* grid: the communicator of neighbours; MPI_COMM_NULL for blocks of all ranks. */
#define SUMS(SUM, MIXED, NUMBER)                                                                   \
    static uint64_t SUM(const NUMBER *elements, int number, MPI_Comm grid)                         \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        for (int i = 0; i < number; i++)                                                           \
            sum += is_beyond(grid, i) ? 0 : (uint64_t)elements[i];                                 \
        return sum;                                                                                \
    }                                                                                              \
    static uint64_t MIXED(const NUMBER *elements, const MPI_Datatype *types, int number,           \
                          MPI_Comm grid)                                                           \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        for (int i = 0; i < number; i++)                                                           \
            if (elements[i] && !is_beyond(grid, i))                                                \
                sum += (uint64_t)elements[i] * type_of(types[i]).size;                             \
        return sum;                                                                                \
    }

SUMS(sum_of, mixed_sum_of, int)
#define COUNT int
#define DISPLACEMENT int
#define SUFFIX
#include "collective_calls.h"

COLLECTIVE(Barrier, Ibarrier, nothing, NO_ROOT, (comm), MPI_Comm comm)

#undef COUNT
#undef DISPLACEMENT
#undef SUFFIX

#if HAS_LARGE_COUNTS
SUMS(sum_of_c, mixed_sum_of_c, MPI_Count)
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define SUFFIX _c
#include "collective_calls.h"
#endif
