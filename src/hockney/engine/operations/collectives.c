/* Collectives: each call of `repeat` makes them one after another on all ranks. `bytes` is what the
   root or a rank contributes as a whole (bcast, reduce, allreduce, scan) or the block of each rank
   (scatter, gather, allgather, alltoall, reduce_scatter_block); reductions add 4-byte integers. */
#include <string.h>

#include "../operations.h"

#define COLLECTIVE(name, call)                                                                     \
    static int name(struct exchange *exchange, int64_t repetitions)                                \
    {                                                                                              \
        const int root = exchange->root, count = exchange->out.count;                              \
        const MPI_Datatype type = exchange->out.type;                                              \
        const MPI_Comm comm = exchange->comm;                                                      \
        const int elements = (int)(exchange->bytes / sizeof(int32_t));                             \
        char *const out = exchange->out.base, *const in = exchange->in.base;                       \
        int code = MPI_SUCCESS;                                                                    \
        (void)root, (void)count, (void)type, (void)elements, (void)out, (void)in;                  \
        for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++)                           \
            code = call;                                                                           \
        return code;                                                                               \
    }

COLLECTIVE(barrier, MPI_Barrier(comm))
COLLECTIVE(bcast, MPI_Bcast(out, count, type, root, comm))
COLLECTIVE(scatter, MPI_Scatter(out, count, type, in, count, type, root, comm))
COLLECTIVE(gather, MPI_Gather(out, count, type, in, count, type, root, comm))
COLLECTIVE(allgather, MPI_Allgather(out, count, type, in, count, type, comm))
COLLECTIVE(alltoall, MPI_Alltoall(out, count, type, in, count, type, comm))
COLLECTIVE(reduce, MPI_Reduce(out, in, elements, MPI_INT32_T, MPI_SUM, root, comm))
COLLECTIVE(allreduce, MPI_Allreduce(out, in, elements, MPI_INT32_T, MPI_SUM, comm))
COLLECTIVE(scan, MPI_Scan(out, in, elements, MPI_INT32_T, MPI_SUM, comm))
COLLECTIVE(reduce_scatter_block,
           MPI_Reduce_scatter_block(out, in, elements, MPI_INT32_T, MPI_SUM, comm))

static const struct operation collectives[] = {
    {.name = "barrier", .messages = 1.0, .repeat = barrier},
    {.name = "bcast", .messages = 1.0, .repeat = bcast},
    {.name = "scatter", .messages = 1.0, .blocks = 1, .repeat = scatter},
    {.name = "gather", .messages = 1.0, .blocks = 1, .repeat = gather},
    {.name = "reduce", .messages = 1.0, .reduces = 1, .repeat = reduce},
    {.name = "allreduce", .messages = 1.0, .reduces = 1, .repeat = allreduce},
    {.name = "allgather", .messages = 1.0, .blocks = 1, .repeat = allgather},
    {.name = "alltoall", .messages = 1.0, .blocks = 1, .repeat = alltoall},
    {.name = "reduce_scatter_block", .messages = 1.0, .blocks = 1, .reduces = 1,
     .repeat = reduce_scatter_block},
    {.name = "scan", .messages = 1.0, .reduces = 1, .repeat = scan},
};

const struct operation *collective_named(const char *name)
{
    for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; i++)
        if (strcmp(collectives[i].name, name) == 0)
            return &collectives[i];
    return NULL;
}
