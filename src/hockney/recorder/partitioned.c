/* Partitioned messages (MPI 4): a persistent request with the bytes of all its partitions. */
#include "wrap.h"

#if MPI_VERSION >= 4

#define SUFFIX

static void count_partitioned(uint16_t call, int partitions, MPI_Count elements,
                              MPI_Datatype datatype, int rank, int tag, MPI_Comm comm, int is_receive,
                              uintptr_t handle, uint64_t enter)
{
    const uint64_t spent = ticks() - enter;
    lock_recorder();
    const struct type type = type_of(datatype);
    const uint16_t group = group_of(comm);
    struct request request = {.handle = handle, .tag = tag, .is_receive = (uint8_t)is_receive,
                              .is_persistent = 1, .is_partitioned = 1,
                              .operation = {.call = call, .group = group, .datatype = type.kind,
                                            .peer = peer_in(group, rank),
                                            .bytes = (uint64_t)partitions * (uint64_t)elements *
                                                     type.size}};
    request.cell = count(&request.operation, spent);
    add_request(&request);
    unlock_recorder();
}

#define PARTITIONED(NAME, BUFFER, IS_RECEIVE)                                                      \
    WRAP(NAME, (buffer, partitions, elements, datatype, rank, tag, comm, info, request),           \
         BUFFER *buffer, int partitions, MPI_Count elements, MPI_Datatype datatype, int rank,      \
         int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)                              \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real(buffer, partitions, elements, datatype, rank, tag, comm, info,     \
                                request);                                                          \
        if (result == MPI_SUCCESS)                                                                 \
            count_partitioned(call, partitions, elements, datatype, rank, tag, comm, IS_RECEIVE,   \
                              HANDLE(*request), enter);                                            \
        return result;                                                                             \
    }

PARTITIONED(Psend_init, const void, 0)
PARTITIONED(Precv_init, void, 1)

#define PLAIN(NAME, ARGUMENTS, ...)                                                                \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real ARGUMENTS;                                                         \
        count_plain(call, NO_GROUP, NO_PEER, enter);                                               \
        return result;                                                                             \
    }

PLAIN(Pready, (partition, request), int partition, MPI_Request request)
PLAIN(Pready_range, (first, last_one, request), int first, int last_one, MPI_Request request)
/* With const or without, as the header at hand declares it. */
typedef __typeof__(*_Generic(&MPI_Pready_list, int (*)(int, const int *, MPI_Request) : (const int *)0, \
                             default : (int *)0)) partition_number;
PLAIN(Pready_list, (number, of, request), int number, partition_number of[], MPI_Request request)
PLAIN(Parrived, (request, partition, flag), MPI_Request request, int partition, int *flag)

#endif
