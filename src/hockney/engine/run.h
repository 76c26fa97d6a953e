/* The story of a launch: set up, recorded, measured, ended. */
#ifndef HOCKNEY_RUN_H
#define HOCKNEY_RUN_H

#include "launch.h"

/* Collective over `comm`, whose first rank writes the records and alone knows the `places` of all ranks
   of the world (place_gather); `here` is the caller's own. */
void run_launch(const struct options *options, const struct place *here, const char *places,
                MPI_Comm comm);

#endif
