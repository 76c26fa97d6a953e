/* Whether this build is for SimGrid, and what differs there: how many ranks at once are
   paced. Simulated time repeats itself exactly, so that what is seen once need not be seen again;
   nothing is cold or disturbed, and every repetition is work for the simulator. */
#ifndef HOCKNEY_SIMULATED_H
#define HOCKNEY_SIMULATED_H

#include <mpi.h>

#ifdef SMPI_H
enum { IS_SIMULATED = 1 };
#else
enum { IS_SIMULATED = 0 };
#endif

/* Whether rounds and visits are as short as the simulator allows. HOCKNEY_WHOLE_ROUNDS builds an engine
   that makes them as it does on a machine, to see what it spends beside its timing. */
#ifdef HOCKNEY_WHOLE_ROUNDS
enum { IS_ABRIDGED = 0 };
#else
enum { IS_ABRIDGED = IS_SIMULATED };
#endif

enum {
    UNTIMED_ROUNDS_OF_PAIRS = IS_ABRIDGED ? 1 : 2,
    UNTIMED_ROUNDS_OF_COLLECTIVES = IS_ABRIDGED ? 1 : 3,
    MOST_ROUNDS_AT_ONCE = IS_ABRIDGED ? 1 : 1000000,
    MOST_COLLECTIVES = IS_ABRIDGED ? 1 : 256, /* timed repetitions a visit */
    CLOCK_BLOCKS = IS_SIMULATED ? 1 : 201,
    CLOCK_READINGS = IS_SIMULATED ? 10 : 500,
};

/* The timed part of a visit takes about this long. */
static const double VISIT_NS = 500e3;
/* The same of pairs and collectives. */
static const double VISIT_AT_ONCE_NS = IS_ABRIDGED ? 0.0 : 500e3;
/* Untimed repetitions directly before the timed ones, after all have agreed on a start: agreeing
   leaves caches and the library's queues cold. */
static const double LEAD_IN_OF_PAIRS_NS = IS_ABRIDGED ? 0.0 : 100e3;
static const double LEAD_IN_OF_COLLECTIVES_NS = IS_ABRIDGED ? 0.0 : 30e3;

#endif
