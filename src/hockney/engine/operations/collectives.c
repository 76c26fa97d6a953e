/* Collectives: each call of `repeat` makes them one after another on all ranks. `bytes` is what the
   root or a rank contributes as a whole (bcast, reduce, allreduce, scan) or the block of each rank
   (scatter, gather, allgather, alltoall, reduce_scatter_block and their v forms, here with equal
   blocks); reductions add 4-byte integers. The nonblocking forms compute for `compute_ns` between
   their start and their end. */
#include <string.h>

#include "../clock.h"
#include "../operations.h"
#include "collectives.h"

/* Arguments of the calls below. */
#define ARGUMENTS                                                                                  \
    const int root = context->root, count = context->out.count;                                    \
    const MPI_Datatype type = context->out.type;                                                   \
    const MPI_Comm comm = context->comm;                                                           \
    const int elements = (int)(context->bytes / sizeof(int32_t));                                  \
    const int *const counts = context->counts, *const displacements = context->displacements;      \
    int code = MPI_SUCCESS;                                                                        \
    (void)root, (void)count, (void)type, (void)elements, (void)counts, (void)displacements

#define BUFFERS                                                                                    \
    char *const out = message_next(&context->out), *const in = message_next(&context->in);         \
    (void)out, (void)in

#define BLOCKING(name, call)                                                                       \
    static int name(struct context *context, int64_t repetitions)                                  \
    {                                                                                              \
        ARGUMENTS;                                                                                 \
        for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {                         \
            BUFFERS;                                                                               \
            code = call;                                                                           \
        }                                                                                          \
        return code;                                                                               \
    }

#define NONBLOCKING(name, call)                                                                    \
    static int name(struct context *context, int64_t repetitions)                                  \
    {                                                                                              \
        ARGUMENTS;                                                                                 \
        for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {                         \
            BUFFERS;                                                                               \
            MPI_Request request;                                                                   \
            code = call;                                                                           \
            if (code == MPI_SUCCESS && context->compute_ns > 0.0)                                  \
                clock_compute((int64_t)context->compute_ns);                                       \
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
BLOCKING(scatterv, MPI_Scatterv(out, counts, displacements, type, in, count, type, root, comm))
BLOCKING(gatherv, MPI_Gatherv(out, count, type, in, counts, displacements, type, root, comm))
BLOCKING(allgatherv, MPI_Allgatherv(out, count, type, in, counts, displacements, type, comm))
BLOCKING(alltoallv, MPI_Alltoallv(out, counts, displacements, type, in, counts, displacements, type, comm))
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

/* `separate` and `cold` buffers only: what a root sends is not what it received. */
#define FORM(form)                                                                                 \
    .name = #form, .messages = 1.0, .between_all = 1, .buffers = BUFFERS_SEPARATE,                 \
    .accepts = SEPARATE | COLD, .repeat = form
#define BARRIER .empty = 1, .in_place = 1
#define BCAST .in_place = 1, .rooted = 1, .fill = bcast_fill, .check = bcast_check
#define SCATTER                                                                                    \
    .rooted = 1, .out_blocks = BLOCKS_ON_ROOT, .fill = root_blocks_fill, .check = scatter_check
#define GATHER .rooted = 1, .in_blocks = BLOCKS_ON_ROOT, .fill = one_block_fill, .check = gather_check
#define ALLGATHER .in_blocks = BLOCKS_ON_ALL, .fill = one_block_fill, .check = allgather_check
#define ALLTOALL                                                                                   \
    .out_blocks = BLOCKS_ON_ALL, .in_blocks = BLOCKS_ON_ALL, .fill = all_blocks_fill,              \
    .check = alltoall_check
#define REDUCE .rooted = 1, .reduces = 1, .fill = elements_fill, .check = reduce_check
#define ALLREDUCE .reduces = 1, .fill = elements_fill, .check = allreduce_check

static const struct operation collectives[] = {
    {FORM(barrier), BARRIER},
    {FORM(bcast), BCAST},
    {FORM(scatter), SCATTER},
    {FORM(gather), GATHER},
    {FORM(allgather), ALLGATHER},
    {FORM(alltoall), ALLTOALL},
    {FORM(scatterv), SCATTER, .varies = 1},
    {FORM(gatherv), GATHER, .varies = 1},
    {FORM(allgatherv), ALLGATHER, .varies = 1},
    {FORM(alltoallv), ALLTOALL, .varies = 1},
    {FORM(reduce), REDUCE},
    {FORM(allreduce), ALLREDUCE},
    {FORM(scan), .reduces = 1, .fill = elements_fill, .check = scan_check},
    {FORM(reduce_scatter_block), .reduces = 1, .out_blocks = BLOCKS_ON_ALL,
     .fill = element_blocks_fill, .check = reduce_scatter_check},
    {FORM(ibarrier), BARRIER, .overlaps = 1},
    {FORM(ibcast), BCAST, .overlaps = 1},
    {FORM(iscatter), SCATTER, .overlaps = 1},
    {FORM(igather), GATHER, .overlaps = 1},
    {FORM(iallgather), ALLGATHER, .overlaps = 1},
    {FORM(ialltoall), ALLTOALL, .overlaps = 1},
    {FORM(ireduce), REDUCE, .overlaps = 1},
    {FORM(iallreduce), ALLREDUCE, .overlaps = 1},
};

const struct operation *collective_named(const char *name)
{
    for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; i++)
        if (strcmp(collectives[i].name, name) == 0)
            return &collectives[i];
    return NULL;
}
