/* Collectives: each call of `repeat` makes them one after another on all ranks. `bytes` is what the
   root or a rank contributes as a whole (bcast, reduce, allreduce, scan, exscan, reduce_local) or the
   block of each rank (scatter, gather, allgather, alltoall, the reduce_scatters, and their v and w
   forms, here with equal blocks); reductions add elements of one type. The nonblocking and the persistent
   forms compute for `compute_ns` between their start and their end. */
#include <string.h>

#include "../check.h"
#include "../clock.h"
#include "../operations.h"
#include "collectives.h"

const int has_persistent_collectives = HAS_PERSISTENT_COLLECTIVES;

/* Arguments of the calls below. */
#define ARGUMENTS                                                                                  \
    const struct collective *collective = &context->collective;                                    \
    const int root = collective->root, count = context->out.count;                                 \
    const MPI_Datatype type = context->out.type, *const types = collective->types;                 \
    const MPI_Comm comm = context->comm;                                                           \
    const int elements = (int)(context->bytes / context->element->bytes);                          \
    const MPI_Datatype added = context->element->type();                                           \
    const int *const counts = collective->counts, *const displacements = collective->displacements;\
    int code = MPI_SUCCESS;                                                                        \
    (void)root, (void)count, (void)type, (void)types, (void)elements, (void)added, (void)counts;   \
    (void)displacements, (void)comm

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

#if HAS_PERSISTENT_COLLECTIVES
/* Makes the request once, before a visit: it is bound to its buffers and to the first root. */
#define MAKING(name, call)                                                                         \
    static int name(struct context *context)                                                       \
    {                                                                                              \
        ARGUMENTS;                                                                                 \
        BUFFERS;                                                                                   \
        MPI_Request request;                                                                       \
        code = call;                                                                               \
        context->requests[0] = request;                                                            \
        return code;                                                                               \
    }

/* What a persistent collective repeats. */
static inline int start_and_wait(struct context *context, int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = MPI_Start(context->requests);
        if (code == MPI_SUCCESS && context->compute_ns > 0.0)
            clock_compute((int64_t)context->compute_ns);
        if (code == MPI_SUCCESS)
            code = MPI_Wait(context->requests, MPI_STATUS_IGNORE);
    }
    return code;
}

static inline int free_request(struct context *context)
{
    return MPI_Request_free(context->requests);
}

/* One collective in its forms, from the arguments that all of them share. */
#define FORMS(name, Name, ...)                                                                     \
    BLOCKING(name, MPI_##Name(__VA_ARGS__))                                                        \
    NONBLOCKING(i##name, MPI_I##name(__VA_ARGS__, &request))                                       \
    MAKING(make_##name, MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request))
#else
#define FORMS(name, Name, ...)                                                                     \
    BLOCKING(name, MPI_##Name(__VA_ARGS__))                                                        \
    NONBLOCKING(i##name, MPI_I##name(__VA_ARGS__, &request))
#endif
#define OUT_V out, counts, displacements, type
#define IN_V in, counts, displacements, type
#define ADD added, MPI_SUM

FORMS(barrier, Barrier, comm)
FORMS(bcast, Bcast, out, count, type, root, comm)
FORMS(scatter, Scatter, out, count, type, in, count, type, root, comm)
FORMS(gather, Gather, out, count, type, in, count, type, root, comm)
FORMS(allgather, Allgather, out, count, type, in, count, type, comm)
FORMS(alltoall, Alltoall, out, count, type, in, count, type, comm)
FORMS(scatterv, Scatterv, OUT_V, in, count, type, root, comm)
FORMS(gatherv, Gatherv, out, count, type, IN_V, root, comm)
FORMS(allgatherv, Allgatherv, out, count, type, IN_V, comm)
FORMS(alltoallv, Alltoallv, OUT_V, IN_V, comm)
FORMS(alltoallw, Alltoallw, out, counts, displacements, types, in, counts, displacements, types, comm)
FORMS(reduce, Reduce, out, in, elements, ADD, root, comm)
FORMS(allreduce, Allreduce, out, in, elements, ADD, comm)
FORMS(scan, Scan, out, in, elements, ADD, comm)
FORMS(exscan, Exscan, out, in, elements, ADD, comm)
FORMS(reduce_scatter, Reduce_scatter, out, in, counts, ADD, comm)
FORMS(reduce_scatter_block, Reduce_scatter_block, out, in, elements, ADD, comm)
/* Every rank for itself. */
BLOCKING(reduce_local, MPI_Reduce_local(out, in, elements, ADD))

#define OF_ALL(operation)                                                                          \
    .name = #operation, .messages = 1.0, .between_all = 1, .buffers = BUFFERS_SEPARATE

/* `separate` and `cold` buffers only: what a root sends is not what it received. A persistent request
   stays with its buffers. */
#define BLOCKING_FORM(operation, ...)                                                              \
    {OF_ALL(operation), .accepts = SEPARATE | COLD, .repeat = operation, __VA_ARGS__}
#define NONBLOCKING_FORM(operation, ...)                                                           \
    {OF_ALL(operation), .form = "nonblocking", .overlaps = 1, .accepts = SEPARATE | COLD,          \
     .repeat = operation, __VA_ARGS__}
#define PERSISTENT_FORM(operation, ...)                                                            \
    {OF_ALL(operation), .form = "persistent", .overlaps = 1, .accepts = SEPARATE,                  \
     .repeat = start_and_wait, .prepare = make_##operation, .finish = free_request, __VA_ARGS__}
#if HAS_PERSISTENT_COLLECTIVES
#define LISTED_FORMS(operation, ...)                                                               \
    BLOCKING_FORM(operation, __VA_ARGS__), NONBLOCKING_FORM(i##operation, __VA_ARGS__),            \
        PERSISTENT_FORM(operation, __VA_ARGS__)
#else
#define LISTED_FORMS(operation, ...)                                                               \
    BLOCKING_FORM(operation, __VA_ARGS__), NONBLOCKING_FORM(i##operation, __VA_ARGS__)
#endif

#define BARRIER .empty = 1, .in_place = 1
#define BCAST .in_place = 1, .rooted = 1, .fill = bcast_fill, .check = bcast_check
#define SCATTER                                                                                    \
    .rooted = 1, .out_blocks = BLOCKS_ON_ROOT, .fill = root_blocks_fill, .check = scatter_check
#define GATHER .rooted = 1, .in_blocks = BLOCKS_ON_ROOT, .fill = one_block_fill, .check = gather_check
#define ALLGATHER .in_blocks = BLOCKS_ON_ALL, .fill = one_block_fill, .check = allgather_check
#define ALLTOALL                                                                                   \
    .out_blocks = BLOCKS_ON_ALL, .in_blocks = BLOCKS_ON_ALL, .fill = all_blocks_fill,              \
    .check = alltoall_check
#define REDUCE_SCATTER                                                                             \
    .reduces = 1, .out_blocks = BLOCKS_ON_ALL, .fill = element_blocks_fill,                        \
    .check = reduce_scatter_check
#define ELEMENTS(of) .reduces = 1, .fill = elements_fill, .check = of##_check

static const struct operation collectives[] = {
    LISTED_FORMS(barrier, BARRIER),
    LISTED_FORMS(bcast, BCAST),
    LISTED_FORMS(scatter, SCATTER),
    LISTED_FORMS(gather, GATHER),
    LISTED_FORMS(allgather, ALLGATHER),
    LISTED_FORMS(alltoall, ALLTOALL),
    LISTED_FORMS(scatterv, SCATTER, .varies = 1),
    LISTED_FORMS(gatherv, GATHER, .varies = 1),
    LISTED_FORMS(allgatherv, ALLGATHER, .varies = 1),
    LISTED_FORMS(alltoallv, ALLTOALL, .varies = 1),
    LISTED_FORMS(alltoallw, ALLTOALL, .varies = 1, .in_bytes = 1),
    LISTED_FORMS(reduce, .rooted = 1, ELEMENTS(reduce)),
    LISTED_FORMS(allreduce, ELEMENTS(allreduce)),
    LISTED_FORMS(scan, ELEMENTS(scan)),
    LISTED_FORMS(exscan, ELEMENTS(exscan)),
    LISTED_FORMS(reduce_scatter, REDUCE_SCATTER, .varies = 1),
    LISTED_FORMS(reduce_scatter_block, REDUCE_SCATTER),
    BLOCKING_FORM(reduce_local, .reduces = 1, .accumulates = 1, .fill = local_fill, .check = local_check),
};

const struct operation *collective_named(const char *name, const char *form)
{
    for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; i++) {
        const struct operation *one = &collectives[i];
        const int is_persistent = one->form != NULL && strcmp(one->form, "persistent") == 0;
        if (strcmp(one->name, name) == 0 &&
            (form == NULL ? !is_persistent : one->form != NULL && strcmp(one->form, form) == 0))
            return one;
    }
    return form == NULL ? NULL : collective_by_put(name, form);
}
