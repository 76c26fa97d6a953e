#include "visit_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "congestion.h"
#include "order.h"
#include "records.h"
#include "schedule.h"
#include "stragglers.h"
#include "together.h"

static double least_of(const double *values, int count)
{
    double least = values[0];
    for (int i = 1; i < count; i++)
        least = fmin(least, values[i]);
    return least;
}

/* Repetitions of a collective that were begun together: how many, and how well. */
static int keep_together(struct launch *launch, int round, const struct visit *visit, int number, int at)
{
    struct point *point = &launch->points[visit->point];
    const int count = visit->batches;
    if (launch->together == NULL)
        return count;
    follow(launch, point, at, count);
    const struct together_seen seen = together_keep(launch, visit->window_ns, number, at, count);
    record_start(&(struct start_facts){
        .round = round,
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

/* NULL unless the point is a collective by messages, in segments. */
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

static struct sample_key key_of(const struct launch *launch, int round, const struct visit *visit, int number,
                                int at)
{
    const struct point *point = &launch->points[visit->point];
    const struct together *together = launch->together;
    const struct schedule *schedule = point->collective.schedule;
    const struct arrivals *arrivals = &launch->options->collective.arrivals;
    const int is_pair = point->pair[1] > 0;
    return (struct sample_key){
        .round = round,
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

/* The time of each phase of a collective by messages, where it has several. */
static void record_phases(const struct launch *launch, const struct sample_key *whole, int point, int visit,
                          int at, int kept)
{
    const struct schedule *schedule = launch->points[point].collective.schedule;
    double phase_ns[MOST_COLLECTIVES];
    for (int i = 0; schedule != NULL && schedule->phases > 1 && i < schedule->phases; i++) {
        struct sample_key key = *whole;
        key.phase = schedule->phase[i];
        key.own_sum_ns = key.own_longest_ns = NULL;
        together_phase(launch, schedule, visit, at, kept, i, phase_ns);
        record_samples(&key, phase_ns, kept);
    }
}

void record_visits(struct launch *launch, const struct visit *visits, int round)
{
    double *sample = launch->sample_ns;
    int number = 0;
    for (const struct visit *visit = visits; visit->point >= 0; visit++, number++) {
        struct point *point = &launch->points[visit->point];
        const int at = (int)(sample - launch->sample_ns);
        const int kept = keep_together(launch, round, visit, number, at);
        if (kept > 0) {
            const struct sample_key key = key_of(launch, round, visit, number, at);
            const int most = launch->options->tails ? SINGLES_A_VISIT : kept;
            record_samples(&key, sample, kept < most ? kept : most);
            record_phases(launch, &key, visit->point, number, at, kept);
            if (point->sketch != NULL)
                sketch_add(point->sketch, sample, kept);
            lengthen(launch, point, least_of(sample, kept));
            series_add(point->series, median_of(sample, kept)); /* sorts what was recorded */
            point->samples += kept;
        }
        sample += visit->batches;
    }
}

void record_tails(struct launch *launch, int round)
{
    for (int i = 0; i < launch->point_count; i++) {
        struct sketch *sketch = launch->points[i].sketch;
        const struct visit visit = {.point = i};
        if (sketch == NULL || launch->points[i].samples == 0)
            continue;
        const struct sample_key key = key_of(launch, round, &visit, 0, 0);
        record_tail(&key, sketch);
        memset(sketch, 0, sizeof *sketch);
    }
}

void record_stragglers(const struct launch *launch, int round)
{
    for (int i = 0; i < launch->point_count; i++) {
        const struct point *point = &launch->points[i];
        const struct visit visit = {.point = i};
        if (point->collective.done_visits == 0)
            continue;
        struct completion *all = stragglers_gather(launch, point);
        if (all != NULL) {
            const struct sample_key key = key_of(launch, round, &visit, 0, 0);
            record_completions(&key, all, point->collective.done_visits);
        }
        free(all);
    }
}
