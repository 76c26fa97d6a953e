/* One launch on the ranks that take part: buffers, points, the experiment, the end. */
#ifndef HOCKNEY_LAUNCH_H
#define HOCKNEY_LAUNCH_H

#include <mpi.h>

#include "options.h"
#include "place.h"

/* Collective over `comm`, whose first rank writes the records and alone knows all `places[ranks]` of
   the world; `here` is the caller's own. */
void launch_run(const struct options *options, const struct place *here, const struct place *places,
                int ranks, MPI_Comm comm);

#endif
