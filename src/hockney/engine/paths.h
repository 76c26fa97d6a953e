/* Which way messages take: some are exchanged untimed, before anything is measured, and what carried their
   bytes is recorded by all that shows it. */
#ifndef HOCKNEY_PATHS_H
#define HOCKNEY_PATHS_H

#include <mpi.h>

#include "options.h"
#include "place.h"

struct paths;

/* Between two ranks of each node, and between nodes: records what carried messages of each size. Collective
   over `comm`. What paths_end() needs, or NULL where nothing was asked for. */
struct paths *paths_check(const struct options *options, const struct place *here, MPI_Comm comm);

/* Records what ports and carriers of each node show of the whole launch since then. Collective. */
void paths_end(struct paths *paths);

#endif
