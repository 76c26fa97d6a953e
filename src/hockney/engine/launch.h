/* One launch on the ranks that take part: buffers, points, the experiment, the end. */
#ifndef HOCKNEY_LAUNCH_H
#define HOCKNEY_LAUNCH_H

#include <mpi.h>

#include "options.h"
#include "place.h"

/* Collective over `comm`, whose first rank writes the records and alone knows the `places` of all
   ranks of the world (place_gather); `here` is the caller's own. */
void launch_run(const struct options *options, const struct place *here, const char *places,
                MPI_Comm comm);

#endif
