/* Collectives, begun together: every repetition at a moment of the common clock (the windows of
   SKaMPI), or behind a barrier, and timed to the end of the last rank. */
#ifndef HOCKNEY_TOGETHER_H
#define HOCKNEY_TOGETHER_H

#include "launch.h"
#include "start.h"

/* A visit as all ranks make it. */
struct together_visit {
    int lead_in, count; /* repetitions that are not timed, and that are */
    double window_ns;   /* from one start to the next */
    double skew_ns, delay_ns; /* by which the last rank arrives late, and this one */
};

/* What the first rank learned of one visit. */
struct together_seen {
    int kept;           /* repetitions that all ranks began in time */
    double skew_ns;     /* of those, the latest to begin */
    double tolerance_ns;
};

struct together {
    struct start start;
    int by_barrier;
    /* One entry for each repetition of the visits of a round, `room` of them. On every rank: */
    double *duration_ns; /* this rank's own */
    double *late_ns;     /* behind the moment; behind a barrier: minus the beginning */
    double *notified_ns; /* of each visit: start.notified_ns */
    double *ended_ns;    /* of schedules: behind the moment, the end of each segment of each repetition */
    int *segments, *ended_at; /* of each visit: how many, and where in ended_ns they begin */
    int ended_count;
    double *all;         /* all of these and own_ns one behind the other, for one reduction */
    /* Parts of `all`; on the first rank, over the ranks: */
    double *longest_ns, *sum_ns, *latest_ns, *latest_notified_ns;
};

/* `visits`: at most so many in a round; `room`: repetitions in all of them; `segments`: the most of a
   schedule. */
struct together *together_open(MPI_Comm comm, int visits, int room, int segments, enum sync sync);
void together_close(struct together *together);

/* From one start to the next, from the completion times of `count` repetitions: who begins late has
   a short duration, and would make windows shorter still. */
double together_window_ns(const struct launch *launch, const double *completion_ns, int count);
/* How many repetitions a visit has with that window. */
int together_count(const struct together *together, double window_ns);
/* How many untimed ones are directly before them; `window_ns` is 0 where it is not known yet. */
int together_lead_in(double window_ns);

/* On the first rank, after the untimed rounds: where the common clock makes no common start of
   collectives that take as long as the points' median, a barrier must do. */
int together_needs_barrier(const struct launch *launch);

/* Makes visit number `visit` of a round; into own_ns when this rank was done with each repetition, in
   nanoseconds since its moment. `at` is where the visit's entries begin in the arrays above. */
void together_time(struct launch *launch, const struct operation *operation,
                   const struct together_visit *made, int visit, int at);
/* What visit_reduce does, for the arrays above; afterwards sample_ns is the completion time. */
void together_reduce(struct launch *launch, int visits, int count);
/* On the first rank: keeps those repetitions of a visit, `window_ns` apart, that all ranks began in
   time, in place. */
struct together_seen together_keep(struct launch *launch, double window_ns, int visit, int at,
                                    int count);
/* On the first rank: how long a phase took in the `kept` repetitions of a visit, whose samples begin `at`:
   from when the last rank left the segments before it to when the last one left its own. */
void together_phase(const struct launch *launch, const struct schedule *schedule, int visit, int at,
                    int kept, int phase, double *phase_ns);

#endif
