/* Collectives: each call of `repeat` makes them one after another on all ranks. `bytes` is what the
   root or a rank contributes as a whole (bcast, reduce, allreduce, scan) or the block of each rank
   (scatter, gather, allgather, alltoall, reduce_scatter_block and their v forms, here with equal
   blocks); reductions add 4-byte integers. The nonblocking forms compute for `compute_ns` between
   their start and their end. */
#include <string.h>

#include "../clock.h"
#include "../operations.h"

/* What the calls below may name. */
#define ARGUMENTS                                                                                  \
    const int root = exchange->root, count = exchange->out.count;                                  \
    const MPI_Datatype type = exchange->out.type;                                                  \
    const MPI_Comm comm = exchange->comm;                                                          \
    const int elements = (int)(exchange->bytes / sizeof(int32_t));                                 \
    const int *const counts = exchange->counts, *const places = exchange->places;                  \
    char *const out = exchange->out.base, *const in = exchange->in.base;                           \
    int code = MPI_SUCCESS;                                                                        \
    (void)root, (void)count, (void)type, (void)elements, (void)counts, (void)places;               \
    (void)out, (void)in

#define BLOCKING(name, call)                                                                       \
    static int name(struct exchange *exchange, int64_t repetitions)                                \
    {                                                                                              \
        ARGUMENTS;                                                                                 \
        for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++)                           \
            code = call;                                                                           \
        return code;                                                                               \
    }

#define NONBLOCKING(name, call)                                                                    \
    static int name(struct exchange *exchange, int64_t repetitions)                                \
    {                                                                                              \
        ARGUMENTS;                                                                                 \
        for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {                         \
            MPI_Request request;                                                                   \
            code = call;                                                                           \
            if (code == MPI_SUCCESS && exchange->compute_ns > 0.0)                                 \
                clock_compute((int64_t)exchange->compute_ns);                                      \
            if (code == MPI_SUCCESS)                                                               \
                code = MPI_Wait(&request, MPI_STATUS_IGNORE);                                      \
        }                                                                                          \
        return code;                                                                               \
    }

BLOCKING(barrier, MPI_Barrier(comm))
BLOCKING(bcast, MPI_Bcast(out, count, type, root, comm))
BLOCKING(scatter, MPI_Scatter(out, count, type, in, count, type, root, comm))
BLOCKING(gather, MPI_Gather(out, count, type, in, count, type, root, comm))
BLOCKING(allgather, MPI_Allgather(out, count, type, in, count, type, comm))
BLOCKING(alltoall, MPI_Alltoall(out, count, type, in, count, type, comm))
BLOCKING(scatterv, MPI_Scatterv(out, counts, places, type, in, count, type, root, comm))
BLOCKING(gatherv, MPI_Gatherv(out, count, type, in, counts, places, type, root, comm))
BLOCKING(allgatherv, MPI_Allgatherv(out, count, type, in, counts, places, type, comm))
BLOCKING(alltoallv, MPI_Alltoallv(out, counts, places, type, in, counts, places, type, comm))
BLOCKING(reduce, MPI_Reduce(out, in, elements, MPI_INT32_T, MPI_SUM, root, comm))
BLOCKING(allreduce, MPI_Allreduce(out, in, elements, MPI_INT32_T, MPI_SUM, comm))
BLOCKING(scan, MPI_Scan(out, in, elements, MPI_INT32_T, MPI_SUM, comm))
BLOCKING(reduce_scatter_block,
         MPI_Reduce_scatter_block(out, in, elements, MPI_INT32_T, MPI_SUM, comm))

NONBLOCKING(ibarrier, MPI_Ibarrier(comm, &request))
NONBLOCKING(ibcast, MPI_Ibcast(out, count, type, root, comm, &request))
NONBLOCKING(iscatter, MPI_Iscatter(out, count, type, in, count, type, root, comm, &request))
NONBLOCKING(igather, MPI_Igather(out, count, type, in, count, type, root, comm, &request))
NONBLOCKING(iallgather, MPI_Iallgather(out, count, type, in, count, type, comm, &request))
NONBLOCKING(ialltoall, MPI_Ialltoall(out, count, type, in, count, type, comm, &request))
NONBLOCKING(ireduce, MPI_Ireduce(out, in, elements, MPI_INT32_T, MPI_SUM, root, comm, &request))
NONBLOCKING(iallreduce, MPI_Iallreduce(out, in, elements, MPI_INT32_T, MPI_SUM, comm, &request))

#define PLAIN(form) .name = #form, .messages = 1.0, .repeat = form

static const struct operation collectives[] = {
    {PLAIN(barrier), .empty = 1, .in_place = 1},
    {PLAIN(bcast), .in_place = 1},
    {PLAIN(scatter), .blocks = 1},
    {PLAIN(gather), .blocks = 1},
    {PLAIN(allgather), .blocks = 1},
    {PLAIN(alltoall), .blocks = 1},
    {PLAIN(scatterv), .blocks = 1},
    {PLAIN(gatherv), .blocks = 1},
    {PLAIN(allgatherv), .blocks = 1},
    {PLAIN(alltoallv), .blocks = 1},
    {PLAIN(reduce), .reduces = 1},
    {PLAIN(allreduce), .reduces = 1},
    {PLAIN(scan), .reduces = 1},
    {PLAIN(reduce_scatter_block), .blocks = 1, .reduces = 1},
    {PLAIN(ibarrier), .empty = 1, .in_place = 1, .overlaps = 1},
    {PLAIN(ibcast), .in_place = 1, .overlaps = 1},
    {PLAIN(iscatter), .blocks = 1, .overlaps = 1},
    {PLAIN(igather), .blocks = 1, .overlaps = 1},
    {PLAIN(iallgather), .blocks = 1, .overlaps = 1},
    {PLAIN(ialltoall), .blocks = 1, .overlaps = 1},
    {PLAIN(ireduce), .reduces = 1, .overlaps = 1},
    {PLAIN(iallreduce), .reduces = 1, .overlaps = 1},
};

const struct operation *collective_named(const char *name)
{
    for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; i++)
        if (strcmp(collectives[i].name, name) == 0)
            return &collectives[i];
    return NULL;
}
