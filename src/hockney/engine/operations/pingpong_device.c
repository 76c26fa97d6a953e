/* Ping-pong of messages in the memory of a device, as applications exchange them: staged, where the library
   cannot take them from there, by a copy to the host, a message and a copy back; or sent by the library after
   all work of the device is waited for. A sample is half the round trip, all of it included. */
#include <stdlib.h>

#include "../check.h"
#include "../devices.h"
#include "../operations.h"
#include "../pattern.h"

/* A message in blocks: while one is sent the next one is copied. */
static int blocks_of(const struct context *context)
{
    const size_t block = context->staging.block;
    return context->bytes == 0 ? 1 : (int)((context->bytes + block - 1) / block);
}

static size_t length_of(const struct context *context, int block)
{
    const size_t whole = context->staging.block, left = context->bytes - (size_t)block * whole;
    return left < whole ? left : whole;
}

/* Where the block is sent from or received into: memory of the host, the message's own or beside it. */
static char *on_host(const struct context *context, char *message, int block)
{
    const struct staging *staging = &context->staging;
    return (staging->host != NULL ? staging->host : message) + (size_t)block * staging->block;
}

static int send_staged(struct context *context)
{
    char *const message = message_next(&context->out);
    const int blocks = blocks_of(context);
    int code = MPI_SUCCESS;
    for (int i = 0; i < blocks && code == MPI_SUCCESS; i++) {
        const size_t length = length_of(context, i);
        char *const host = on_host(context, message, i);
        if (context->staging.host != NULL)
            code = devices_copy_timed(host, message + (size_t)i * context->staging.block, length);
        if (code == MPI_SUCCESS)
            code = MPI_Isend(host, (int)length, MPI_BYTE, context->peer, context->tag, context->comm,
                             &context->requests[i]);
    }
    /* One by one: MPICH's MPI_STATUSES_IGNORE makes GCC warn. */
    for (int i = 0; i < blocks && code == MPI_SUCCESS; i++)
        code = MPI_Wait(&context->requests[i], MPI_STATUS_IGNORE);
    return code;
}

static int receive_staged(struct context *context)
{
    char *const message = message_next(&context->in);
    const int blocks = blocks_of(context);
    int code = MPI_SUCCESS;
    for (int i = 0; i < blocks && code == MPI_SUCCESS; i++)
        code = MPI_Irecv(on_host(context, message, i), (int)length_of(context, i), MPI_BYTE, context->source,
                         context->tag, context->comm, &context->requests[i]);
    for (int i = 0; i < blocks && code == MPI_SUCCESS; i++) {
        code = MPI_Wait(&context->requests[i], MPI_STATUS_IGNORE);
        if (context->staging.host != NULL && code == MPI_SUCCESS)
            code = devices_copy_timed(message + (size_t)i * context->staging.block,
                                      on_host(context, message, i), length_of(context, i));
    }
    return code;
}

static int staged(struct context *context, int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < 2 * repetitions && code == MPI_SUCCESS; i++)
        code = (i % 2 == 0) == context->leads ? send_staged(context) : receive_staged(context);
    return code;
}

/* The requests of a visit's blocks; those of the launch are for windows. */
static int staged_prepare(struct context *context)
{
    struct staging *staging = &context->staging;
    if (staging->block == 0)
        staging->block = context->bytes > 0 ? context->bytes : 1;
    staging->kept = context->requests;
    context->requests = allocate((size_t)blocks_of(context) * sizeof *context->requests);
    return MPI_SUCCESS;
}

static int staged_finish(struct context *context)
{
    free(context->requests);
    context->requests = context->staging.kept;
    return MPI_SUCCESS;
}

/* Each rank waits before it sends: what a program computed there must be complete. */
static int waiting(struct context *context, int64_t repetitions)
{
    struct message out = context->out, in = context->in;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < 2 * repetitions && code == MPI_SUCCESS; i++) {
        if ((i % 2 == 0) != context->leads) {
            code = message_receive(&in, context->source, context->tag, context->comm);
            continue;
        }
        code = devices_wait();
        if (code == MPI_SUCCESS)
            code = message_send(&out, context->peer, context->tag, context->comm);
    }
    message_walked(&context->out, &out);
    message_walked(&context->in, &in);
    return code;
}

#define ON_DEVICES                                                                                 \
    .name = "pingpong", .mode = "standard", .messages = 2.0, .accepts = RETURNED | SEPARATE | COLD, \
    .fill = pattern_fill_one, .check = pattern_check_one

static const struct operation operation_pingpong_staged = {
    ON_DEVICES, .packing = "staged", .prepare = staged_prepare, .finish = staged_finish, .repeat = staged,
};
LISTED(operation_pingpong_staged);
static const struct operation operation_pingpong_waiting = {
    ON_DEVICES, .packing = "waiting", .repeat = waiting,
};
LISTED(operation_pingpong_waiting);

/* The same before any other operation, of which a repetition begins on all ranks at once. */
static int wait_and_repeat(struct context *context, int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = devices_wait();
        if (code == MPI_SUCCESS)
            code = context->waited->repeat(context, 1);
    }
    return code;
}

const struct operation *operation_waiting(const struct operation *operation)
{
    if (is_pingpong(operation))
        return operation_packed(operation, "waiting");
    struct operation *made = allocate(sizeof *made);
    *made = *operation;
    made->waited = operation;
    made->repeat = wait_and_repeat;
    return made;
}
