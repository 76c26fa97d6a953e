/* Collectives that ranks make themselves by MPI_Put or MPI_Get, in memory of MPI_Win_allocate: one rank to
   or from all others (bcast, scatter, gather), all to or from all (allgather, alltoall). They end with a
   fence; or each origin flushes, and a barrier tells the targets. */
#include "../check.h"
#include "../operations.h"
#include "collectives.h"

/* Which blocks go where: what rank s sends to rank r is block r of what it sends, and becomes block s of
   what r receives. */
struct flow {
    int gets;               /* who receives is the origin, else who sends */
    int from_root, to_root; /* only the root sends, or receives */
    int of_receiver, of_sender; /* there is such a block for each; else there is one */
    int in_place;           /* what is sent and received is the same memory */
};

static size_t place(int has_blocks, int rank, size_t bytes)
{
    return has_blocks ? (size_t)rank * bytes : 0;
}

/* Each origin begins with another peer, so that they do not all meet at one. */
static int move_blocks(struct context *context)
{
    const struct flow *flow = context->parameters;
    const struct message *out = &context->out;
    const int rank = context->rank, root = context->collective.root, ranks = context->ranks;
    const int one_peer = flow->gets ? flow->from_root : flow->to_root;
    const int one_origin = flow->gets ? flow->to_root : flow->from_root;
    int code = MPI_SUCCESS;
    if (one_origin && rank != root)
        return code;
    for (int i = 1; i <= (one_peer ? 1 : ranks) && code == MPI_SUCCESS; i++) {
        const int peer = one_peer ? root : (rank + i) % ranks;
        const int sender = flow->gets ? peer : rank, receiver = flow->gets ? rank : peer;
        const size_t sent = place(flow->of_receiver, receiver, context->bytes);
        const size_t received = place(flow->of_sender, sender, context->bytes);
        if (flow->in_place && peer == rank)
            continue;
        code = flow->gets
                   ? MPI_Get(context->in.base + received, out->count, out->type, peer,
                             (MPI_Aint)sent, out->count, out->type, context->collective.win)
                   : MPI_Put(out->base + sent, out->count, out->type, peer, (MPI_Aint)received,
                             out->count, out->type, context->collective.win);
    }
    return code;
}

/* A fence ends one epoch and begins the next. */
static int repeat_fence(struct context *context, int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = move_blocks(context);
        if (code == MPI_SUCCESS)
            code = MPI_Win_fence(0, context->collective.win);
    }
    return code;
}

static int repeat_flush(struct context *context, int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = move_blocks(context);
        if (code == MPI_SUCCESS)
            code = MPI_Win_flush_all(context->collective.win);
        if (code == MPI_SUCCESS)
            code = MPI_Barrier(context->comm);
        if (code == MPI_SUCCESS)
            code = MPI_Win_sync(context->collective.win);
    }
    return code;
}

/* The memory that others work on is the window's, as long as the visit. */
static int open_window(struct context *context)
{
    const struct flow *flow = context->parameters;
    struct message *exposed = flow->gets ? &context->out : &context->in;
    char *base = NULL;
    const MPI_Aint bytes = (MPI_Aint)(exposed->bytes > 0 ? exposed->bytes : 1);
    MPI_Win *win = &context->collective.win;
    const int code = MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, context->comm, &base, win);
    if (code != MPI_SUCCESS)
        return code;
    memset(base, 1, (size_t)bytes);
    exposed->base = base;
    exposed->at = 0;
    if (flow->in_place)
        context->out = context->in = *exposed;
    return_window_errors(*win);
    return MPI_SUCCESS;
}

static int open_fence(struct context *context)
{
    const int code = open_window(context);
    return code == MPI_SUCCESS ? MPI_Win_fence(0, context->collective.win) : code;
}

static int open_flush(struct context *context)
{
    const int code = open_window(context);
    return code == MPI_SUCCESS ? MPI_Win_lock_all(0, context->collective.win) : code;
}

static int close_fence(struct context *context)
{
    const int code = MPI_Win_fence(MPI_MODE_NOSUCCEED, context->collective.win);
    return code == MPI_SUCCESS ? MPI_Win_free(&context->collective.win) : code;
}

static int close_flush(struct context *context)
{
    const int code = MPI_Win_unlock_all(context->collective.win);
    return code == MPI_SUCCESS ? MPI_Win_free(&context->collective.win) : code;
}

/* With --verify: what is stored and loaded here is what the others work on. */
static void synchronize(const struct context *context)
{
    check(MPI_Win_sync(context->collective.win), "MPI_Win_sync");
}

#define FILLED(name, fill)                                                                         \
    static void name##_fill_window(struct context *context, int repetition)                        \
    {                                                                                              \
        fill(context, repetition);                                                                 \
        synchronize(context);                                                                      \
    }
FILLED(bcast, bcast_fill)
FILLED(scatter, root_blocks_fill)
FILLED(gather, one_block_fill)
FILLED(allgather, one_block_fill)
FILLED(alltoall, all_blocks_fill)

#define BY(name_, form_, flow_, how, ...)                                                          \
    {.name = #name_, .form = form_, .messages = 1.0, .between_all = 1, .in_window = 1,             \
     .buffers = BUFFERS_SEPARATE, .accepts = SEPARATE, .prepare = open_##how,                      \
     .finish = close_##how, .repeat = repeat_##how, .parameters = &(flow_),                        \
     .check = name_##_check, __VA_ARGS__}
/* In an epoch of fences, memory is loaded and stored between two of them alone. */
#define FORMS(name, fill_, ...)                                                                    \
    BY(name, "put-fence", puts_##name, fence, .fill = fill_, __VA_ARGS__),                         \
        BY(name, "put-flush", puts_##name, flush, .fill = name##_fill_window, __VA_ARGS__),        \
        BY(name, "get-fence", gets_##name, fence, .fill = fill_, __VA_ARGS__),                     \
        BY(name, "get-flush", gets_##name, flush, .fill = name##_fill_window, __VA_ARGS__)
#define FLOWS(name, ...)                                                                           \
    static const struct flow puts_##name = {.gets = 0, __VA_ARGS__};                               \
    static const struct flow gets_##name = {.gets = 1, __VA_ARGS__}
FLOWS(bcast, .from_root = 1, .in_place = 1);
FLOWS(scatter, .from_root = 1, .of_receiver = 1);
FLOWS(gather, .to_root = 1, .of_sender = 1);
FLOWS(allgather, .of_sender = 1);
FLOWS(alltoall, .of_receiver = 1, .of_sender = 1);

static const struct operation collectives[] = {
    FORMS(bcast, bcast_fill, .in_place = 1, .rooted = 1),
    FORMS(scatter, root_blocks_fill, .rooted = 1, .out_blocks = BLOCKS_ON_ROOT),
    FORMS(gather, one_block_fill, .rooted = 1, .in_blocks = BLOCKS_ON_ROOT),
    FORMS(allgather, one_block_fill, .in_blocks = BLOCKS_ON_ALL),
    FORMS(alltoall, all_blocks_fill, .out_blocks = BLOCKS_ON_ALL, .in_blocks = BLOCKS_ON_ALL),
};

const struct operation *collective_by_put(const char *name, const char *form)
{
    for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; i++)
        if (strcmp(collectives[i].name, name) == 0 && strcmp(collectives[i].form, form) == 0)
            return &collectives[i];
    return NULL;
}
