/* Halo exchanges by partitioned messages (MPI 4): each part of a message may be sent as soon as it is
   packed. */
#include "halo_messages.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)

static int make_requests(struct context *context)
{
    int code = halo_prepare(context, 0);
    struct halo *halo = context->halo;
    const int parts = halo->grid->parts;
    const size_t bytes = halo->bytes / (size_t)parts;
    const MPI_Count count = halo->is_column ? 1 : (MPI_Count)bytes;
    char *out = context->out.base + context->out.at, *in = context->in.base + context->in.at;
    halo->part = halo->is_column ? halo_column_type(bytes) : MPI_BYTE;
    for (int i = 0; i < halo->neighbors && code == MPI_SUCCESS; i++) {
        const int way = halo->ways[i], peer = halo->peers[way];
        code = MPI_Precv_init(slot_of(halo, in, way), parts, count, halo->part, peer, way ^ 1,
                              halo->comm, MPI_INFO_NULL, &halo->requests[i]);
        if (code == MPI_SUCCESS)
            code = MPI_Psend_init(slot_of(halo, out, way), parts, count, halo->part, peer, way,
                                  halo->comm, MPI_INFO_NULL,
                                  &halo->requests[halo->neighbors + i]);
    }
    return code;
}

static int free_requests(struct context *context)
{
    struct halo *halo = context->halo;
    const int code = halo->is_column ? MPI_Type_free(&halo->part) : MPI_SUCCESS;
    return code == MPI_SUCCESS ? halo_free_requests(context) : code;
}

static int send_parts(struct halo *halo, char *out)
{
    const size_t parts = (size_t)halo->grid->parts;
    int code = MPI_Startall(2 * halo->neighbors, halo->requests);
    for (int i = 0; i < halo->neighbors; i++) {
        const int way = halo->ways[i];
        for (size_t part = 0; part < parts && code == MPI_SUCCESS; part++) {
            if (is_packed(halo, way))
                pack_part(halo, out, halo->slots[way], halo->bytes / parts * part,
                          halo->bytes / parts * (part + 1));
            code = MPI_Pready((int)part, halo->requests[halo->neighbors + i]);
        }
    }
    return code;
}

REPEATED(
    repeat, code = send_parts(halo, out); compute(context);
    if (code == MPI_SUCCESS) code = MPI_Waitall(2 * halo->neighbors, halo->requests, halo->statuses);
    unpack_all(halo, in);)

static const struct operation partitioned = {
    HALO("partitioned"), .overlaps = 1, .accepts = SEPARATE,
    .prepare = make_requests, .finish = free_requests, .repeat = repeat, .fill = halo_fill,
    .check = halo_check,
};
LISTED_EXCHANGE(partitioned);

#endif
