#include "together.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "order.h"
#include "schedule.h"
#include "threads.h"
#include "tree.h"
#include "visit.h"

/* From one start to the next: this many times what three in four repetitions take at most, and time to
   read the clock and see the moment. Longer waits would time a library that has gone cold; a longer
   repetition makes the next ones late, which are not counted. */
static const double WINDOW_FACTOR = 1.5, WINDOW_QUANTILE = 0.75, WINDOW_NS = 1500.0;
static const double CLOCK_READINGS_A_WINDOW = 6.0;
/* A repetition that is cold from what was done before it is not timed, and is followed by some that
   are. Longer than LONG_NS it is hardly disturbed by that, and each is timed. */
enum { LEAST_LEAD_IN = 1, MOST_LEAD_IN = 64, LEAST_COUNT = IS_ABRIDGED ? 1 : 8 };
static const double LONG_NS = 5e6;

struct together *together_open(MPI_Comm comm, int visits, int room, int segments, enum sync sync)
{
    struct together *together = allocate(sizeof *together);
    const size_t bytes = (size_t)room * sizeof(double), of_visits = (size_t)visits * sizeof(double);
    together->by_barrier = sync == SYNC_BARRIER;
    together->duration_ns = allocate(bytes);
    together->late_ns = allocate(bytes);
    together->notified_ns = allocate(of_visits);
    together->ended_ns = allocate((size_t)segments * bytes);
    together->segments = allocate((size_t)visits * sizeof(int));
    together->ended_at = allocate((size_t)visits * sizeof(int));
    together->all = allocate(4 * bytes + of_visits);
    start_open(&together->start, comm, sync == SYNC_MESSAGES);
    return together;
}

void together_close(struct together *together)
{
    start_close(&together->start);
    free(together->duration_ns);
    free(together->late_ns);
    free(together->notified_ns);
    free(together->ended_ns);
    free(together->segments);
    free(together->ended_at);
    free(together->all);
    free(together);
}

double together_window_ns(const struct launch *launch, const double *completion_ns, int count)
{
    double sorted[MOST_COLLECTIVES];
    for (int i = 0; i < count; i++)
        sorted[i] = completion_ns[i];
    return WINDOW_FACTOR * quantile_of(sorted, count, WINDOW_QUANTILE) + WINDOW_NS +
           CLOCK_READINGS_A_WINDOW * launch->clock.cost_s * 1e9;
}

int together_count(const struct together *together, double window_ns)
{
    const double least = window_ns > LONG_NS ? 1.0 : (double)LEAST_COUNT;
    return (int)fmin(fmax(start_visit_ns(&together->start) / window_ns, least), MOST_COLLECTIVES);
}

int together_lead_in(double window_ns)
{
    if (IS_ABRIDGED)
        return 0;
    if (window_ns <= 0.0) /* not known yet: a repetition may take a second */
        return LEAST_LEAD_IN;
    const double least = window_ns > LONG_NS ? 0.0 : (double)LEAST_LEAD_IN;
    return (int)fmin(fmax(LEAD_IN_OF_COLLECTIVES_NS / window_ns, least), MOST_LEAD_IN);
}

int together_needs_barrier(const struct launch *launch)
{
    double *lengths_ns = allocate((size_t)launch->point_count * sizeof *lengths_ns);
    for (int i = 0; i < launch->point_count; i++)
        lengths_ns[i] = launch->points[i].repetition_ns;
    const double median_ns = median_of(lengths_ns, launch->point_count);
    free(lengths_ns);
    return launch->together->by_barrier || start_is_vain(&launch->together->start, median_ns);
}

/* The root that is next, where it rotates: alike on all ranks, from visit to visit. */
static void set_next_root(struct launch *launch)
{
    const int64_t rotated = launch->options->root ? launch->collective.roots++ : 0;
    for (int i = 0; i < threads_here(launch); i++)
        threads_context(launch, i)->collective.root = (int)(rotated % launch->context.ranks);
}

static double begin(struct launch *launch, double wanted)
{
    struct together *together = launch->together;
    if (!together->by_barrier)
        return start_wait(&together->start, wanted);
    check(MPI_Barrier(launch->everyone.comm), "MPI_Barrier");
    return sync_now(&together->start.clock);
}

/* One repetition on all threads of this rank, each of which waits for the moment by itself. */
struct shared_repetition {
    struct launch *launch;
    const struct operation *operation;
    double wanted;
};

static void repeat_on_thread(void *argument, int thread)
{
    const struct shared_repetition *shared = argument;
    struct launch *launch = shared->launch;
    struct context *context = threads_context(launch, thread);
    if (!launch->together->by_barrier)
        context->collective.began_ns = start_wait(&launch->together->start, shared->wanted);
    check(shared->operation->repeat(context, 1), shared->operation->name);
}

/* One repetition, which should begin at `wanted`; returns when the last thread of this rank began. */
static double repeat_once(struct launch *launch, const struct operation *operation, double wanted)
{
    struct shared_repetition shared = {launch, operation, wanted};
    const int threaded = launch->threads.team != NULL, by_barrier = launch->together->by_barrier;
    double began = threaded && !by_barrier ? wanted : begin(launch, wanted);
    if (!threaded) {
        check(operation->repeat(&launch->context, 1), operation->name);
        return began;
    }
    team_run(launch->threads.team, repeat_on_thread, &shared);
    for (int i = 0; !by_barrier && i < threads_here(launch); i++)
        began = fmax(began, threads_context(launch, i)->collective.began_ns);
    return began;
}

/* When this rank left each segment of a schedule, since `zero` on the common clock. */
static void keep_ends(struct together *together, const struct schedule *schedule, double zero)
{
    for (int i = 0; schedule != NULL && i < schedule->segments; i++)
        together->ended_ns[together->ended_count++] =
            sync_at(&together->start.clock, schedule->ended_ns[i]) - zero;
}

void together_time(struct launch *launch, const struct operation *operation,
                   const struct together_visit *made, int visit, int at)
{
    struct together *together = launch->together;
    const struct schedule *schedule = launch->context.collective.schedule;
    const int verified = visit_is_verified(launch, operation);
    double *done_ns = launch->own_ns + at, *late_ns = together->late_ns + at;
    const double moment = start_agree(&together->start);
    together->notified_ns[visit] = together->start.notified_ns;
    if (visit == 0)
        together->ended_count = 0;
    together->segments[visit] = schedule != NULL ? schedule->segments : 0;
    together->ended_at[visit] = together->ended_count;
    for (int i = verified ? 0 : -made->lead_in; i < made->count; i++) {
        double wanted = moment + made->window_ns * (i + made->lead_in);
        set_next_root(launch);
        if (verified) { /* filling and checking take their time */
            visit_fill(launch, operation, i);
            wanted = start_agree(&together->start);
        }
        const double arrives = wanted + made->delay_ns, last_arrives = wanted + made->skew_ns;
        const double began = repeat_once(launch, operation, arrives);
        const double ended = sync_now(&together->start.clock);
        if (verified)
            visit_check(launch, operation, i);
        if (i < 0)
            continue;
        done_ns[i] = together->by_barrier ? ended - moment : ended - last_arrives;
        late_ns[i] = together->by_barrier ? moment - began : began - arrives;
        keep_ends(together, schedule, together->by_barrier ? moment : last_arrives);
        const int is_timed =
            operation->timed_rank == 0 || operation->timed_rank - 1 == launch->context.rank;
        together->duration_ns[at + i] = is_timed ? ended - began : 0.0;
    }
}

static void copy(double *to, const double *from, int count)
{
    memcpy(to, from, (size_t)count * sizeof *to);
}

void together_reduce(struct launch *launch, int visits, int count)
{
    struct together *together = launch->together;
    double *done_ns = together->all;
    together->latest_ns = done_ns + count;
    together->longest_ns = together->latest_ns + count;
    together->latest_notified_ns = together->longest_ns + count;
    together->sum_ns = together->latest_notified_ns + visits;
    copy(done_ns, launch->own_ns, count);
    copy(together->latest_ns, together->late_ns, count);
    copy(together->longest_ns, together->duration_ns, count);
    copy(together->latest_notified_ns, together->notified_ns, visits);
    copy(together->sum_ns, together->duration_ns, count);
    const struct tree_layout layout = {.largest = 3 * count + visits, .added = count};
    tree_reduce(together->all, layout, launch->context.comm); /* one: it costs latency, mostly */
    if (together->ended_count > 0)
        tree_reduce(together->ended_ns, (struct tree_layout){.largest = together->ended_count},
                    launch->context.comm);
    if (launch->context.rank > 0)
        return;
    copy(launch->sample_ns, done_ns, count);
    for (int i = 0; together->by_barrier && i < count; i++) /* since the first rank to begin */
        launch->sample_ns[i] += together->latest_ns[i];
}

/* By how much the last rank began late in the median repetition; negative where that is not the ranks'
   doing, because repetitions took longer than from one start to the next. */
static double lateness_of(const struct launch *launch, double window_ns, int at, int count)
{
    double values[MOST_COLLECTIVES];
    copy(values, launch->sample_ns + at, count);
    if (median_of(values, count) > window_ns)
        return -1.0;
    copy(values, launch->together->latest_ns + at, count);
    return median_of(values, count);
}

/* Repetition `from` of a visit is its number `to` of those that are kept. */
static void keep_row(struct together *together, int visit, int from, int to)
{
    const int segments = together->segments[visit];
    double *ended_ns = together->ended_ns + together->ended_at[visit];
    memmove(ended_ns + to * segments, ended_ns + from * segments, (size_t)segments * sizeof *ended_ns);
}

struct together_seen together_keep(struct launch *launch, double window_ns, int visit, int at,
                                   int count)
{
    struct together *together = launch->together;
    double *sample_ns = launch->sample_ns;
    struct together_seen seen = {.tolerance_ns = start_tolerance_ns(&together->start)};
    if (together->by_barrier)
        return (struct together_seen){.kept = count};
    start_adapt(&together->start, together->latest_notified_ns[visit],
                lateness_of(launch, window_ns, at, count));
    for (int i = at; i < at + count; i++) {
        if (together->latest_ns[i] > seen.tolerance_ns)
            continue;
        sample_ns[at + seen.kept] = sample_ns[i];
        together->longest_ns[at + seen.kept] = together->longest_ns[i];
        together->sum_ns[at + seen.kept] = together->sum_ns[i];
        keep_row(together, visit, i - at, seen.kept);
        seen.skew_ns = fmax(seen.skew_ns, together->latest_ns[i]);
        seen.kept++;
    }
    return seen;
}

void together_phase(const struct launch *launch, const struct schedule *schedule, int visit, int at,
                    int kept, int phase, double *phase_ns)
{
    const struct together *together = launch->together;
    const double *sample_ns = launch->sample_ns + at;
    const double *ended_ns = together->ended_ns + together->ended_at[visit];
    for (int i = 0; i < kept; i++, ended_ns += schedule->segments) {
        /* A sample behind a barrier is since the first rank's start. */
        const double since = together->by_barrier ? together->latest_ns[at + i] : 0.0;
        double before = 0.0, sum = 0.0;
        for (int j = 0; j < schedule->segments; j++) {
            const double end = j + 1 < schedule->segments ? ended_ns[j] + since : sample_ns[i];
            sum += schedule->phase_of[j] == phase ? end - before : 0.0;
            before = end;
        }
        phase_ns[i] = sum;
    }
}
