/* Interleaved rounds: in each, every point that is due is visited once, in an order shuffled alike
   on all ranks, so that a burst of noise touches every size a little and none for long. The first
   rank plans each round and tells the others, outside any timing. */
#include "rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "faults.h"
#include "random.h"
#include "records.h"
#include "together.h"
#include "visit.h"

/* The clock may cost 0.5 % of a batch and be 1 % of it coarse. */
static const double LARGEST_COST = 0.005, LARGEST_GRAIN = 0.01;
/* Short batches waste their untimed exchange; below this a batch grows though the clock allows it. */
static const double SHORTEST_BATCH_NS = 20e3;
/* A visit takes about this long, in up to MOST_BATCHES; timing each exchange, up to MOST_SINGLES. */
static const double VISIT_NS = 500e3;
enum { MOST_BATCHES = 4, MOST_SINGLES = 256 };
/* Three untimed rounds find out how long an exchange takes once first-use costs are paid; of
   collectives, which take long where ranks share CPUs, two. */
enum { CALIBRATION_ROUNDS = 3, CALIBRATION_TOGETHER = 2 };
/* A point that is precise enough is still visited every fourth round: noise may return. */
enum { REST = 4 };
/* How much longer a launch may take to see each point at least once. */
static const double LONGEST_WAIT_S = 2.0;
/* Progress at most this often: reading it takes a core from the ranks. */
static const double PROGRESS_S = 0.25;

/* At the start of a round whoever reads our records takes a core from a rank for a moment: the first
   visit exchanges for this long before it is timed. Others make one untimed exchange. */
static const double LEAD_IN_NS = 100e3;

/* From one common start of a collective to the next: what one takes, and time to be ready again. */
static const double WINDOW_FACTOR = 2.0, WINDOW_NS = 5e3;

/* What every rank needs to know to make one visit; `point` < 0 ends the plan. */
struct visit {
    int32_t point, batches;
    int64_t repetitions;
    int64_t untimed; /* repetitions before the timed ones */
    double at_s; /* filled in when it is made: since the launch began to measure */
    double window_ns, compute_ns;
};

struct rounds {
    struct launch *launch;
    struct visit *plan; /* point_count + 1 */
    uint64_t random;
    int number;
    int decide_at;      /* precision is worked out at rounds 10, 11, 12, ... 20, 22, ... */
    double progress_s;
    const char *reason;
};

double batch_least_ns(const struct clock *clock)
{
    const double ns = fmax(clock->cost_s / LARGEST_COST, clock->resolution_s / LARGEST_GRAIN) * 1e9;
    return fmax(2.0 * ns, SHORTEST_BATCH_NS);
}

static double now_s(void) { return (double)clock_ns() * 1e-9; }

static int is_due(const struct rounds *rounds, const struct point *point)
{
    const double wanted = rounds->launch->options->precision;
    return wanted <= 0.0 || point->precision > wanted || rounds->number % REST == 0;
}

/* What a nonblocking collective computes meanwhile: for as long as it takes alone. */
static double compute_ns(const struct point *point)
{
    return point->overlapped ? point[-1].repetition_ns : 0.0;
}

/* On the first rank: who is visited in this round, in a new order. */
static void make_plan(struct rounds *rounds)
{
    struct launch *launch = rounds->launch;
    int count = 0;
    for (int i = 0; i < launch->point_count; i++) {
        const struct point *point = &launch->points[i];
        if (rounds->number < 0 || is_due(rounds, point))
            rounds->plan[count++] = (struct visit){.point = i,
                                                   .batches = point->batches,
                                                   .repetitions = point->repetitions,
                                                   .untimed = 1,
                                                   .window_ns = point->window_ns,
                                                   .compute_ns = compute_ns(point)};
    }
    for (int i = count - 1; i > 0; i--) {
        const int other = (int)(next_random(&rounds->random) % (uint64_t)(i + 1));
        const struct visit visit = rounds->plan[i];
        rounds->plan[i] = rounds->plan[other];
        rounds->plan[other] = visit;
    }
    rounds->plan[count].point = -1;
    if (rounds->number >= 0 && count > 0 && launch->together == NULL)
        rounds->plan[0].untimed =
            (int64_t)ceil(LEAD_IN_NS / launch->points[rounds->plan[0].point].repetition_ns);
}

/* Collective: returns 0 when the first rank says that it is enough. */
static int share_plan(struct rounds *rounds)
{
    struct launch *launch = rounds->launch;
    struct visit *end = &rounds->plan[launch->point_count];
    if (launch->exchange.rank == 0) {
        if (rounds->reason == NULL)
            make_plan(rounds);
        else
            rounds->plan[0].point = -1;
        end->repetitions = rounds->reason == NULL;
    }
    check(MPI_Bcast(rounds->plan, (launch->point_count + 1) * (int)sizeof *rounds->plan, MPI_BYTE, 0,
                    launch->exchange.comm),
          "MPI_Bcast");
    return end->repetitions != 0;
}

/* Makes all visits of the plan; returns the number of samples in own_ns. */
static int make_visits(struct rounds *rounds)
{
    struct launch *launch = rounds->launch;
    int count = 0;
    for (struct visit *visit = rounds->plan; visit->point >= 0; visit++) {
        struct point *point = &launch->points[visit->point];
        visit->at_s = now_s() - launch->started_s;
        visit_prepare(launch, point->operation, point->size.bytes);
        launch->exchange.compute_ns = visit->compute_ns;
        if (launch->together != NULL)
            together_prepare(launch, point->size.bytes);
        visit_warm(launch, point->operation, visit->untimed);
        if (launch->together != NULL)
            together_time(launch, point->operation, visit->batches, visit->window_ns, count);
        else
            visit_time(launch, point->operation, visit->repetitions, visit->batches,
                       launch->own_ns + count);
        visit_release(launch, point->operation);
        count += visit->batches;
    }
    return count;
}

/* Chooses batches from what a repetition was seen to take. */
static void calibrate(struct rounds *rounds)
{
    struct launch *launch = rounds->launch;
    const struct options *options = launch->options;
    const int single = times_each(options) || launch->together != NULL;
    const double least_ns = batch_least_ns(&launch->clock);
    const double *sample = launch->sample_ns;
    for (const struct visit *visit = rounds->plan; visit->point >= 0; visit++) {
        struct point *point = &launch->points[visit->point];
        if (launch->together != NULL) /* learns how late ranks are; all samples are used here */
            together_keep(launch, point, (int)(sample - launch->sample_ns), visit->batches);
        const double seen_ns = fmax(sample[0] * point->operation->messages, 1.0);
        /* The shortest seen: one that was disturbed would make all batches too short. */
        point->repetition_ns = point->repetition_ns > 0.0 ? fmin(point->repetition_ns, seen_ns)
                                                          : seen_ns;
        sample += visit->batches;
        point->repetitions = single ? 1 : (int64_t)ceil(least_ns / point->repetition_ns);
        point->window_ns = fmax(point->window_ns, WINDOW_FACTOR * point->repetition_ns + WINDOW_NS);
        if (rounds->number < -1)
            continue;
        const double batch_ns = launch->together != NULL
                                    ? point->window_ns
                                    : point->repetition_ns * (double)point->repetitions;
        const int most = launch->together != NULL && IS_SIMULATED ? 1
                         : single                                 ? MOST_SINGLES
                                                                  : MOST_BATCHES;
        point->batches = (int)fmin(fmax(VISIT_NS / batch_ns, 1.0), most);
    }
}

/* Where every untimed round was disturbed, or the machine became faster, batches are too short for
   the clock: the next ones are not. */
static void lengthen(struct rounds *rounds, struct point *point, double fastest_ns)
{
    const struct launch *launch = rounds->launch;
    const double least_ns = batch_least_ns(&launch->clock);
    const double repetition_ns = fmax(fastest_ns * point->operation->messages, 1.0);
    if (times_each(launch->options) || launch->together != NULL ||
        repetition_ns * (double)point->repetitions >= 0.5 * least_ns)
        return;
    point->repetition_ns = repetition_ns;
    point->repetitions = (int64_t)ceil(least_ns / repetition_ns);
}

static double least_of(const double *values, int count)
{
    double least = values[0];
    for (int i = 1; i < count; i++)
        least = fmin(least, values[i]);
    return least;
}

static double median_of(const double *values, int count)
{
    double sorted[MOST_SINGLES];
    for (int i = 0; i < count; i++) {
        int j = i;
        for (; j > 0 && sorted[j - 1] > values[i]; j--)
            sorted[j] = sorted[j - 1];
        sorted[j] = values[i];
    }
    return 0.5 * (sorted[count / 2] + sorted[(count - 1) / 2]);
}

/* Repetitions of a collective that were begun together: how many, and how well. */
static int keep_together(struct rounds *rounds, struct point *point, int at, int count)
{
    struct launch *launch = rounds->launch;
    if (launch->together == NULL)
        return count;
    const int kept = together_keep(launch, point, at, count);
    record_start(&(struct start_facts){
        .launch = launch->options->launch,
        .round = rounds->number,
        .operation = point->operation->name,
        .bytes = point->size.bytes,
        .ranks = launch->exchange.ranks,
        .skew_s = launch->together->skew_ns * 1e-9,
        .error_s = launch->together->start.clock.largest_error_ns * 1e-9,
        .known_error_s = launch->together->start.clock.known_error_ns * 1e-9,
        .missed = count - kept,
    });
    return kept;
}

/* What the records call the way in which it is done. */
static const char *algorithm_of(const struct launch *launch, const struct point *point)
{
    static char words[128];
    const char *label = launch->options->algorithm;
    if (launch->together == NULL)
        return point->operation->algorithm;
    if (!point->overlapped)
        return label;
    snprintf(words, sizeof words, "%s%soverlapped", label != NULL ? label : "",
             label != NULL ? ", " : "");
    return words;
}

static void record_round(struct rounds *rounds)
{
    struct launch *launch = rounds->launch;
    const struct together *together = launch->together;
    double *sample = launch->sample_ns;
    for (const struct visit *visit = rounds->plan; visit->point >= 0; visit++) {
        struct point *point = &launch->points[visit->point];
        const int at = (int)(sample - launch->sample_ns);
        const int kept = keep_together(rounds, point, at, visit->batches);
        const struct sample_key key = {
            .launch = launch->options->launch,
            .round = rounds->number,
            .operation = point->operation->name,
            .algorithm = algorithm_of(launch, point),
            .bytes = point->size.bytes,
            .peers = launch->peers,
            .peer_count = together != NULL ? 0 : launch->exchange.ranks,
            .ranks = launch->exchange.ranks,
            .repetitions = visit->repetitions,
            .at_s = visit->at_s,
            .compute_ns = visit->compute_ns,
            .own_sum_ns = together != NULL ? together->sum_ns + at : NULL,
            .own_longest_ns = together != NULL ? together->longest_ns + at : NULL,
        };
        if (kept > 0) {
            record_samples(&key, sample, kept);
            series_add(&point->series, median_of(sample, kept));
            point->samples += kept;
            lengthen(rounds, point, least_of(sample, kept));
        }
        sample += visit->batches;
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
        point->precision = series_precision(&point->series);
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

/* On the first rank, after a round: is it enough? */
static void decide(struct rounds *rounds, double round_s, int interrupted)
{
    struct launch *launch = rounds->launch;
    const struct options *options = launch->options;
    const double elapsed_s = now_s() - launch->started_s;
    const int done = rounds->number + 1;
    if (interrupted)
        rounds->reason = "interrupted";
    else if (rounds->launch->together != NULL && IS_SIMULATED && done >= 1)
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
    if (elapsed_s - rounds->progress_s >= PROGRESS_S) {
        const struct point *point = &launch->points[furthest];
        rounds->progress_s = elapsed_s;
        record_progress(options->launch, rounds->number, point->size.bytes,
                        isfinite(point->precision) ? point->precision : -1.0, reached,
                        launch->point_count, total_samples(launch), options->seconds - elapsed_s);
        records_flush();
    }
}

const char *rounds_run(struct launch *launch)
{
    struct rounds rounds = {
        .launch = launch,
        .plan = allocate(((size_t)launch->point_count + 1) * sizeof(struct visit)),
        .random = random_state(launch->options->seed),
        .number = launch->together != NULL ? -CALIBRATION_TOGETHER : -CALIBRATION_ROUNDS,
        .decide_at = launch->options->least_rounds,
    };
    for (int i = 0; i < launch->point_count; i++)
        launch->points[i].precision = HUGE_VAL;
    for (; share_plan(&rounds); rounds.number++) {
        const double began_s = now_s();
        fault_in_round(rounds.number, launch->exchange.rank);
        judge_state(launch->exchange.shared, launch->exchange.rank, launch->options->launch,
                    rounds.number);
        probe_state(launch, rounds.number);
        if (launch->together != NULL)
            sync_again(&launch->together->start.clock);
        const int count = make_visits(&rounds);
        judge_state(launch->exchange.shared, launch->exchange.rank, launch->options->launch,
                    rounds.number);
        if (launch->together != NULL)
            together_reduce(launch, count);
        else
            visit_reduce(launch, count);
        const int interrupted = look_at_noise(launch, rounds.number);
        if (launch->exchange.rank != 0)
            continue;
        if (rounds.number < 0) {
            calibrate(&rounds);
            continue;
        }
        record_round(&rounds);
        records_flush();
        decide(&rounds, now_s() - began_s, interrupted);
    }
    probe_state(launch, rounds.number); /* the state after the last round */
    free(rounds.plan);
    return rounds.reason;
}
