/* A collective made by the messages of a schedule: in each step a rank posts what it receives and sends,
   waits for both, and adds up what came in; or, in turn, makes one message after the other. All that is added
   to the messages is one reading of the clock at the end of each phase. */
#include "scheduled.h"

#include <string.h>

#include "../clock.h"

enum { TAG_SCHEDULED = 11 };

/* The buffer in which the result comes together, with what this rank contributes. */
static char *begin(struct context *context)
{
    const struct operation *operation = &context->collective.schedule->operation;
    char *const out = message_next(&context->out);
    if (operation->in_place)
        return out;
    char *const in = message_next(&context->in);
    const size_t own = operation->in_blocks == BLOCKS_ON_ALL ? (size_t)context->rank * context->bytes : 0;
    memcpy(in + own, out, context->bytes);
    return in;
}

static int add_up(const struct context *context, const struct transfer *transfer, char *buffer)
{
    const struct schedule *schedule = context->collective.schedule;
    const MPI_Datatype type = context->element->type();
    const int element = (int)context->element->bytes;
    const char *from = schedule->scratch + transfer->at;
    int code = MPI_SUCCESS;
    for (int i = 0; i < transfer->fragments && code == MPI_SUCCESS; i++) {
        const struct fragment *fragment = &schedule->fragments[transfer->fragment + i];
        code = MPI_Reduce_local(from, buffer + fragment->at, fragment->bytes / element, type, MPI_SUM);
        from += fragment->bytes;
    }
    return code;
}

static int count_of(const struct transfer *transfer)
{
    return transfer->type == MPI_BYTE ? transfer->bytes : 1;
}

/* One message after the other: those that come in, then those that go out. */
static int make_in_turn(const struct context *context, const struct part *part, char *buffer)
{
    const struct schedule *schedule = context->collective.schedule;
    const struct transfer *transfer = schedule->transfers + part->first;
    int code = MPI_SUCCESS;
    for (int i = 0; i < part->receives && code == MPI_SUCCESS; i++, transfer++) {
        char *const to = part->reduces ? schedule->scratch : buffer;
        code = MPI_Recv(to + transfer->at, count_of(transfer), transfer->type, transfer->peer,
                        TAG_SCHEDULED, context->comm, MPI_STATUS_IGNORE);
        if (part->reduces && code == MPI_SUCCESS)
            code = add_up(context, transfer, buffer);
    }
    for (int i = 0; i < part->sends && code == MPI_SUCCESS; i++, transfer++)
        code = MPI_Send(buffer + transfer->at, count_of(transfer), transfer->type, transfer->peer,
                        TAG_SCHEDULED, context->comm);
    return code;
}

static int make_at_once(const struct context *context, const struct part *part, char *buffer)
{
    const struct schedule *schedule = context->collective.schedule;
    const struct transfer *first = schedule->transfers + part->first, *transfer = first;
    MPI_Request *requests = schedule->requests;
    int code = MPI_SUCCESS;
    for (int i = 0; i < part->receives && code == MPI_SUCCESS; i++, transfer++) {
        char *const to = part->reduces ? schedule->scratch : buffer;
        code = MPI_Irecv(to + transfer->at, count_of(transfer), transfer->type, transfer->peer,
                         TAG_SCHEDULED, context->comm, requests++);
    }
    for (int i = 0; i < part->sends && code == MPI_SUCCESS; i++, transfer++)
        code = MPI_Isend(buffer + transfer->at, count_of(transfer), transfer->type, transfer->peer,
                         TAG_SCHEDULED, context->comm, requests++);
    if (code == MPI_SUCCESS)
        code = MPI_Waitall(part->receives + part->sends, schedule->requests, schedule->statuses);
    for (int i = 0; part->reduces && i < part->receives && code == MPI_SUCCESS; i++)
        code = add_up(context, &first[i], buffer);
    return code;
}

static int make_step(const struct context *context, const struct part *part, char *buffer)
{
    return part->in_turn ? make_in_turn(context, part, buffer) : make_at_once(context, part, buffer);
}

int scheduled_repeat(struct context *context, int64_t repetitions)
{
    struct schedule *schedule = context->collective.schedule;
    int code = MPI_SUCCESS;
    for (int64_t repetition = 0; repetition < repetitions && code == MPI_SUCCESS; repetition++) {
        char *const buffer = begin(context);
        int segment = 0;
        for (int i = 0; i < schedule->part_count && code == MPI_SUCCESS; i++) {
            const struct part *part = &schedule->parts[i];
            for (; segment < part->segment; segment++)
                schedule->ended_ns[segment] = clock_ns();
            code = make_step(context, part, buffer);
        }
        for (; segment < schedule->segments; segment++)
            schedule->ended_ns[segment] = clock_ns();
    }
    return code;
}
