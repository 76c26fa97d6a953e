/* Interleaved rounds: in each, every point that is due is visited once, in an order shuffled alike
   on all ranks, so that a burst of noise touches every size a little and none for long. The first
   rank plans each round and sends the plan to the others, outside any timing. */
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
#include "stragglers.h"
#include "together.h"
#include "tree.h"
#include "visit.h"
#include "visit_record.h"

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

/* Visit number `number` of a round, whose samples begin `at` in own_ns. */
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
    record_visits(launch, rounds->plan->visits, rounds->number);
    if (launch_now_s() - rounds->tails_s > TAILS_S) {
        rounds->tails_s = launch_now_s();
        record_tails(launch, rounds->number);
    }
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
        record_tails(launch, rounds.number - 1);
    record_stragglers(launch, rounds.number);
    probe_state(launch, rounds.number); /* the state after the last round */
    free(rounds.plan);
    return rounds.reason;
}
