#include "start.h"

#include <math.h>

#include "check.h"

/* Telling all ranks takes about this long at first; then it is known. */
static const double FIRST_MARGIN_NS = 50e3, LEAST_MARGIN_NS = 10e3, MOST_MARGIN_NS = 100e6;

void start_open(struct start *start, MPI_Comm comm, int by_messages)
{
    start->comm = comm;
    start->margin_ns = FIRST_MARGIN_NS;
    check(MPI_Comm_rank(comm, &start->rank), "MPI_Comm_rank");
    sync_start(&start->clock, comm, by_messages);
}

void start_close(struct start *start) { sync_end(&start->clock); }

double start_agree(struct start *start)
{
    double moment = 0.0;
    check(MPI_Barrier(start->comm), "MPI_Barrier");
    if (start->rank == 0)
        moment = sync_now(&start->clock) + start->margin_ns;
    check(MPI_Bcast(&moment, 1, MPI_DOUBLE, 0, start->comm), "MPI_Bcast");
    return moment;
}

/* Twice as early as was missing; slowly back while nobody is late, so that a start that comes out too
   late for that is late by little. Simulated time has no outliers to come back from. */
void start_adapt(struct start *start, double late_ns)
{
    static const double LATE_NS = 100.0, BACK = IS_SIMULATED ? 1.0 : 0.995;
    const double wanted = late_ns > LATE_NS ? start->margin_ns + 2.0 * late_ns
                                            : BACK * start->margin_ns;
    start->margin_ns = fmin(fmax(wanted, LEAST_MARGIN_NS), MOST_MARGIN_NS);
}
