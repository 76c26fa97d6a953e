/* Halo exchanges: every rank sends a message to each neighbour and receives one from each, between two
   ranks by the calls that programs use, or by a neighbourhood collective. Directions are tags, so that
   two ranks that are neighbours twice do not mix up their messages. */
#include <string.h>

#include "../clock.h"
#include "collectives.h"
#include "halo_messages.h"

/* Messages are posted to neighbours that exist. */
static int post(struct halo *halo, char *out, char *in)
{
    const int neighbors = halo->neighbors;
    int code = MPI_SUCCESS;
    for (int i = 0; i < neighbors && code == MPI_SUCCESS; i++) {
        const int way = halo->ways[i];
        code = MPI_Irecv(slot_of(halo, in, way), halo->count, halo->type, halo->peers[way], way ^ 1,
                         halo->comm, &halo->requests[i]);
    }
    for (int i = 0; i < neighbors && code == MPI_SUCCESS; i++) {
        const int way = halo->ways[i];
        pack(halo, out, way);
        code = MPI_Isend(slot_of(halo, out, way), halo->count, halo->type, halo->peers[way], way,
                         halo->comm, &halo->requests[neighbors + i]);
    }
    return code;
}

static int wait_all(struct halo *halo, char *in)
{
    const int code = MPI_Waitall(2 * halo->neighbors, halo->requests, halo->statuses);
    unpack_all(halo, in);
    return code;
}

static int wait_sends(struct halo *halo)
{
    return MPI_Waitall(halo->neighbors, halo->requests + halo->neighbors, halo->statuses);
}

static int wait_any(struct halo *halo, char *in)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < halo->neighbors && code == MPI_SUCCESS; i++) {
        int done;
        code = MPI_Waitany(halo->neighbors, halo->requests, &done, MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS)
            unpack(halo, in, halo->ways[done]);
    }
    return code == MPI_SUCCESS ? wait_sends(halo) : code;
}

static int wait_some(struct halo *halo, char *in)
{
    int code = MPI_SUCCESS;
    for (int left = halo->neighbors; left > 0 && code == MPI_SUCCESS;) {
        int count;
        code = MPI_Waitsome(halo->neighbors, halo->requests, &count, halo->done,
                            halo->statuses);
        for (int i = 0; i < count && code == MPI_SUCCESS; i++)
            unpack(halo, in, halo->ways[halo->done[i]]);
        left -= count;
    }
    return code == MPI_SUCCESS ? wait_sends(halo) : code;
}

#define POSTED(name, wait)                                                                         \
    REPEATED(name, code = post(halo, out, in); compute(context);                                   \
             if (code == MPI_SUCCESS) code = wait(halo, in);)

POSTED(waitall, wait_all)
POSTED(waitany, wait_any)
POSTED(waitsome, wait_some)

/* One direction after the other: what goes there leaves while what comes from the other side arrives. */
static int shift(struct halo *halo, char *out, char *in)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < halo->directions && code == MPI_SUCCESS; i++) {
        pack(halo, out, i);
        code = MPI_Sendrecv(slot_of(halo, out, i), halo->count, halo->type, halo->peers[i], i,
                            slot_of(halo, in, i ^ 1), halo->count, halo->type, halo->peers[i ^ 1],
                            i, halo->comm, MPI_STATUS_IGNORE);
        unpack(halo, in, i ^ 1);
    }
    return code;
}
REPEATED(sendrecv, code = shift(halo, out, in);)

static int point_to_point(struct context *context) { return halo_prepare(context, 0); }

static int make_requests(struct context *context)
{
    int code = point_to_point(context);
    struct halo *halo = context->halo;
    char *out = context->out.base + context->out.at, *in = context->in.base + context->in.at;
    for (int i = 0; i < halo->neighbors && code == MPI_SUCCESS; i++) {
        const int way = halo->ways[i];
        code = MPI_Recv_init(slot_of(halo, in, way), halo->count, halo->type, halo->peers[way],
                             way ^ 1, halo->comm, &halo->requests[i]);
        if (code == MPI_SUCCESS)
            code = MPI_Send_init(slot_of(halo, out, way), halo->count, halo->type, halo->peers[way],
                                 way, halo->comm, &halo->requests[halo->neighbors + i]);
    }
    return code;
}

static int start_all(struct halo *halo, char *out)
{
    const int code = MPI_Startall(halo->neighbors, halo->requests);
    if (code != MPI_SUCCESS)
        return code;
    pack_all(halo, out);
    return MPI_Startall(halo->neighbors, halo->requests + halo->neighbors);
}
REPEATED(persistent, code = start_all(halo, out); compute(context);
         if (code == MPI_SUCCESS) code = wait_all(halo, in);)

static int neighborhood(struct context *context) { return halo_prepare(context, 1); }

static int wait_request(const struct context *context, MPI_Request *request)
{
    compute(context);
    return MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* A neighbourhood collective in its forms, from the arguments that all of them share. */
#define BLOCKING(name, pack_data, call)                                                            \
    REPEATED(name, pack_data(halo, out); code = call; unpack_all(halo, in);)
#define NONBLOCKING(name, pack_data, call)                                                         \
    REPEATED(                                                                                      \
        name, MPI_Request request; pack_data(halo, out); code = call;                              \
        if (code == MPI_SUCCESS) code = wait_request(context, &request); unpack_all(halo, in);)
#if HAS_PERSISTENT_COLLECTIVES
#define PERSISTENT(name, pack_data, call)                                                          \
    static int make_##name(struct context *context)                                                \
    {                                                                                              \
        int code = neighborhood(context);                                                          \
        struct halo *const halo = context->halo;                                                   \
        char *const out = context->out.base + context->out.at;                                     \
        char *const in = context->in.base + context->in.at;                                        \
        if (code == MPI_SUCCESS)                                                                   \
            code = call;                                                                           \
        return code;                                                                               \
    }                                                                                              \
    REPEATED(start_##name, pack_data(halo, out); code = MPI_Start(halo->requests);                 \
             if (code == MPI_SUCCESS) code = wait_request(context, halo->requests);                \
             unpack_all(halo, in);)
#define FORMS(name, pack_data, ...)                                                                \
    BLOCKING(name, pack_data, MPI_Neighbor_##name(__VA_ARGS__, halo->comm))                        \
    NONBLOCKING(i##name, pack_data, MPI_Ineighbor_##name(__VA_ARGS__, halo->comm, &request))       \
    PERSISTENT(name, pack_data,                                                                    \
               MPI_Neighbor_##name##_init(__VA_ARGS__, halo->comm, MPI_INFO_NULL, halo->requests))
#else
#define FORMS(name, pack_data, ...)                                                                \
    BLOCKING(name, pack_data, MPI_Neighbor_##name(__VA_ARGS__, halo->comm))                        \
    NONBLOCKING(i##name, pack_data, MPI_Ineighbor_##name(__VA_ARGS__, halo->comm, &request))
#endif
#define OUT out + halo->first
#define IN in + halo->first
#define ONE halo->count, halo->type
#define VARYING halo->counts, halo->displacements, halo->type
#define TYPED halo->counts, halo->places, halo->types
#define LAST message_at(halo, out, halo->directions - 1)

FORMS(alltoall, pack_all, OUT, ONE, IN, ONE)
FORMS(alltoallv, pack_all, OUT, VARYING, IN, VARYING)
FORMS(alltoallw, pack_all, OUT, TYPED, IN, TYPED)
FORMS(allgather, pack_last, LAST, ONE, IN, ONE)
FORMS(allgatherv, pack_last, LAST, ONE, IN, VARYING)

#if HAS_PERSISTENT_COLLECTIVES
static int free_request(struct context *context)
{
    const int code = halo_finish(context);
    return code == MPI_SUCCESS ? MPI_Request_free(context->halo->requests) : code;
}
#endif

#define BETWEEN_TWO(loop)                                                                          \
    .accepts = SEPARATE | COLD, .prepare = point_to_point, .finish = halo_finish, .repeat = loop,  \
    .fill = halo_fill, .check = halo_check
#define COLLECTIVE(name_, loop, of)                                                                \
    {HALO(name_), .accepts = SEPARATE | COLD, .prepare = neighborhood, .finish = halo_finish,      \
     .repeat = loop, .fill = halo_##of##_fill, .check = halo_##of##_check},                        \
    {HALO(name_), .form = "nonblocking", .overlaps = 1, .accepts = SEPARATE | COLD,                \
     .prepare = neighborhood, .finish = halo_finish, .repeat = i##loop, .fill = halo_##of##_fill,  \
     .check = halo_##of##_check}
#if HAS_PERSISTENT_COLLECTIVES
#define ALL_FORMS(name_, loop, of)                                                                 \
    COLLECTIVE(name_, loop, of),                                                                   \
        {HALO(name_), .form = "persistent", .overlaps = 1, .accepts = SEPARATE,                    \
         .prepare = make_##loop, .finish = free_request, .repeat = start_##loop,                  \
         .fill = halo_##of##_fill, .check = halo_##of##_check}
#else
#define ALL_FORMS(name_, loop, of) COLLECTIVE(name_, loop, of)
#endif

static const struct operation exchanges[] = {
    {HALO("waitall"), BETWEEN_TWO(waitall), .overlaps = 1},
    {HALO("waitany"), BETWEEN_TWO(waitany), .overlaps = 1},
    {HALO("waitsome"), BETWEEN_TWO(waitsome), .overlaps = 1},
    {HALO("sendrecv"), BETWEEN_TWO(sendrecv)},
    {HALO("persistent"), .overlaps = 1, .accepts = SEPARATE, .prepare = make_requests,
     .finish = halo_free_requests, .repeat = persistent, .fill = halo_fill, .check = halo_check},
    ALL_FORMS("neighbor", alltoall, neighbor),
    ALL_FORMS("neighborv", alltoallv, neighbor),
    ALL_FORMS("neighborw", alltoallw, neighbor),
    ALL_FORMS("neighbor-allgather", allgather, gather),
    ALL_FORMS("neighbor-allgatherv", allgatherv, gather),
};

/* What is a LISTED_EXCHANGE. */
GATHERS(const struct operation *const, exchanges);

int exchange_is_neighborhood(const struct operation *exchange)
{
    return exchange->fill == halo_neighbor_fill || exchange->fill == halo_gather_fill;
}

const struct operation *exchange_named(const char *name, const char *form)
{
    for (size_t i = 0; i < sizeof exchanges / sizeof exchanges[0]; i++) {
        const struct operation *one = &exchanges[i];
        const int same_form = form == NULL ? one->form == NULL
                                           : one->form != NULL && strcmp(one->form, form) == 0;
        if (strcmp(one->exchange, name) == 0 &&
            (same_form || !exchange_is_neighborhood(one)))
            return one;
    }
    const struct operation *const *listed = gathered_exchanges;
    for (; listed < gathered_exchanges_end; listed++)
        if (strcmp((*listed)->exchange, name) == 0)
            return *listed;
    return NULL;
}

static int send_one(struct context *context, int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        if (context->rank == 0)
            code = message_send(&context->out, context->peer, 0, context->comm);
        else if (context->rank == context->peer)
            code = message_receive(&context->in, 0, 0, context->comm);
    }
    return code;
}

const struct operation operation_message = {
    .name = "message",
    .messages = 1.0,
    .between_all = 1,
    .buffers = BUFFERS_SEPARATE,
    .accepts = SEPARATE | COLD,
    .repeat = send_one,
    .fill = halo_message_fill,
    .check = halo_message_check,
};
