/* The windows of a launch, one of each kind between two ranks. */
#ifndef HOCKNEY_EXPOSURES_H
#define HOCKNEY_EXPOSURES_H

#include "launch.h"
#include "pairing.h"

/* Collective over `comm`, two ranks: makes the windows, and each operation once with each of them. Ends
   the launch where the library refuses one. */
void exposures_open(struct launch *launch, MPI_Comm comm);
/* Collective over the launch's ranks: the same between the two ranks of each pair. */
void exposures_of_pairs(struct launch *launch, const struct pairing *pairing);
/* Points the context at those of launch->method's memory. */
void exposures_enter(struct launch *launch);
void exposures_close(struct launch *launch);

#endif
