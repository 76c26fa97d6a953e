/* Interleaved rounds: in each, every point that is due is visited once, in an order shuffled alike
   on all ranks, so that a burst of noise touches every size a little and none for long. The first
   rank plans each round and tells the others, outside any timing. */
#include "rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "check.h"
#include "congestion.h"
#include "faults.h"
#include "order.h"
#include "records.h"
#include "schedule.h"
#include "stragglers.h"
#include "together.h"
#include "tree.h"
#include "visit.h"

/* Untimed rounds find out how long an exchange takes once first-use costs are paid. */
enum { UNTIMED_ROUNDS = 3 };
/* A point that is precise enough is still visited every fourth round: noise may return. */
enum { REST = 4 };
/* How much longer a launch may take to see each point at least once. */
static const double LONGEST_WAIT_S = 2.0;
/* Progress at most this often: reading it takes a core from the ranks. */
static const double PROGRESS_S = 0.25;
/* At the start of a round whoever reads our records takes a core from a rank for a moment: the first
   visit exchanges for this long before it is timed. */
static const double AFTER_RECORDS_NS = 100e3;
/* What records call a library's own choice of an algorithm, another one at each size. */
static const char OWN_DECISION[] = "default";
/* Histograms are recorded this often: so much of them may be lost. */
static const double TAILS_S = 10.0;

/* What the first rank decides for all, once a round. */
struct plan {
    int is_over;
    int by_barrier;       /* collectives begin behind a barrier */
    struct visit visits[]; /* point_count + 1: behind the last one `point` is negative */
};

struct rounds {
    struct launch *launch;
    struct plan *plan;
    size_t plan_bytes;
    uint64_t random;
    int number;
    int decide_at;      /* precision is worked out at rounds 10, 11, 12, ... 20, 22, ... */
    double progress_s;
    double tails_s;     /* when histograms were last recorded */
    const char *reason;
};

static int is_due(const struct rounds *rounds, const struct point *point)
{
    const double wanted = rounds->launch->options->precision;
    /* Victims are visited as often alone as under each load. */
    return wanted <= 0.0 || rounds->launch->congestion != NULL || point->precision > wanted ||
           rounds->number % REST == 0;
}

/* Whether the first use of one point pays for that of all: where simulated ranks make one algorithm
   at several sizes, and no size needs to know before how long it takes. */
static int warms_one(const struct launch *launch)
{
    const struct options *options = launch->options;
    return IS_ABRIDGED && launch->together != NULL && options->collective.arrivals.count == 0 &&
           !options->overlap && options->collective.schedules == NULL && options->algorithm != NULL &&
           strcmp(options->algorithm, OWN_DECISION) != 0;
}

/* On the first rank: who is visited in this round, in a new order. */
static void make_plan(struct rounds *rounds)
{
    struct launch *launch = rounds->launch;
    struct visit *visits = rounds->plan->visits;
    const int most = rounds->number < 0 && warms_one(launch) ? 1 : launch->point_count;
    int count = 0;
    for (int i = 0; i < most; i++)
        if (rounds->number < 0 || is_due(rounds, &launch->points[i]))
            visits[count++] = visit_of(launch, i);
    shuffle(visits, count, (int)sizeof *visits, &rounds->random);
    visits[count].point = -1;
    if (rounds->number >= 0 && count > 0 && launch->together == NULL)
        visits[0].untimed =
            (int64_t)ceil(AFTER_RECORDS_NS / launch->points[visits[0].point].repetition_ns);
}

/* Collective: returns 0 when the first rank says that it is enough. */
static int share_plan(struct rounds *rounds)
{
    struct launch *launch = rounds->launch;
    struct plan *plan = rounds->plan;
    if (launch->context.rank == 0) {
        plan->is_over = rounds->reason != NULL;
        plan->by_barrier = launch->together != NULL && launch->together->by_barrier;
        if (!plan->is_over)
            make_plan(rounds);
    }
    tree_bcast(plan, (int)rounds->plan_bytes, launch->context.comm);
    if (launch->together != NULL)
        launch->together->by_barrier = plan->by_barrier;
    return !plan->is_over;
}

/* Of visit number `number`, whose samples begin `at` in own_ns. */
static void make_visit(struct launch *launch, struct visit *visit, int number, int at)
{
    struct point *point = &launch->points[visit->point];
    visit->at_s = launch_now_s() - launch->started_s;
    visit_begin(launch, point);
    launch->context.compute_ns = visit->compute_ns;
    if (launch->together != NULL) {
        const struct together_visit made = {
            .lead_in = (int)visit->untimed,
            .count = visit->batches,
            .window_ns = visit->window_ns,
            .skew_ns = visit->skew_ns,
            .delay_ns = point->collective.late * visit->skew_ns,
        };
        together_time(launch, point->operation, &made, number, at);
    } else {
        visit_warm(launch, point->operation, visit->untimed);
        visit_time(launch, point->operation, visit->repetitions, visit->batches,
                   launch->own_ns + at);
    }
    visit_end(launch, point);
}

/* Makes all visits of the plan, and brings what they saw to the first rank. */
static void make_visits(struct rounds *rounds)
{
    struct launch *launch = rounds->launch;
    int number = 0, count = 0;
    for (struct visit *visit = rounds->plan->visits; visit->point >= 0; visit++, number++) {
        if (launch->congestion != NULL)
            congestion_visit(launch, visit, number, count);
        else
            make_visit(launch, visit, number, count);
        if (launch->options->stragglers && rounds->number >= 0)
            stragglers_add(&launch->points[visit->point], launch->own_ns + count, visit->batches);
        count += visit->batches;
    }
    if (launch->together != NULL)
        together_reduce(launch, number, count);
    else
        visit_reduce(launch, count);
    if (launch->congestion != NULL)
        congestion_reduce(launch, number);
}

static double least_of(const double *values, int count)
{
    double least = values[0];
    for (int i = 1; i < count; i++)
        least = fmin(least, values[i]);
    return least;
}

/* Repetitions of a collective that were begun together: how many, and how well. */
static int keep_together(struct rounds *rounds, const struct visit *visit, int number, int at)
{
    struct launch *launch = rounds->launch;
    struct point *point = &launch->points[visit->point];
    const int count = visit->batches;
    if (launch->together == NULL)
        return count;
    follow(launch, point, at, count);
    const struct together_seen seen = together_keep(launch, visit->window_ns, number, at, count);
    record_start(&(struct start_facts){
        .round = rounds->number,
        .operation = point->operation->name,
        .bytes = point->size.bytes,
        .ranks = launch->context.ranks,
        .begin = launch->together->by_barrier ? "barrier" : "clock",
        .skew_s = seen.skew_ns * 1e-9,
        .tolerance_s = seen.tolerance_ns * 1e-9,
        .clock = &launch->together->start.clock,
        .missed = count - seen.kept,
    });
    return seen.kept;
}

/* Of what is made by messages; NULL where it has none. */
static const size_t *segments_of(const struct point *point)
{
    const struct schedule *schedule = point->collective.schedule;
    return schedule != NULL && schedule->has_segments ? &schedule->segment_bytes : NULL;
}

/* Reductions of the usual elements have no name for them. */
static const char *element_of(const struct operation *operation, const struct options *options)
{
    const int is_usual = options->element == element_named("int32");
    return operation->reduces && options->experiment == COLLECTIVE && !is_usual ? options->element->name : NULL;
}

static struct sample_key key_of(const struct rounds *rounds, const struct visit *visit, int number, int at)
{
    const struct launch *launch = rounds->launch;
    const struct point *point = &launch->points[visit->point];
    const struct together *together = launch->together;
    const struct schedule *schedule = point->collective.schedule;
    const struct arrivals *arrivals = &launch->options->collective.arrivals;
    const int is_pair = point->pair[1] > 0;
    return (struct sample_key){
        .round = rounds->number,
        .operation = point->operation,
        .method = point->method,
        .algorithm = together != NULL && schedule == NULL ? launch->options->algorithm
                                                          : point->operation->algorithm,
        .segment_bytes = segments_of(point),
        .element = element_of(point->operation, launch->options),
        .phase = schedule != NULL ? "all" : NULL,
        .window = point->operation->counts_window ? point->window : 0,
        .overlap = point->overlapped,
        .arrivals = arrivals->count > 0 ? arrivals : NULL,
        .arrival = point->collective.arrival,
        .bytes = point->size.bytes,
        .peers = is_pair ? point->pair : launch->peers,
        .peer_count = is_pair                                          ? 2
                      : together != NULL || launch->congestion != NULL ? 0
                                                                       : launch->context.ranks,
        .load = point->load,
        .load_Bps = point->load != NULL ? congestion_rate_Bps(launch, number) : 0.0,
        .ranks = is_pair ? 2 : launch->context.ranks,
        .grid = point->operation->exchange != NULL ? &launch->options->halo.grid : NULL,
        .packing = point->packing,
        .groups = launch->options->groups,
        .repetitions = visit->repetitions,
        .at_s = visit->at_s,
        .compute_ns = point->operation->one_sided ? 0.0 : visit->compute_ns,
        .window_ns = visit->window_ns,
        .skew_ns = visit->skew_ns,
        .own_sum_ns = together != NULL && !is_pair ? together->sum_ns + at : NULL,
        .own_longest_ns = together != NULL && !is_pair ? together->longest_ns + at : NULL,
    };
}

/* Of a collective by messages, where it has several phases: the time of each. */
static void record_phases(struct rounds *rounds, const struct sample_key *whole, int point, int visit,
                          int at, int kept)
{
    const struct schedule *schedule = rounds->launch->points[point].collective.schedule;
    double phase_ns[MOST_COLLECTIVES];
    for (int i = 0; schedule != NULL && schedule->phases > 1 && i < schedule->phases; i++) {
        struct sample_key key = *whole;
        key.phase = schedule->phase[i];
        key.own_sum_ns = key.own_longest_ns = NULL;
        together_phase(rounds->launch, schedule, visit, at, kept, i, phase_ns);
        record_samples(&key, phase_ns, kept);
    }
}

static void record_visits(struct rounds *rounds)
{
    struct launch *launch = rounds->launch;
    double *sample = launch->sample_ns;
    int number = 0;
    for (const struct visit *visit = rounds->plan->visits; visit->point >= 0; visit++, number++) {
        struct point *point = &launch->points[visit->point];
        const int at = (int)(sample - launch->sample_ns);
        const int kept = keep_together(rounds, visit, number, at);
        if (kept > 0) {
            const struct sample_key key = key_of(rounds, visit, number, at);
            const int most = launch->options->tails ? SINGLES_A_VISIT : kept;
            record_samples(&key, sample, kept < most ? kept : most);
            record_phases(rounds, &key, visit->point, number, at, kept);
            if (point->sketch != NULL)
                sketch_add(point->sketch, sample, kept);
            lengthen(launch, point, least_of(sample, kept));
            series_add(point->series, median_of(sample, kept)); /* sorts what was recorded */
            point->samples += kept;
        }
        sample += visit->batches;
    }
}

/* With --tails, on the first rank: what was counted up to that round since the last time. */
static void record_tails(struct rounds *rounds, int round)
{
    struct launch *launch = rounds->launch;
    rounds->tails_s = launch_now_s();
    for (int i = 0; i < launch->point_count; i++) {
        struct sketch *sketch = launch->points[i].sketch;
        const struct visit visit = {.point = i};
        if (sketch == NULL || launch->points[i].samples == 0)
            continue;
        struct sample_key key = key_of(rounds, &visit, 0, 0);
        key.round = round;
        record_tail(&key, sketch);
        memset(sketch, 0, sizeof *sketch);
    }
}

/* With --stragglers, collective: when each rank was done, over all visits. */
static void record_stragglers(const struct rounds *rounds)
{
    const struct launch *launch = rounds->launch;
    for (int i = 0; i < launch->point_count; i++) {
        const struct point *point = &launch->points[i];
        const struct visit visit = {.point = i};
        if (point->collective.done_visits == 0)
            continue;
        struct completion *all = stragglers_gather(launch, point);
        if (all != NULL) {
            const struct sample_key key = key_of(rounds, &visit, 0, 0);
            record_completions(&key, all, point->collective.done_visits);
        }
        free(all);
    }
}

/* Works out every point's precision; returns how many points have reached theirs. */
static int judge(struct rounds *rounds, int *furthest)
{
    struct launch *launch = rounds->launch;
    int reached = 0;
    *furthest = 0;
    for (int i = 0; i < launch->point_count; i++) {
        struct point *point = &launch->points[i];
        point->precision = series_precision(point->series);
        reached += point->precision <= launch->options->precision;
        if (point->precision > launch->points[*furthest].precision)
            *furthest = i;
    }
    return reached;
}

static long total_samples(const struct launch *launch)
{
    long total = 0;
    for (int i = 0; i < launch->point_count; i++)
        total += launch->points[i].samples;
    return total;
}

/* Whether some point has no sample, because its repetitions were never begun together: a launch then
   goes on for a while. */
static int is_unseen(const struct rounds *rounds, double elapsed_s)
{
    const struct launch *launch = rounds->launch;
    int unseen = 0;
    for (int i = 0; i < launch->point_count; i++)
        unseen = unseen || launch->points[i].samples == 0;
    return unseen && elapsed_s < launch->options->seconds + LONGEST_WAIT_S;
}

static void show_progress(struct rounds *rounds, double elapsed_s, int reached, int furthest)
{
    const struct launch *launch = rounds->launch;
    const struct point *point = &launch->points[furthest];
    if (elapsed_s - rounds->progress_s < PROGRESS_S)
        return;
    rounds->progress_s = elapsed_s;
    record_progress(&(struct progress_facts){
        .round = rounds->number,
        .bytes = point->size.bytes,
        .worst = isfinite(point->precision) ? point->precision : -1.0,
        .reached = reached,
        .points = launch->point_count,
        .samples = total_samples(launch),
        .left_s = launch->options->seconds - elapsed_s,
    });
    records_flush();
}

/* On the first rank, after a round: is it enough? */
static void decide(struct rounds *rounds, double round_s, int interrupted)
{
    struct launch *launch = rounds->launch;
    const struct options *options = launch->options;
    const double elapsed_s = launch_now_s() - launch->started_s;
    const int done = rounds->number + 1;
    if (interrupted)
        rounds->reason = "interrupted";
    else if (IS_ABRIDGED && (launch->congestion != NULL ||
                             (launch->together != NULL && !is_unseen(rounds, elapsed_s))))
        rounds->reason = "complete";
    else if (done >= options->most_rounds ||
             (elapsed_s + round_s > options->seconds && !is_unseen(rounds, elapsed_s)))
        rounds->reason = "budget";
    if (done < rounds->decide_at)
        return;
    rounds->decide_at = done + (done + 9) / 10;

    int furthest;
    const int reached = judge(rounds, &furthest);
    if (rounds->reason == NULL && options->precision > 0.0 && done >= options->least_rounds &&
        reached == launch->point_count)
        rounds->reason = "precision";
    show_progress(rounds, elapsed_s, reached, furthest);
}

static void run_round(struct rounds *rounds)
{
    struct launch *launch = rounds->launch;
    const double began_s = launch_now_s();
    fault_in_round(rounds->number, launch->context.rank);
    judge_state(launch->context.shared, launch->context.rank, launch->options->launch,
                rounds->number);
    probe_state(launch, rounds->number);
    if (launch->together != NULL)
        sync_again(&launch->together->start.clock);
    make_visits(rounds);
    judge_state(launch->context.shared, launch->context.rank, launch->options->launch,
                rounds->number);
    const int interrupted = look_at_noise(launch, rounds->number);
    if (launch->context.rank != 0)
        return;
    if (rounds->number < 0) {
        calibrate(launch, rounds->plan->visits, rounds->number == -1);
        rounds->reason = interrupted ? "interrupted" : NULL;
        const int may_use_barrier = launch->options->collective.arrivals.count == 0 && !launch->options->stragglers;
        if (launch->together != NULL && rounds->number == -1 && may_use_barrier)
            launch->together->by_barrier = together_needs_barrier(launch);
        return;
    }
    record_visits(rounds);
    if (launch_now_s() - rounds->tails_s > TAILS_S)
        record_tails(rounds, rounds->number);
    records_flush();
    decide(rounds, launch_now_s() - began_s, interrupted);
}

const char *rounds_run(struct launch *launch)
{
    const size_t plan_bytes =
        sizeof(struct plan) + ((size_t)launch->point_count + 1) * sizeof(struct visit);
    struct rounds rounds = {
        .launch = launch,
        .plan = allocate(plan_bytes),
        .plan_bytes = plan_bytes,
        .random = random_state(launch->options->seed),
        .number = launch->together != NULL ? -UNTIMED_ROUNDS_OF_COLLECTIVES : -UNTIMED_ROUNDS,
        .decide_at = launch->options->least_rounds,
        .tails_s = launch_now_s(),
    };
    for (int i = 0; i < launch->point_count; i++)
        launch->points[i].precision = HUGE_VAL;
    for (; share_plan(&rounds); rounds.number++)
        run_round(&rounds);
    if (launch->context.rank == 0)
        record_tails(&rounds, rounds.number - 1);
    record_stragglers(&rounds);
    probe_state(launch, rounds.number); /* the state after the last round */
    free(rounds.plan);
    return rounds.reason;
}
