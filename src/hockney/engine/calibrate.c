#include "calibrate.h"

#include <math.h>

#include "check.h"
#include "congestion.h"
#include "together.h"

/* The clock may cost 0.5 % of a batch and be 1 % of it coarse. */
static const double LARGEST_COST = 0.005, LARGEST_GRAIN = 0.01;
/* Short batches waste their untimed exchanges; below this a batch grows though the clock allows it. */
static const double SHORTEST_BATCH_NS = 20e3;
/* Untimed exchanges directly before the timed ones: the first one alone pays for caches that other
   sizes used, and leaves the first batch 1 to 3 % slow. */
static const double LEAD_IN_NS = 30e3;

double batch_least_ns(const struct clock *clock)
{
    const double ns = fmax(clock->cost_s / LARGEST_COST, clock->resolution_s / LARGEST_GRAIN) * 1e9;
    return fmax(2.0 * ns, SHORTEST_BATCH_NS);
}

/* A target computes for so many times as long as operations take alone: one that must help makes them as
   long, which no noise does. */
static const double OF_TARGET = 3.0;

/* What is computed meanwhile, a repetition: by the ranks of a nonblocking collective for as long as it takes
   alone. */
static double compute_ns(const struct point *point)
{
    const double factor = point->operation->one_sided ? OF_TARGET : 1.0;
    return point->overlapped ? factor * point[-1].repetition_ns : 0.0;
}

struct visit visit_of(const struct launch *launch, int number)
{
    const struct point *point = &launch->points[number];
    const double lead_in = point->repetition_ns > 0.0 ? ceil(LEAD_IN_NS / point->repetition_ns) : 1.0;
    const double window_ns = point->collective.window_ns;
    return (struct visit){
        .point = number,
        .batches = point->batches,
        .repetitions = point->repetitions,
        .untimed = launch->together != NULL ? together_lead_in(window_ns) : (int64_t)lead_in,
        .window_ns = window_ns,
        .skew_ns = point->collective.skew_ns,
        .compute_ns = compute_ns(point),
    };
}

void follow(struct launch *launch, struct point *point, int at, int count)
{
    struct collective_point *collective = &point->collective;
    collective->window_ns =
        collective->skew_ns + together_window_ns(launch, launch->sample_ns + at, count);
    point->batches = together_count(launch->together, collective->window_ns);
}

/* Once it is known what the collective takes without a skew. */
static void choose_skew(const struct launch *launch, struct point *point)
{
    const struct arrivals *arrivals = &launch->options->collective.arrivals;
    if (point->collective.arrival != ARRIVAL_NONE)
        point->collective.skew_ns = arrivals->skew_ns > 0.0
                                        ? arrivals->skew_ns
                                        : arrivals->skew_times * point->repetition_ns;
}

static void choose_batches(struct launch *launch, struct point *point)
{
    const int single = times_each(launch->options);
    point->repetitions =
        single ? 1 : (int64_t)ceil(batch_least_ns(&launch->clock) / point->repetition_ns);
    const double batch_ns = point->repetition_ns * (double)point->repetitions;
    const double visit_ns = launch->congestion != NULL || launch->options->tails
                                ? fmax(VISIT_UNDER_LOAD_NS, LEAST_PERIODS * load_period_ns(point->load))
                                : VISIT_NS;
    point->batches = (int)fmin(fmax(visit_ns / batch_ns, 1.0), launch_most_samples(launch->options));
}

void calibrate(struct launch *launch, const struct visit *plan, int is_last)
{
    const double *sample = launch->sample_ns;
    int number = 0;
    for (const struct visit *visit = plan; visit->point >= 0; visit++, number++) {
        struct point *point = &launch->points[visit->point];
        const int at = (int)(sample - launch->sample_ns);
        const double seen_ns = fmax(sample[0] * point->operation->messages * point->window, 1.0);
        /* The shortest seen: one that was disturbed would make all batches too short. */
        point->repetition_ns = point->repetition_ns > 0.0 ? fmin(point->repetition_ns, seen_ns)
                                                          : seen_ns;
        if (launch->together != NULL) {
            if (is_last)
                choose_skew(launch, point);
            follow(launch, point, at, visit->batches);
            /* learns how late ranks are */
            together_keep(launch, visit->window_ns, number, at, visit->batches);
        } else if (is_last) {
            choose_batches(launch, point);
        }
        sample += visit->batches;
    }
}

void lengthen(struct launch *launch, struct point *point, double fastest_ns)
{
    const double least_ns = batch_least_ns(&launch->clock);
    const double repetition_ns = fmax(fastest_ns * point->operation->messages * point->window, 1.0);
    if (times_each(launch->options) || launch->together != NULL ||
        repetition_ns * (double)point->repetitions >= 0.5 * least_ns)
        return;
    point->repetition_ns = repetition_ns;
    point->repetitions = (int64_t)ceil(least_ns / repetition_ns);
}
