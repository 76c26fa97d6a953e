/* Ping-pong of data that lie in a layout and are sent contiguously: packed before each send and
   unpacked after each receive, by MPI_Pack or by plain copies. A sample is half the round trip, both
   included, as of messages with a datatype. */
#include <limits.h>

#include "../check.h"
#include "../operations.h"
#include "../pattern.h"

static int send_packed(struct context *context, struct message *out)
{
    int position = 0;
    const int code = MPI_Pack(message_next(out), out->count, out->type, context->packed,
                              (int)context->bytes, &position, context->comm);
    return code != MPI_SUCCESS ? code
                               : MPI_Send(context->packed, position, MPI_PACKED, context->peer,
                                          context->tag, context->comm);
}

static int receive_packed(struct context *context, struct message *in)
{
    int position = 0;
    const int bytes = (int)context->bytes;
    const int code = MPI_Recv(context->packed, bytes, MPI_PACKED, context->source, context->tag,
                              context->comm, MPI_STATUS_IGNORE);
    return code != MPI_SUCCESS ? code
                               : MPI_Unpack(context->packed, bytes, &position, message_next(in),
                                            in->count, in->type, context->comm);
}

static int by_pack(struct context *context, int64_t repetitions)
{
    struct message out = context->out, in = context->in;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        if (!context->leads && (code = receive_packed(context, &in)) != MPI_SUCCESS)
            break;
        code = send_packed(context, &out);
        if (context->leads && code == MPI_SUCCESS)
            code = receive_packed(context, &in);
    }
    message_walked(&context->out, &out);
    message_walked(&context->in, &in);
    return code;
}

/* Between unlike machines packed data may be longer than they are in memory: there it is not for us. */
static int pack_prepare(struct context *context)
{
    int bytes;
    const int code = MPI_Pack_size(context->out.count, context->out.type, context->comm, &bytes);
    if (code == MPI_SUCCESS && (size_t)bytes != context->bytes)
        fail(EXIT_ASKED_WRONGLY, "--packing pack: this library packs %zu bytes into up to %d",
             context->bytes, bytes);
    return code;
}

static int by_hand(struct context *context, int64_t repetitions)
{
    struct message out = context->out, in = context->in;
    struct message packed = {.base = context->packed};
    int code = MPI_SUCCESS;
    message_set_type(&packed, context->bytes, 0);
    const int to = context->peer, from = context->source, tag = context->tag;
    const MPI_Comm comm = context->comm;
    for (int64_t i = 0; i < 2 * repetitions && code == MPI_SUCCESS; i++) {
        if ((i % 2 == 0) == context->leads) {
            layout_pack(out.layout, (size_t)out.count, message_next(&out), packed.base);
            code = message_send(&packed, to, tag, comm);
        } else {
            code = message_receive(&packed, from, tag, comm);
            layout_unpack(in.layout, (size_t)in.count, packed.base, message_next(&in));
        }
    }
    message_release(&packed);
    message_walked(&context->out, &out);
    message_walked(&context->in, &in);
    return code;
}

#define PACKED                                                                                     \
    .name = "pingpong", .mode = "standard", .messages = 2.0, .accepts = SEPARATE | COLD,           \
    .fill = pattern_fill_one, .check = pattern_check_one

static const struct operation operation_pingpong_pack = {
    PACKED, .packing = "pack", .prepare = pack_prepare, .repeat = by_pack,
};
LISTED(operation_pingpong_pack);
static const struct operation operation_pingpong_hand = {
    PACKED, .packing = "hand", .repeat = by_hand,
};
LISTED(operation_pingpong_hand);
