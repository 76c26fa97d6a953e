/* Offsets by ping-pong along a binomial tree, as Hunold and Carpen-Amarie's hierarchical clock
   synchronisation (HCA) has it: each rank learns the common time from one that knows it already. */
#include "sync.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "order.h"
#include "tree.h"

enum { TAG_SYNC = 3, WARM = 4, PINGS = 40, KEPT = PINGS / 4 };
/* Of normal values: the range between their quartiles, and the error of the median of one, in standard
   deviations (2 * 0.6745, and the root of pi / 2). */
static const double NORMAL_QUARTILES = 1.349, NORMAL_MEDIAN = 1.2533;

/* Enough for a line; then measuring takes at most one part in so many of the time. */
enum { FIRST_MEASUREMENTS = 4 };
static const double WAIT_FACTOR = 30.0;

struct ping {
    double round_trip, offset;
};

static int shortest_first(const void *left, const void *right)
{
    const double a = ((const struct ping *)left)->round_trip;
    const double b = ((const struct ping *)right)->round_trip;
    return (a > b) - (a < b);
}

static double local_ns(const struct common_clock *clock)
{
    return (double)(clock_ns() - clock->base);
}

static void answer(const struct common_clock *clock, int child)
{
    for (int i = 0; i < WARM + PINGS; i++) {
        check(MPI_Recv(NULL, 0, MPI_BYTE, child, TAG_SYNC, clock->leaders, MPI_STATUS_IGNORE),
              "MPI_Recv");
        const double now = sync_now(clock);
        check(MPI_Send(&now, 1, MPI_DOUBLE, child, TAG_SYNC, clock->leaders), "MPI_Send");
    }
    const double own[2] = {clock->error_ns, clock->bound_ns};
    check(MPI_Send(own, 2, MPI_DOUBLE, child, TAG_SYNC, clock->leaders), "MPI_Send");
}

/* The line through all offsets, each as heavy as it is certain; too few have no drift. */
static void add_offset(struct common_clock *clock, double at, double offset, double error)
{
    const double weight = 1.0 / (error * error + 1.0);
    clock->count++;
    clock->sum += weight;
    clock->sum_t += weight * at;
    clock->sum_o += weight * offset;
    clock->sum_tt += weight * at * at;
    clock->sum_to += weight * at * offset;
    const double mean_t = clock->sum_t / clock->sum, mean_o = clock->sum_o / clock->sum;
    const double variance = clock->sum_tt / clock->sum - mean_t * mean_t;
    const double slope = (clock->sum_to / clock->sum - mean_t * mean_o) / fmax(variance, 1.0);
    clock->drift = clock->count > 2 ? slope : 0.0;
    clock->offset_ns = mean_o - clock->drift * mean_t;
}

/* The offset is the median over the quarter of the round trips that were shortest. Its error is that
   of such a median, after its interquartile range (normal values), with the parent's. */
static void learn(struct common_clock *clock, const struct ping *pings, double at,
                  const double parent[2])
{
    double offsets[KEPT];
    for (int i = 0; i < KEPT; i++)
        offsets[i] = pings[i].offset;
    const double middle = median_of(offsets, KEPT); /* sorts them */
    const double spread = (offsets[3 * KEPT / 4] - offsets[KEPT / 4]) / NORMAL_QUARTILES;
    const double error = NORMAL_MEDIAN * spread / sqrt(KEPT);
    add_offset(clock, at, middle, hypot(parent[0], error));
    const double residual = middle - (clock->offset_ns + clock->drift * at);
    clock->error_ns = hypot(hypot(parent[0], error), residual);
    clock->bound_ns = parent[1] + 0.5 * pings[0].round_trip;
}

static void ask(struct common_clock *clock, int parent)
{
    struct ping pings[PINGS];
    double at = 0.0, parents[2];
    for (int i = 0; i < WARM + PINGS; i++) {
        double theirs;
        const double asked = local_ns(clock);
        check(MPI_Send(NULL, 0, MPI_BYTE, parent, TAG_SYNC, clock->leaders), "MPI_Send");
        check(MPI_Recv(&theirs, 1, MPI_DOUBLE, parent, TAG_SYNC, clock->leaders, MPI_STATUS_IGNORE),
              "MPI_Recv");
        at = local_ns(clock);
        if (i >= WARM)
            pings[i - WARM] = (struct ping){at - asked, theirs - 0.5 * (asked + at)};
    }
    check(MPI_Recv(parents, 2, MPI_DOUBLE, parent, TAG_SYNC, clock->leaders, MPI_STATUS_IGNORE),
          "MPI_Recv");
    qsort(pings, PINGS, sizeof pings[0], shortest_first);
    learn(clock, pings, at, parents);
}

static void find_largest_errors(struct common_clock *clock)
{
    const double local = local_ns(clock);
    const double wrong = clock->offset_ns + clock->drift * local -
                         (double)(clock->base - clock->first_base);
    double largest[3] = {clock->error_ns, clock->bound_ns, fabs(wrong)};
    tree_reduce(largest, (struct tree_layout){.largest = 3}, clock->all);
    clock->largest_error_ns = largest[0];
    clock->largest_bound_ns = largest[1];
    clock->known_error_ns = clock->by_messages ? largest[2] : -1.0;
}

/* Whether all ranks read one clock, of which there is nothing to learn. */
static int is_one_clock(const struct common_clock *clock)
{
    int on_node, ranks;
    check(MPI_Comm_size(clock->node, &on_node), "MPI_Comm_size");
    check(MPI_Comm_size(clock->all, &ranks), "MPI_Comm_size");
    return on_node == ranks;
}

/* The first rank decides, for all. Until a line can be drawn it is always time. */
static int is_due(const struct common_clock *clock)
{
    const double waited_ns = local_ns(clock) - clock->measured_ns;
    int due = clock->measurements < FIRST_MEASUREMENTS || waited_ns > WAIT_FACTOR * clock->took_ns;
    tree_bcast(&due, sizeof due, clock->all);
    return due;
}

static void measure(struct common_clock *clock)
{
    if (clock->leaders != MPI_COMM_NULL) {
        int rank, ranks;
        ranks_of(clock->leaders, &rank, &ranks);
        for (int known = 1; known < ranks; known *= 2) {
            if (rank >= known && rank < 2 * known)
                ask(clock, rank - known);
            else if (rank < known && rank + known < ranks)
                answer(clock, rank + known);
        }
    }
    double line[] = {clock->offset_ns, clock->drift, clock->error_ns, clock->bound_ns};
    tree_bcast(line, sizeof line, clock->node);
    clock->offset_ns = line[0];
    clock->drift = line[1];
    clock->error_ns = line[2];
    clock->bound_ns = line[3];
    find_largest_errors(clock);
}

void sync_again(struct common_clock *clock)
{
    if (is_one_clock(clock) || !is_due(clock))
        return;
    const double began_ns = local_ns(clock);
    measure(clock);
    clock->measurements++;
    clock->measured_ns = local_ns(clock);
    clock->took_ns = clock->measured_ns - began_ns;
}

void sync_start(struct common_clock *clock, MPI_Comm comm, int by_messages)
{
    int rank, on_node;
    memset(clock, 0, sizeof *clock);
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    if (by_messages)
        check(MPI_Comm_split(comm, rank, 0, &clock->node), "MPI_Comm_split");
    else if (IS_SIMULATED)
        clock->node = comm;
    else
        check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &clock->node),
              "MPI_Comm_split_type");
    clock->all = comm;
    clock->leaders = MPI_COMM_NULL;
    check(MPI_Comm_rank(clock->node, &on_node), "MPI_Comm_rank");
    if (!is_one_clock(clock))
        check(MPI_Comm_split(comm, on_node == 0 ? 0 : MPI_UNDEFINED, rank, &clock->leaders),
              "MPI_Comm_split");
    clock->by_messages = by_messages;
    clock->known_error_ns = -1.0;
    clock->base = clock_ns();
    tree_bcast(&clock->base, sizeof clock->base, clock->node);
    clock->first_base = clock->base;
    tree_bcast(&clock->first_base, sizeof clock->first_base, comm);
    sync_again(clock);
}

void sync_end(struct common_clock *clock)
{
    if (clock->leaders != MPI_COMM_NULL)
        check(MPI_Comm_free(&clock->leaders), "MPI_Comm_free");
    if (clock->node != clock->all)
        check(MPI_Comm_free(&clock->node), "MPI_Comm_free");
}
