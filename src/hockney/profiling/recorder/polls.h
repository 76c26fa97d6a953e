/* Polls: functions that may find nothing, as MPI_Test and MPI_Iprobe. A program that calls them without a
   pause spends 10 ns in each, and two readings of the time stamp take twice as long. All are counted. While
   they are quick, about one in sixteen is timed, and stands for those since the one that was timed before.
   Those that find something end with a reading of the clock; without one at their begin, they take as
   long as the last that had it. */
#ifndef HOCKNEY_RECORDER_POLLS_H
#define HOCKNEY_RECORDER_POLLS_H

#include "wrap.h"

/* Ticks of a poll from which on the next one is timed: half a microsecond, more or less. Then a clock costs
   little beside it. */
enum { SLOW_TICKS = 1000 };
/* Ticks of a poll in which the rank lost its CPU, a tenth of a millisecond, more or less: it stands for itself
   alone. */
enum { INTERRUPTED_TICKS = 250000 };

/* Those of one function. */
struct polls {
    uint32_t keys, cell; /* where they are counted, as long as keys are these */
    uintptr_t comm;      /* of the cell; 0 without one */
    uint32_t left;       /* until one is timed */
    uint32_t turns;
    uint32_t untimed; /* that found nothing, since one was timed */
    uint64_t nothing_ticks, found_ticks; /* the last that was timed and found nothing, or something */
};

/* When it begins; 0 for one that is not timed. The order of calls (trace.c) needs all times. */
static inline uint64_t begin_poll(struct polls *polls, uintptr_t comm)
{
    lock_recorder();
    const int is_timed = !polls->left || polls->keys != keys || polls->comm != comm || traced;
    polls->left -= !is_timed;
    unlock_recorder();
    return is_timed ? ticks() : 0;
}

static inline void count_untimed(struct polls *polls)
{
    recorded->cells[polls->cell].count++;
    recorded->cells[polls->cell].untimed++;
    polls->untimed++;
}

/* Those since the last that was timed take as long as each other. */
static inline void time_untimed(struct polls *polls, uint64_t each)
{
    struct cell *cell = &recorded->cells[polls->cell];
    cell->ticks += polls->untimed * each;
    cell->bins[bin_of(each)] += polls->untimed;
    polls->untimed = 0;
}

/* Seven to 22 follow without a clock, scattered so that polls which take turns do not meet always the same. */
static inline void count_timed(struct polls *polls, uint16_t call, uint16_t group, uintptr_t comm,
                               uint64_t enter, uint64_t exit)
{
    const uint64_t spent = exit - enter;
    const struct operation operation = {.call = call, .group = group, .peer = NO_PEER};
    const uint32_t cell = count(&operation, spent);
    const int stands_for_all = cell == polls->cell && spent < INTERRUPTED_TICKS;
    time_untimed(polls, stands_for_all ? spent : polls->nothing_ticks);
    polls->cell = cell < CELLS ? cell : polls->cell; /* another thread may be about to use it */
    polls->keys = keys;
    polls->comm = comm;
    polls->nothing_ticks = spent < INTERRUPTED_TICKS ? spent : polls->nothing_ticks;
    polls->left = spent < SLOW_TICKS && cell < CELLS ? 7 + (scattered(polls->turns++) & 15) : 0;
    if (traced)
        trace_other(enter, exit);
}

/* Of a poll that found nothing. comm: NULL of a function without one. */
static inline void count_nothing(struct polls *polls, uint16_t call, MPI_Comm *comm, uint64_t enter)
{
    const uint64_t exit = enter ? ticks() : 0;
    const uint16_t group = enter && comm ? group_of(*comm) : NO_GROUP;
    if (!begin_entry())
        return;
    if (enter)
        count_timed(polls, call, group, comm ? HANDLE(*comm) : 0, enter, exit);
    else
        count_untimed(polls);
    unlock_recorder();
}

/* When a poll began that found something and ended now. */
static inline uint64_t begin_of_found(struct polls *polls, uint64_t enter, uint64_t exit)
{
    if (enter) {
        polls->found_ticks = exit - enter;
        return enter;
    }
    recorded->cells[polls->cell].untimed++; /* its call is counted in the same cell */
    const uint64_t spent = polls->found_ticks ? polls->found_ticks : polls->nothing_ticks;
    return exit - spent;
}

static inline void count_found(struct polls *polls, uint16_t call, MPI_Comm *comm, uint64_t enter)
{
    const uint64_t exit = ticks();
    const uint16_t group = comm ? group_of(*comm) : NO_GROUP;
    if (!begin_entry())
        return;
    enter = begin_of_found(polls, enter, exit);
    count(&(struct operation){.call = call, .group = group, .peer = NO_PEER}, exit - enter);
    if (traced)
        trace_other(enter, exit);
    unlock_recorder();
}

/* A function that looks, and completes nothing. FOUND: whether there is something; COMM: a pointer to its
   communicator, or NULL; ALSO: what follows from what was found. */
#define POLLS(NAME, FOUND, COMM, ALSO, ARGUMENTS, ...)                                             \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        static struct polls polls;                                                                 \
        MPI_Comm *const of = COMM;                                                                 \
        const uint64_t enter = begin_poll(&polls, of ? HANDLE(*of) : 0);                           \
        const int result = real ARGUMENTS;                                                         \
        if (result != MPI_SUCCESS) {                                                               \
            const struct done done = {call, result, enter, enter};                                 \
            PLAIN;                                                                                 \
        } else if (FOUND) {                                                                        \
            count_found(&polls, call, of, enter);                                                  \
            ALSO;                                                                                  \
        } else {                                                                                   \
            count_nothing(&polls, call, of, enter);                                                \
        }                                                                                          \
        return result;                                                                             \
    }

#endif
