/* One launch on the ranks that take part: buffers, points, the experiment, the end. */
#ifndef HOCKNEY_LAUNCH_H
#define HOCKNEY_LAUNCH_H

#include <mpi.h>

#include "options.h"
#include "place.h"

/* `places[ranks]` of the whole world; collective over `comm`, whose first rank writes the records. */
void launch_run(const struct options *options, const struct place *places, int ranks, MPI_Comm comm);

#endif
