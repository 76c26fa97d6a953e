/* What is done around the loops of one-sided operations, untimed. */
#include "one_sided.h"

enum { TAG_DONE = 13 };

static MPI_Op op_of(enum reduction reduction)
{
    switch (reduction) {
    case SUM: return MPI_SUM;
    case MIN: return MPI_MIN;
    case MAX: return MPI_MAX;
    case BAND: return MPI_BAND;
    case BOR: return MPI_BOR;
    case BXOR: return MPI_BXOR;
    case REPLACE: return MPI_REPLACE;
    default: return MPI_NO_OP;
    }
}

static struct exposure *exposure_of(const struct context *context)
{
    return context->one_sided.exposures[context->one_sided.way->kind];
}

struct access access_of(const struct context *context)
{
    /* Read as one element of any type, and aligned as the largest one. */
    static _Alignas(int64_t) char compare[] = {COMPARED, COMPARED, COMPARED, COMPARED,
                                               COMPARED, COMPARED, COMPARED, COMPARED};
    _Static_assert(sizeof compare == sizeof(int64_t), "room for the largest element");
    const struct exposure *exposure = exposure_of(context);
    return (struct access){
        .out = context->out,
        .in = context->in,
        .there = context->one_sided.there,
        .base = exposure->there,
        .win = exposure->win,
        .other_group = exposure->other_group,
        .op = op_of(context->one_sided.way->reduction),
        .compare = compare,
        .other = exposure->other,
        .window = context->window,
        .in_turns = context->one_sided.way->direction == IN_TURNS,
    };
}

/* Where a walk is that message_next would have made so many more steps of: it begins anew where no whole
   message is left. */
static void walk_on(struct message *message, size_t steps)
{
    if (message->stride == 0)
        return;
    const size_t left = (message->span - message->bytes - message->at) / message->stride + 1;
    const size_t all = (message->span - message->bytes) / message->stride + 1;
    message->at = steps < left ? message->at + steps * message->stride
                               : (steps - left) % all * message->stride;
}

/* Where a walk with messages of another size ended, if a whole message is left there. */
static size_t begin_walk(const struct message *message, size_t at)
{
    return message->stride > 0 && at + message->bytes <= message->span ? at : 0;
}

void access_end(struct context *context, const struct access *access, int64_t repetitions)
{
    const struct way *way = context->one_sided.way;
    const int both = way->direction == BOTH_WAYS || (is_active(way) && way->direction == IN_TURNS);
    context->out.at = access->out.at;
    context->in.at = access->in.at;
    context->one_sided.there.at = access->there.at;
    if (both || !context->leads)
        walk_on(&context->one_sided.exposed, (size_t)repetitions * (size_t)context->window);
}

/* The memory that is worked on lies as `like`, which the operation receives into or sends from. */
static void expose(struct context *context, const struct message *like)
{
    const struct exposure *exposure = exposure_of(context);
    struct one_sided *one_sided = &context->one_sided;
    one_sided->exposed = *like;
    one_sided->exposed.base = exposure->area.base;
    one_sided->exposed.is_derived = 0;
    one_sided->there = one_sided->exposed;
    one_sided->exposed.at = begin_walk(like, exposure->at_here);
    one_sided->there.at = begin_walk(like, exposure->at_there);
}

static void set_elements(struct context *context)
{
    const struct element *element = context->one_sided.way->element;
    message_release(&context->out);
    message_set_elements(&context->out, context->bytes / element->bytes, element->type(),
                         element->bytes, 0);
}

static int open_epoch(struct context *context)
{
    const struct exposure *exposure = exposure_of(context);
    switch (context->one_sided.way->synchronization) {
    case FENCE: return MPI_Win_fence(0, exposure->win);
    case FLUSH:
    case FLUSH_LOCAL: return MPI_Win_lock_all(0, exposure->win);
    default: return MPI_SUCCESS;
    }
}

int one_sided_prepare(struct context *context)
{
    if (context->one_sided.way->element != NULL)
        set_elements(context);
    expose(context, &context->in);
    return open_epoch(context);
}

int get_prepare(struct context *context)
{
    expose(context, &context->out);
    return open_epoch(context);
}

int one_sided_finish(struct context *context)
{
    struct exposure *exposure = exposure_of(context);
    const int is_cold = context->buffers == BUFFERS_COLD;
    exposure->at_here = is_cold ? context->one_sided.exposed.at : 0;
    exposure->at_there = is_cold ? context->one_sided.there.at : 0;
    switch (context->one_sided.way->synchronization) {
    case FENCE: return MPI_Win_fence(MPI_MODE_NOSUCCEED, exposure->win);
    case FLUSH:
    case FLUSH_LOCAL: return MPI_Win_unlock_all(exposure->win);
    default: return MPI_SUCCESS;
    }
}

int one_sided_settle(struct context *context)
{
    const struct way *way = context->one_sided.way;
    const struct exposure *exposure = exposure_of(context);
    const int peer = context->peer, is_origin = context->leads || way->direction == BOTH_WAYS;
    int code = MPI_SUCCESS;
    if (is_active(way))
        return code;
    if (way->synchronization == FLUSH_LOCAL && is_origin)
        code = MPI_Win_flush(exposure->other, exposure->win);
    if (code != MPI_SUCCESS)
        return code;
    if (way->direction == BOTH_WAYS)
        return MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, TAG_DONE, NULL, 0, MPI_BYTE, peer, TAG_DONE,
                            context->comm, MPI_STATUS_IGNORE);
    return context->leads ? MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_DONE, context->comm)
                          : MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_DONE, context->comm,
                                     MPI_STATUS_IGNORE);
}
