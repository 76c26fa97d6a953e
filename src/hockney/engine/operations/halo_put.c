/* Halo exchanges by MPI_Put: the rank writes into its neighbours' receive buffers, between two fences of
   all ranks, or between post, start, complete and wait of the neighbours alone. */
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

static int open_window(struct context *context)
{
    struct halo *halo = context->halo;
    int code = halo_prepare(context, 0);
    if (code == MPI_SUCCESS)
        code = MPI_Win_create(context->in.base + context->in.at, (MPI_Aint)context->in.bytes, 1,
                              MPI_INFO_NULL, halo->comm, &halo->win);
    if (code == MPI_SUCCESS)
        return_window_errors(halo->win);
    return code == MPI_SUCCESS ? make_group(halo) : code;
}

static int close_window(struct context *context)
{
    struct halo *halo = context->halo;
    int code = halo->others == MPI_GROUP_EMPTY ? MPI_SUCCESS : MPI_Group_free(&halo->others);
    if (code == MPI_SUCCESS)
        code = MPI_Win_free(&halo->win);
    return code == MPI_SUCCESS ? halo_finish(context) : code;
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

#define BY_PUT(name_, loop)                                                                        \
    HALO(name_), .overlaps = 1, .accepts = SEPARATE, .prepare = open_window,                       \
                 .finish = close_window, .repeat = loop, .fill = halo_fill, .check = halo_check

static const struct operation put_fence = {BY_PUT("put-fence", repeat_fence)};
LISTED_EXCHANGE(put_fence);
static const struct operation put_pscw = {BY_PUT("put-pscw", repeat_pscw)};
LISTED_EXCHANGE(put_pscw);
