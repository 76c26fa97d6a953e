/* Ranks that load the network: they send as a load says, from before the victims are timed until these
   say that they are done. */
#ifndef HOCKNEY_AGGRESSORS_H
#define HOCKNEY_AGGRESSORS_H

#include <mpi.h>

#include "area.h"
#include "load.h"

struct launch;
struct aggressors;

/* `comm`: of the aggressors alone; `world`, with the rank there of the first victim. */
struct aggressors *aggressors_open(const struct launch *launch, MPI_Comm comm, MPI_Comm world,
                                   int first_victim);
/* Bytes of the messages of the largest load, and their memory. */
double aggressors_needed(const struct aggressors *aggressors);
void aggressors_allocate(struct aggressors *aggressors, enum memory memory);
void aggressors_close(struct aggressors *aggressors);

/* Collective over the aggressors: loads the network until the first victim says stop. */
void aggressors_run(struct aggressors *aggressors, const struct load *load);

/* On the first victim: returns when every aggressor sends. */
void aggressors_await(MPI_Comm world, int first_aggressor);
/* On the first victim: the victims begin now. */
void aggressors_begin(MPI_Comm world, int first_aggressor);
/* On the first victim: returns when all of them are silent; how many bytes a second they exchanged
   together since the victims began. */
double aggressors_stop(MPI_Comm world, int first_aggressor);

#endif
