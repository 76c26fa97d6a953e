/* What all one-sided operations have in common: their loops, which each inlines with its own call, and
   what is done around them. */
#ifndef HOCKNEY_OPERATIONS_ONE_SIDED_H
#define HOCKNEY_OPERATIONS_ONE_SIDED_H

#include <stdint.h>

#include "../clock.h"
#include "../operations.h"

#define INLINED static inline __attribute__((always_inline))

/* What a loop works with: a copy, so that the compiler may keep it in registers. */
struct access {
    struct message out, in, there;
    MPI_Aint base; /* of the other rank's memory */
    MPI_Win win;
    MPI_Group other_group;
    MPI_Op op;
    char *compare; /* not const under SimGrid */
    int other, window, in_turns;
};

/* Every byte of what a target's element is compared with: what all memory holds at first. */
enum { COMPARED = 1 };

struct access access_of(const struct context *context);
/* Where the walks are after so many repetitions. */
void access_end(struct context *context, const struct access *access, int64_t repetitions);

/* One operation; returns MPI's code. */
typedef int issue(struct access *access);

INLINED MPI_Aint access_next(struct access *access)
{
    return access->base + (MPI_Aint)(message_next(&access->there) - access->there.base);
}

/* A fence ends one epoch and begins the next, so that in turns one is enough. `how` is a constant wherever
   these are inlined: a loop decides nothing again and again. */
INLINED int access_open(const struct access *access, enum synchronization how)
{
    switch (how) {
    case FENCE: return access->in_turns ? MPI_SUCCESS : MPI_Win_fence(0, access->win);
    case PSCW: return MPI_Win_start(access->other_group, 0, access->win);
    case LOCK: return MPI_Win_lock(MPI_LOCK_SHARED, access->other, 0, access->win);
    case LOCK_ALL: return MPI_Win_lock_all(0, access->win);
    default: return MPI_SUCCESS;
    }
}

INLINED int access_close(const struct access *access, enum synchronization how)
{
    switch (how) {
    case FENCE: return MPI_Win_fence(0, access->win);
    case PSCW: return MPI_Win_complete(access->win);
    case LOCK: return MPI_Win_unlock(access->other, access->win);
    case LOCK_ALL: return MPI_Win_unlock_all(access->win);
    case FLUSH: return MPI_Win_flush(access->other, access->win);
    default: return MPI_Win_flush_local(access->other, access->win);
    }
}

INLINED int be_origin(struct access *access, issue *issue_one, enum synchronization how)
{
    int code = access_open(access, how);
    for (int i = 0; i < access->window && code == MPI_SUCCESS; i++)
        code = issue_one(access);
    return code == MPI_SUCCESS ? access_close(access, how) : code;
}

/* Only fence and post-start-complete-wait have a target that calls MPI. */
INLINED int be_target(const struct access *access, enum synchronization how)
{
    int code;
    if (how == FENCE) {
        code = access_open(access, how);
        return code == MPI_SUCCESS ? access_close(access, how) : code;
    }
    code = MPI_Win_post(access->other_group, 0, access->win);
    return code == MPI_SUCCESS ? MPI_Win_wait(access->win) : code;
}

INLINED int be_both(struct access *access, issue *issue_one, enum synchronization how)
{
    int code = how == PSCW ? MPI_Win_post(access->other_group, 0, access->win) : MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        code = be_origin(access, issue_one, how);
    return code == MPI_SUCCESS && how == PSCW ? MPI_Win_wait(access->win) : code;
}

INLINED int one_by_one(struct access *access, issue *issue_one, enum synchronization how,
                       int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = access_open(access, how);
        if (code == MPI_SUCCESS)
            code = issue_one(access);
        if (code == MPI_SUCCESS)
            code = access_close(access, how);
    }
    return code;
}

/* One operation at a time takes some 40 ns where ranks share memory: no loop over a window of one, and where
   all memory keeps its place a loop of its own, in which the compiler knows that no walk goes on. */
INLINED int loop_one_by_one(struct access *access, issue *issue_one, enum synchronization how,
                            int64_t repetitions)
{
    struct access still = *access;
    if (still.out.stride > 0 || still.in.stride > 0 || still.there.stride > 0)
        return one_by_one(access, issue_one, how, repetitions);
    still.out.stride = still.in.stride = still.there.stride = 0;
    return one_by_one(&still, issue_one, how, repetitions);
}

INLINED int loop_as_origin(struct access *access, issue *issue_one, enum synchronization how,
                           int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++)
        code = be_origin(access, issue_one, how);
    return code;
}

INLINED int loop_as_target(struct access *access, enum synchronization how, int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++)
        code = be_target(access, how);
    return code;
}

INLINED int loop_in_turns(struct access *access, issue *issue_one, enum synchronization how,
                          int leads, int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {
        code = leads ? be_origin(access, issue_one, how) : be_target(access, how);
        if (code == MPI_SUCCESS)
            code = leads ? be_target(access, how) : be_origin(access, issue_one, how);
    }
    return code;
}

INLINED int loop_as_both(struct access *access, issue *issue_one, enum synchronization how,
                         int64_t repetitions)
{
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++)
        code = be_both(access, issue_one, how);
    return code;
}

/* The loop of this rank by one synchronisation. A passive target has nothing to do, or computes. */
INLINED int one_sided_loop(const struct context *context, struct access *access, issue *issue_one,
                           enum synchronization how, int64_t repetitions)
{
    const int active = how <= PSCW, leads = context->leads;
    if (context->one_sided.way->direction == BOTH_WAYS)
        return loop_as_both(access, issue_one, how, repetitions);
    if (active && access->in_turns)
        return loop_in_turns(access, issue_one, how, leads, repetitions);
    if (leads && access->window == 1)
        return loop_one_by_one(access, issue_one, how, repetitions);
    if (leads)
        return loop_as_origin(access, issue_one, how, repetitions);
    if (active)
        return loop_as_target(access, how, repetitions);
    if (context->compute_ns > 0.0)
        clock_compute((int64_t)(context->compute_ns * (double)repetitions));
    return MPI_SUCCESS;
}

/* The timed loop of an operation, by its own call. */
INLINED int one_sided_repeat(struct context *context, issue *issue_one, int64_t repetitions)
{
    struct access access = access_of(context);
    int code = MPI_SUCCESS;
    switch (context->one_sided.way->synchronization) {
    case FENCE: code = one_sided_loop(context, &access, issue_one, FENCE, repetitions); break;
    case PSCW: code = one_sided_loop(context, &access, issue_one, PSCW, repetitions); break;
    case LOCK: code = one_sided_loop(context, &access, issue_one, LOCK, repetitions); break;
    case LOCK_ALL: code = one_sided_loop(context, &access, issue_one, LOCK_ALL, repetitions); break;
    case FLUSH: code = one_sided_loop(context, &access, issue_one, FLUSH, repetitions); break;
    default: code = one_sided_loop(context, &access, issue_one, FLUSH_LOCAL, repetitions); break;
    }
    access_end(context, &access, repetitions);
    return code;
}

/* Before and after a visit; after a batch: the target learns that the origin is done. */
int one_sided_prepare(struct context *context);
int get_prepare(struct context *context);
int one_sided_finish(struct context *context);
int one_sided_settle(struct context *context);

/* For --verify; of accumulate and atomic operations the reduced values are checked, and what was
   fetched. */
void put_fill(struct context *context, int repetition);
void put_check(struct context *context, int repetition);
void get_fill(struct context *context, int repetition);
void get_check(struct context *context, int repetition);
void accumulate_fill(struct context *context, int repetition);
void accumulate_check(struct context *context, int repetition);
void get_accumulate_check(struct context *context, int repetition);
void swap_fill(struct context *context, int repetition);
void swap_check(struct context *context, int repetition);

#define ONE_SIDED                                                                                  \
    .one_sided = 1, .at_once = 1, .buffers = BUFFERS_SEPARATE, .accepts = SEPARATE | COLD,         \
    .finish = one_sided_finish, .settle = one_sided_settle

#endif
