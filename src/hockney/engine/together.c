#include "together.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

/* Late by more than this does not count as a common start. Ranks that share a CPU cannot all begin
   in time: where visit after visit has no common start, the least lateness seen is tolerated, and
   less again once starts succeed; the records say how far apart the ranks began. */
static const double LEAST_TOLERANCE_NS = 1000.0;
enum { MOST_VISITS_MISSED = 2 };
/* More missed than this: the window is too short for what follows on a slow repetition. */
static const double TOLERATED_SHARE = 0.25;

void together_open(struct together *together, MPI_Comm comm, int ranks, int room, enum sync sync)
{
    const size_t bytes = (size_t)room * sizeof(double);
    together->by_barrier = sync == SYNC_BARRIER;
    together->counts = allocate((size_t)ranks * sizeof(int));
    together->places = allocate((size_t)ranks * sizeof(int));
    together->duration_ns = allocate(bytes);
    together->late_ns = allocate(bytes);
    start_open(&together->start, comm, sync == SYNC_MESSAGES);
    const int first = together->start.rank == 0;
    together->longest_ns = first ? allocate(bytes) : NULL;
    together->sum_ns = first ? allocate(bytes) : NULL;
    together->latest_ns = first ? allocate(bytes) : NULL;
}

void together_close(struct together *together)
{
    start_close(&together->start);
    free(together->counts);
    free(together->places);
    free(together->duration_ns);
    free(together->late_ns);
    free(together->longest_ns);
    free(together->sum_ns);
    free(together->latest_ns);
}

void together_prepare(struct launch *launch, size_t bytes)
{
    struct together *together = launch->together;
    for (int i = 0; i < launch->exchange.ranks; i++) {
        together->counts[i] = (int)bytes;
        together->places[i] = (int)((size_t)i * bytes);
    }
    launch->exchange.counts = together->counts;
    launch->exchange.places = together->places;
}

static int next_root(const struct launch *launch, int repetition)
{
    return launch->options->rotate ? repetition % launch->exchange.ranks : 0;
}

void together_time(struct launch *launch, const struct operation *operation, int count,
                   double window_ns, int at)
{
    struct together *together = launch->together;
    struct exchange *exchange = &launch->exchange;
    double *done_ns = launch->own_ns + at, *late_ns = together->late_ns + at;
    const double moment = start_agree(&together->start);
    for (int i = 0; i < count; i++) {
        const double wanted = moment + window_ns * i;
        exchange->root = next_root(launch, i);
        double began;
        if (together->by_barrier) {
            check(MPI_Barrier(exchange->comm), "MPI_Barrier");
            began = sync_now(&together->start.clock);
        } else {
            began = start_wait(&together->start, wanted);
        }
        check(operation->repeat(exchange, 1), operation->name);
        const double ended = sync_now(&together->start.clock);
        done_ns[i] = together->by_barrier ? ended - moment : ended - wanted;
        late_ns[i] = together->by_barrier ? moment - began : began - wanted;
        together->duration_ns[at + i] = ended - began;
    }
}

void together_reduce(struct launch *launch, int count)
{
    struct together *together = launch->together;
    const MPI_Comm comm = launch->exchange.comm;
    check(MPI_Reduce(launch->own_ns, launch->sample_ns, count, MPI_DOUBLE, MPI_MAX, 0, comm),
          "MPI_Reduce");
    check(MPI_Reduce(together->late_ns, together->latest_ns, count, MPI_DOUBLE, MPI_MAX, 0, comm),
          "MPI_Reduce");
    check(MPI_Reduce(together->duration_ns, together->longest_ns, count, MPI_DOUBLE, MPI_MAX, 0,
                     comm),
          "MPI_Reduce");
    check(MPI_Reduce(together->duration_ns, together->sum_ns, count, MPI_DOUBLE, MPI_SUM, 0, comm),
          "MPI_Reduce");
    if (launch->exchange.rank == 0 && together->by_barrier)
        for (int i = 0; i < count; i++) /* behind a barrier: since the first rank to begin */
            launch->sample_ns[i] += together->latest_ns[i];
}

int together_keep(struct launch *launch, struct point *point, int at, int count)
{
    struct together *together = launch->together;
    double *sample_ns = launch->sample_ns;
    int kept = 0;
    double least_late_ns = HUGE_VAL;
    together->skew_ns = 0.0;
    if (together->by_barrier)
        return count;
    const double tolerance_ns = fmax(point->tolerance_ns, LEAST_TOLERANCE_NS);
    const int missed_first = together->latest_ns[at] > tolerance_ns;
    const double first_late_ns = together->latest_ns[at];
    for (int i = at; i < at + count; i++) {
        least_late_ns = fmin(least_late_ns, together->latest_ns[i]);
        if (together->latest_ns[i] > tolerance_ns)
            continue;
        sample_ns[at + kept] = sample_ns[i];
        together->longest_ns[at + kept] = together->longest_ns[i];
        together->sum_ns[at + kept] = together->sum_ns[i];
        together->skew_ns = fmax(together->skew_ns, together->latest_ns[i]);
        kept++;
    }
    start_adapt(&together->start, missed_first ? first_late_ns : 0.0);
    if (count - kept - missed_first > TOLERATED_SHARE * count)
        point->window_ns *= 1.5;
    point->visits_missed = kept == 0 ? point->visits_missed + 1 : 0;
    if (point->visits_missed >= MOST_VISITS_MISSED)
        point->tolerance_ns = 2.0 * least_late_ns;
    else if (kept == count)
        point->tolerance_ns *= 0.9;
    return kept;
}
