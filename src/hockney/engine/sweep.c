/* A sweep: every size once, in order, with counts of its own, as the classic programs do it. */
#include "sweep.h"

#include <math.h>

#include "check.h"
#include "records.h"
#include "tree.h"
#include "visit.h"

/* The exercise's rule: 100 timed exchanges promise how many fit into the wanted seconds. */
enum { PROMISE_EXCHANGES = 100, MOST_PROMISED = 3000000 };

static int64_t promised(struct launch *launch, const struct point *point)
{
    const int64_t start = clock_ns();
    visit_warm(launch, point->operation, PROMISE_EXCHANGES);
    const double seconds = (double)(clock_ns() - start) * 1e-9;
    double repetitions = floor(launch->options->seconds_a_size * (double)PROMISE_EXCHANGES / seconds);
    repetitions = fmin(fmax(repetitions, 1.0), MOST_PROMISED);
    check(MPI_Allreduce(MPI_IN_PLACE, &repetitions, 1, MPI_DOUBLE, MPI_MAX, launch->context.comm),
          "MPI_Allreduce");
    return (int64_t)repetitions;
}

/* Reduces and records `count` samples as one round. */
static void finish_chunk(struct launch *launch, struct point *point, int round, int64_t repetitions,
                         int count, double at_s)
{
    visit_reduce(launch, count);
    if (launch->context.rank != 0)
        return;
    const struct sample_key key = {
        .round = round,
        .operation = point->operation,
        .method = point->method,
        .algorithm = point->operation->algorithm,
        .window = point->operation->counts_window ? point->window : 0,
        .bytes = point->size.bytes,
        .peers = launch->peers,
        .peer_count = launch->context.ranks,
        .ranks = launch->context.ranks,
        .repetitions = repetitions,
        .at_s = at_s,
    };
    record_samples(&key, launch->sample_ns, count);
    for (int i = 0; i < count; i++)
        series_add(point->series, launch->sample_ns[i]);
    point->samples += count;
    records_flush();
}

/* Collective; non-zero once a rank was interrupted. */
static int visit_once(struct launch *launch, struct point *point, int *round)
{
    const struct options *options = launch->options;
    const int single = times_each(options);
    int interrupted = 0;
    visit_prepare(launch, point->operation, point->method, point->size.bytes, point->window);
    visit_warm(launch, point->operation, point->size.warmup);
    const int64_t wanted = options->seconds_a_size > 0.0 ? promised(launch, point)
                                                         : point->size.repetitions;
    for (int64_t done = 0; done < wanted && !interrupted; (*round)++) {
        const int64_t left = wanted - done;
        const int count = !single ? 1 : left < CHUNK_SAMPLES ? (int)left : CHUNK_SAMPLES;
        const int64_t repetitions = single ? 1 : wanted;
        const double at_s = launch_now_s() - launch->started_s;
        visit_time(launch, point->operation, repetitions, count, launch->own_ns);
        finish_chunk(launch, point, *round, repetitions, count, at_s);
        interrupted = look_at_noise(launch, *round);
        tree_bcast(&interrupted, sizeof interrupted, launch->context.comm);
        done += count * repetitions;
    }
    visit_release(launch, point->operation);
    return interrupted;
}

const char *sweep_run(struct launch *launch)
{
    int round = 0, interrupted = 0;
    for (int i = 0; i < launch->point_count && !interrupted; i++) {
        struct point *point = &launch->points[i];
        if (launch->context.rank == 0) {
            record_progress(&(struct progress_facts){
                .round = round,
                .bytes = point->size.bytes,
                .worst = -1.0,
                .reached = i,
                .points = launch->point_count,
                .samples = round,
                .left_s = -1.0,
            });
            records_flush();
        }
        interrupted = visit_once(launch, point, &round);
    }
    return interrupted ? "interrupted" : "complete";
}
