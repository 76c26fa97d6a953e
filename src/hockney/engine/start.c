#include "start.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "faults.h"
#include "order.h"
#include "tree.h"

/* Before anything is known, a moment is named so far ahead. */
static const double FIRST_MARGIN_NS = 50e3, LEAST_MARGIN_NS = 2e3, MOST_MARGIN_NS = 100e6;
/* The margin is this many times what it took lately to notify all ranks, but for one visit in ten. */
static const double MARGIN_FACTOR = 1.5, MARGIN_QUANTILE = 0.9;
/* Beginning within this is beginning together. More is tolerated only where ranks cannot: the more
   there are, the likelier one of them is interrupted, and ranks that share a CPU take turns. Then it
   is twice the usual lateness, so that about half of the repetitions count at least. */
static const double LEAST_TOLERANCE_NS = 1000.0, TOLERANCE_FACTOR = 2.0;

/* A visit lasts so many times as long as its start is named ahead, so that agreeing on starts takes a
   small part of a round, but at most so long for this reason. */
static const double VISIT_FACTOR = 15.0, MOST_VISIT_NS = 5e6;

void recent_add(struct recent *recent, double value)
{
    recent->values[recent->next] = value;
    recent->next = (recent->next + 1) % RECENT;
    if (recent->count < RECENT)
        recent->count++;
}

double recent_quantile(const struct recent *recent, double fraction)
{
    double sorted[RECENT];
    memcpy(sorted, recent->values, sizeof sorted);
    return recent->count > 0 ? quantile_of(sorted, recent->count, fraction) : 0.0;
}

void start_open(struct start *start, MPI_Comm comm, int by_messages)
{
    *start = (struct start){.comm = comm, .margin_ns = FIRST_MARGIN_NS};
    check(MPI_Comm_rank(comm, &start->rank), "MPI_Comm_rank");
    sync_start(&start->clock, comm, by_messages);
}

void start_close(struct start *start) { sync_end(&start->clock); }

double start_agree(struct start *start)
{
    double named[2] = {0.0, 0.0};
    /* The first rank must know that all are here; they need not know of each other, and a barrier
       would cost twice as much. */
    tree_reduce(NULL, (struct tree_layout){0}, start->comm);
    if (start->rank == 0) {
        named[0] = sync_now(&start->clock);
        named[1] = named[0] + start->margin_ns;
    }
    tree_bcast(named, sizeof named, start->comm);
    fault_late_notice(start->rank);
    start->notified_ns = sync_now(&start->clock) - named[0];
    return named[1];
}

void start_adapt(struct start *start, double notified_ns, double late_ns)
{
    /* Who knew the moment only after it had passed is late for the margin's sake, which is mended. */
    if (notified_ns < start->margin_ns && late_ns >= 0.0)
        recent_add(&start->late, late_ns);
    recent_add(&start->notified, notified_ns);
    const double wanted = MARGIN_FACTOR * recent_quantile(&start->notified, MARGIN_QUANTILE);
    start->margin_ns = fmin(fmax(wanted, LEAST_MARGIN_NS), MOST_MARGIN_NS);
}

double start_visit_ns(const struct start *start)
{
    const double worth_ns = fmin(VISIT_FACTOR * start->margin_ns, MOST_VISIT_NS);
    return IS_ABRIDGED ? 0.0 : fmax(VISIT_AT_ONCE_NS, worth_ns);
}

double start_tolerance_ns(const struct start *start)
{
    return fmax(LEAST_TOLERANCE_NS, TOLERANCE_FACTOR * recent_quantile(&start->late, 0.5));
}

int start_is_vain(const struct start *start, double length_ns)
{
    const double tolerance_ns = start_tolerance_ns(start);
    return tolerance_ns > LEAST_TOLERANCE_NS && tolerance_ns > length_ns;
}
