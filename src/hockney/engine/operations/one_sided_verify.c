/* --verify of one-sided operations: what is exposed is filled and read inside of an epoch of one's own,
   and differs before an operation from what it should be after it. */
#include <stdint.h>
#include <string.h>

#include "../check.h"
#include "../pattern.h"
#include "one_sided.h"

/* What memory holds that shall be written. */
enum { NOTHING = 0xee };
/* Values are small and whole, so that every type holds them and their combinations exactly. */
enum { LARGEST_VALUE = 63 };

static int in_both_roles(const struct context *context)
{
    const struct way *way = context->one_sided.way;
    return way->direction == BOTH_WAYS || (is_active(way) && way->direction == IN_TURNS);
}

static int is_origin(const struct context *context)
{
    return context->leads || in_both_roles(context);
}

static int is_target(const struct context *context)
{
    return !context->leads || in_both_roles(context);
}

/* Around loads and stores of exposed memory. The lock is a shared one: the other rank may be ahead, and
   hold one of its own until this rank follows. */
static void touch(const struct context *context, int begins)
{
    const struct exposure *exposure = context->one_sided.exposures[context->one_sided.way->kind];
    switch (context->one_sided.way->synchronization) {
    case LOCK:
    case LOCK_ALL:
        check(begins ? MPI_Win_lock(MPI_LOCK_SHARED, exposure->own, 0, exposure->win)
                     : MPI_Win_unlock(exposure->own, exposure->win),
              "MPI_Win_lock");
        break;
    case FLUSH:
    case FLUSH_LOCAL: check(MPI_Win_sync(exposure->win), "MPI_Win_sync"); break;
    default: break; /* between epochs */
    }
}

static void clear(struct message message, int count)
{
    for (int i = 0; i < count; i++)
        memset(message_next(&message), NOTHING, message.bytes);
}

void put_fill(struct context *context, int repetition)
{
    touch(context, 1);
    clear(context->one_sided.exposed, context->window);
    touch(context, 0);
    pattern_fill_window(context, repetition);
}

void put_check(struct context *context, int repetition)
{
    struct context seen = *context;
    if (!is_target(context))
        return;
    seen.in = context->one_sided.exposed;
    touch(context, 1);
    pattern_check_window(&seen, repetition);
    touch(context, 0);
}

/* What is exposed is what this rank sends. */
void get_fill(struct context *context, int repetition)
{
    context->out = context->one_sided.exposed;
    touch(context, 1);
    pattern_fill_window(context, repetition);
    touch(context, 0);
    clear(context->in, context->window);
}

void get_check(struct context *context, int repetition)
{
    if (is_origin(context))
        pattern_check_window(context, repetition);
}

/* Value number `number` of what a rank gives or holds. */
static int value_of(size_t number, int rank, int holds, int place, int repetition)
{
    const uint64_t key = (uint64_t)number * 0x9e3779b97f4a7c15u + (uint64_t)repetition * 7u +
                         (uint64_t)rank * 0x10001u + (uint64_t)place * 0x2545f491u +
                         (uint64_t)holds * 0x51ed27u;
    return (int)((key >> 32 ^ key) & LARGEST_VALUE);
}

static int combined(enum reduction reduction, int held, int given)
{
    switch (reduction) {
    case SUM: return held + given;
    case MIN: return held < given ? held : given;
    case MAX: return held > given ? held : given;
    case BAND: return held & given;
    case BOR: return held | given;
    case BXOR: return held ^ given;
    case REPLACE: return given;
    default: return held;
    }
}

static void fill_values(struct message message, const struct context *context, int count, int holds,
                        int repetition)
{
    const struct element *element = context->one_sided.way->element;
    for (int i = 0; i < count; i++) {
        char *at = message_next(&message);
        for (size_t number = 0; number < message.bytes / element->bytes; number++)
            element->store(at, number,
                           value_of(number, context->rank, holds, message.stride > 0 ? i : 0, repetition));
    }
}

void accumulate_fill(struct context *context, int repetition)
{
    touch(context, 1);
    fill_values(context->one_sided.exposed, context, context->window, 1, repetition);
    touch(context, 0);
    fill_values(context->out, context, context->window, 0, repetition);
    clear(context->in, context->window);
}

static void expect(const char *at, const struct context *context, size_t number, int value,
                   int repetition)
{
    const struct element *element = context->one_sided.way->element;
    if (element->load(at, number) != value)
        fail(EXIT_WENT_WRONG,
             "data check: after an operation on %s elements, %zu bytes, between peers %d and %d, repetition %d, "
             "element %zu on peer %d is not %d",
             element->name, context->bytes, context->rank, context->peer, repetition,
             number, context->rank, value);
}

void accumulate_check(struct context *context, int repetition)
{
    struct message message = context->one_sided.exposed;
    if (!is_target(context))
        return;
    touch(context, 1);
    for (int i = 0; i < context->window; i++) {
        const int held = message.stride > 0 ? i : 0, given = context->out.stride > 0 ? i : 0;
        const char *at = message_next(&message);
        for (size_t number = 0; number < context->bytes / context->one_sided.way->element->bytes; number++)
            expect(at, context, number,
                   combined(context->one_sided.way->reduction,
                            value_of(number, context->rank, 1, held, repetition),
                            value_of(number, context->peer, 0, given, repetition)),
                   repetition);
    }
    touch(context, 0);
}

void get_accumulate_check(struct context *context, int repetition)
{
    struct message message = context->in;
    accumulate_check(context, repetition);
    for (int i = 0; i < context->window && is_origin(context); i++) {
        const int held = message.stride > 0 ? i : 0;
        const char *at = message_next(&message);
        for (size_t number = 0; number < context->bytes / context->one_sided.way->element->bytes; number++)
            expect(at, context, number, value_of(number, context->peer, 1, held, repetition),
                   repetition);
    }
}

/* What is compared is the same in all repetitions: the target's element equals it in every other one. */
static int swaps(int repetition) { return repetition % 2 == 0; }

static void fill_held(char *at, const struct context *context, int rank, int place, int repetition)
{
    const struct element *element = context->one_sided.way->element;
    if (swaps(repetition))
        memset(at, COMPARED, element->bytes);
    else
        element->store(at, 0, value_of(0, rank, 1, place, repetition) | 2); /* never what is compared */
}

void swap_fill(struct context *context, int repetition)
{
    struct message message = context->one_sided.exposed;
    touch(context, 1);
    for (int i = 0; i < context->window; i++)
        fill_held(message_next(&message), context, context->rank, message.stride > 0 ? i : 0,
                  repetition);
    touch(context, 0);
    fill_values(context->out, context, context->window, 0, repetition);
    clear(context->in, context->window);
}

static void expect_held(const char *at, const struct context *context, int rank, int place,
                        int repetition)
{
    char held[8];
    fill_held(held, context, rank, place, repetition);
    if (memcmp(at, held, context->one_sided.way->element->bytes) != 0)
        fail(EXIT_WENT_WRONG,
             "data check: after a compare-and-swap between peers %d and %d, repetition %d, peer %d "
             "does not have what peer %d held",
             context->rank, context->peer, repetition, context->rank, rank);
}

void swap_check(struct context *context, int repetition)
{
    struct message exposed = context->one_sided.exposed, in = context->in;
    touch(context, 1);
    for (int i = 0; i < context->window && is_target(context); i++) {
        const char *at = message_next(&exposed);
        const int given = context->out.stride > 0 ? i : 0;
        if (swaps(repetition))
            expect(at, context, 0, value_of(0, context->peer, 0, given, repetition), repetition);
        else
            expect_held(at, context, context->rank, exposed.stride > 0 ? i : 0, repetition);
    }
    touch(context, 0);
    for (int i = 0; i < context->window && is_origin(context); i++)
        expect_held(message_next(&in), context, context->peer, in.stride > 0 ? i : 0, repetition);
}
