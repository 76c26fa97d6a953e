/* Halo exchanges by MPI_Put into the neighbours' receive buffers, or by MPI_Get from their send buffers:
   between two fences of all ranks; between post, start, complete and wait of the neighbours alone; or by a
   flush under one lock of all ranks, where an empty message to each neighbour says that all was put, or may
   be got, and another one that it was unpacked, or got: what lies there may then be overwritten. */
#include "../check.h"
#include "halo_messages.h"

/* All neighbours, of which MPI_Group_incl wants each once. */
static int make_group(struct halo *halo)
{
    int ranks[MOST_NEIGHBORS], count = 0;
    MPI_Group all;
    for (int i = 0; i < halo->neighbors; i++) {
        const int peer = halo->peers[halo->ways[i]];
        int known = 0;
        for (int j = 0; j < count; j++)
            known = known || ranks[j] == peer;
        if (!known)
            ranks[count++] = peer;
    }
    int code = MPI_Comm_group(halo->comm, &all);
    if (code == MPI_SUCCESS)
        code = MPI_Group_incl(all, count, ranks, &halo->others);
    return code == MPI_SUCCESS ? MPI_Group_free(&all) : code;
}

static int expose(struct context *context, const struct message *exposed)
{
    struct halo *halo = context->halo;
    int code = halo_prepare(context, 0);
    if (code == MPI_SUCCESS)
        code = MPI_Win_create(exposed->base + exposed->at, (MPI_Aint)exposed->bytes, 1,
                              MPI_INFO_NULL, halo->comm, &halo->win);
    if (code == MPI_SUCCESS)
        return_window_errors(halo->win);
    return code == MPI_SUCCESS ? make_group(halo) : code;
}

static int open_window(struct context *context) { return expose(context, &context->in); }

static int open_get_window(struct context *context) { return expose(context, &context->out); }

static int open_locked(struct context *context)
{
    const int code = open_window(context);
    return code == MPI_SUCCESS ? MPI_Win_lock_all(0, context->halo->win) : code;
}

static int open_get_locked(struct context *context)
{
    const int code = open_get_window(context);
    return code == MPI_SUCCESS ? MPI_Win_lock_all(0, context->halo->win) : code;
}

static int close_window(struct context *context)
{
    struct halo *halo = context->halo;
    int code = halo->others == MPI_GROUP_EMPTY ? MPI_SUCCESS : MPI_Group_free(&halo->others);
    if (code == MPI_SUCCESS)
        code = MPI_Win_free(&halo->win);
    return code == MPI_SUCCESS ? halo_finish(context) : code;
}

static int close_locked(struct context *context)
{
    const int code = MPI_Win_unlock_all(context->halo->win);
    return code == MPI_SUCCESS ? close_window(context) : code;
}

/* A message in one direction arrives where its receiver has that of the opposite one. */
static int put_all(struct halo *halo, char *out)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < halo->neighbors && code == MPI_SUCCESS; i++) {
        const int way = halo->ways[i];
        const size_t there = halo->first + (size_t)halo->slots[way ^ 1] * halo->pitch;
        pack(halo, out, way);
        code = MPI_Put(slot_of(halo, out, way), halo->count, halo->type, halo->peers[way],
                       (MPI_Aint)there, halo->count, halo->type, halo->win);
    }
    return code;
}

/* What a neighbour sends in the opposite direction. */
static int get_all(struct halo *halo, char *in)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < halo->neighbors && code == MPI_SUCCESS; i++) {
        const int way = halo->ways[i];
        const size_t there = halo->first + (size_t)halo->slots[way ^ 1] * halo->pitch;
        code = MPI_Get(slot_of(halo, in, way), halo->count, halo->type, halo->peers[way],
                       (MPI_Aint)there, halo->count, halo->type, halo->win);
    }
    return code;
}

/* An empty message to and from each neighbour; what they stored before it is seen after it. */
static int notify(struct halo *halo)
{
    int code = MPI_Win_sync(halo->win);
    for (int i = 0; i < halo->neighbors && code == MPI_SUCCESS; i++) {
        const int way = halo->ways[i];
        code = MPI_Irecv(NULL, 0, MPI_BYTE, halo->peers[way], way ^ 1, halo->comm,
                         &halo->requests[i]);
        if (code == MPI_SUCCESS)
            code = MPI_Isend(NULL, 0, MPI_BYTE, halo->peers[way], way, halo->comm,
                             &halo->requests[halo->neighbors + i]);
    }
    if (code == MPI_SUCCESS)
        code = MPI_Waitall(2 * halo->neighbors, halo->requests, halo->statuses);
    return code == MPI_SUCCESS ? MPI_Win_sync(halo->win) : code;
}

static int put_and_flush(const struct context *context, char *out, char *in)
{
    struct halo *halo = context->halo;
    int code = put_all(halo, out);
    compute(context);
    if (code == MPI_SUCCESS)
        code = MPI_Win_flush_all(halo->win);
    if (code == MPI_SUCCESS)
        code = notify(halo);
    unpack_all(halo, in);
    return code == MPI_SUCCESS ? notify(halo) : code; /* what was put may be overwritten */
}

static int get_and_flush(const struct context *context, char *out, char *in)
{
    struct halo *halo = context->halo;
    pack_all(halo, out);
    int code = notify(halo);
    if (code == MPI_SUCCESS)
        code = get_all(halo, in);
    compute(context);
    if (code == MPI_SUCCESS)
        code = MPI_Win_flush_all(halo->win);
    return code == MPI_SUCCESS ? notify(halo) : code; /* what was got may be overwritten */
}

static int get_between_fences(const struct context *context, char *out, char *in)
{
    struct halo *halo = context->halo;
    pack_all(halo, out);
    int code = MPI_Win_fence(MPI_MODE_NOPRECEDE, halo->win);
    if (code == MPI_SUCCESS)
        code = get_all(halo, in);
    compute(context);
    return code == MPI_SUCCESS ? MPI_Win_fence(MPI_MODE_NOSUCCEED, halo->win) : code;
}

static int between_fences(const struct context *context, char *out)
{
    struct halo *halo = context->halo;
    int code = MPI_Win_fence(MPI_MODE_NOPRECEDE, halo->win);
    if (code == MPI_SUCCESS)
        code = put_all(halo, out);
    compute(context);
    return code == MPI_SUCCESS ? MPI_Win_fence(MPI_MODE_NOSUCCEED, halo->win) : code;
}

static int among_neighbors(const struct context *context, char *out)
{
    struct halo *halo = context->halo;
    int code = MPI_Win_post(halo->others, 0, halo->win);
    if (code == MPI_SUCCESS)
        code = MPI_Win_start(halo->others, 0, halo->win);
    if (code == MPI_SUCCESS)
        code = put_all(halo, out);
    compute(context);
    if (code == MPI_SUCCESS)
        code = MPI_Win_complete(halo->win);
    return code == MPI_SUCCESS ? MPI_Win_wait(halo->win) : code;
}

REPEATED(repeat_fence, code = between_fences(context, out); unpack_all(halo, in);)
REPEATED(repeat_pscw, code = among_neighbors(context, out); unpack_all(halo, in);)

REPEATED(repeat_put_flush, (void)halo; code = put_and_flush(context, out, in);)
REPEATED(repeat_get_fence, code = get_between_fences(context, out, in); unpack_all(halo, in);)
REPEATED(repeat_get_flush, code = get_and_flush(context, out, in); unpack_all(halo, in);)

#define IN_WINDOW(name_, open, close, loop)                                                        \
    HALO(name_), .overlaps = 1, .accepts = SEPARATE, .prepare = open, .finish = close,             \
                 .repeat = loop, .fill = halo_fill, .check = halo_check

static const struct operation put_fence = {
    IN_WINDOW("put-fence", open_window, close_window, repeat_fence)};
LISTED_EXCHANGE(put_fence);
static const struct operation put_pscw = {
    IN_WINDOW("put-pscw", open_window, close_window, repeat_pscw)};
LISTED_EXCHANGE(put_pscw);
static const struct operation put_flush = {
    IN_WINDOW("put-flush", open_locked, close_locked, repeat_put_flush)};
LISTED_EXCHANGE(put_flush);
static const struct operation get_fence = {
    IN_WINDOW("get-fence", open_get_window, close_window, repeat_get_fence)};
LISTED_EXCHANGE(get_fence);
static const struct operation get_flush = {
    IN_WINDOW("get-flush", open_get_locked, close_locked, repeat_get_flush)};
LISTED_EXCHANGE(get_flush);
