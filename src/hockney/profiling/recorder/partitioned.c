/* Partitioned messages (MPI 4): a persistent request with the bytes of all its partitions. */
#include "polls.h"

#if HAS_MPI_4

#define SUFFIX

static void count_partitioned(const struct done *done, const void *buffer, uint64_t elements,
                              MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,
                              enum request_kind kind, const MPI_Request *handle)
{
    if (has_failed(done)) {
        count_plain(done, NO_GROUP, NO_PEER);
        return;
    }
    const uint16_t group = group_of(comm);
    struct request request = {.handle = HANDLE(*handle), .tag = tag, .kind = (uint8_t)kind,
                              .is_persistent = 1,
                              .operation = {.call = done->call, .group = group,
                                            .peer = peer_in(group, rank)}};
    if (rank != MPI_PROC_NULL) {
        const struct type type = type_of(datatype);
        request.operation.datatype = type.kind;
        request.operation.bytes = elements * type.size;
        request.operation.memory = memory_of(buffer, request.operation.bytes);
    }
    if (!begin_entry())
        return;
    request.cell = count(&request.operation, done->exit - done->enter);
    add_request(&request);
    unlock_recorder();
}

#define STARTS(KIND)                                                                               \
    count_partitioned(&done, buffer, (uint64_t)partitions * (uint64_t)elements, datatype, rank,    \
                      tag, comm, KIND, request)
#define PARTITIONS                                                                                 \
    int partitions, MPI_Count elements, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,   \
        MPI_Info info, MPI_Request *request
#define NAMES_OF_THEM buffer, partitions, elements, datatype, rank, tag, comm, info, request

CALL(Psend_init, STARTS(SEND_REQUEST), (NAMES_OF_THEM), const void *buffer, PARTITIONS)
CALL(Precv_init, STARTS(RECEIVE_REQUEST), (NAMES_OF_THEM), void *buffer, PARTITIONS)
CALL(Pready, PLAIN, (partition, request), int partition, MPI_Request request)
CALL(Pready_range, PLAIN, (first, last, request), int first, int last, MPI_Request request)
/* With const or without, as the header at hand declares it. */
typedef __typeof__(*_Generic(&MPI_Pready_list, int (*)(int, const int *, MPI_Request) : (const int *)0, \
                             default : (int *)0)) partition_number;
CALL(Pready_list, PLAIN, (number, of, request), int number, partition_number of[], MPI_Request request)
POLLS(Parrived, *flag, NULL, , (request, partition, flag), MPI_Request request, int partition,
      int *flag)

#endif
