/* Pinning: each rank on a PU of its own, as far as there are enough that it may run on. */
#ifndef HOCKNEY_PIN_H
#define HOCKNEY_PIN_H

#include <mpi.h>

#include "mask.h"
#include "topology.h"

enum { REFUSED_BYTES = 128 };

struct pin {
    struct mask allowed; /* what this process was allowed before it pinned itself */
    struct topology topology;
    char refused[REFUSED_BYTES]; /* why the kernel did not pin it though that was asked, or "" */
    struct mask near; /* where it had better run, if there is room for all ranks: near devices */
    int *pus; /* of this process's threads, -1 where one is not pinned by itself; after pin_node */
    int threads;
};

/* Pins this process before MPI_Init, so that what the MPI library allocates is near, to where it
   probably belongs: by the local rank in the launcher's environment, of which nothing is sure.
   `policy` is core, socket, numa, node, spread or none; `cpus`, if not NULL, is a list such as "0,3"
   or "0-3" whose i-th entry takes the node's i-th rank, or the i-th of all ranks' threads where it names
   so many. `near`, which the pin then owns, is where it had better run, or empty. */
struct pin pin_hint(const char *policy, const char *cpus, int threads, struct mask near);

/* The rank's number on its node as the launcher's environment has it, or -1. It may be wrong: batch
   systems leave such variables behind in the environment of other launchers. */
int pin_local_rank(void);

/* The ranks that one kernel schedules. MPI's own idea of a node is about shared memory: it tears a
   kernel's ranks apart between containers, and where its shared memory is switched off. The caller frees
   the communicator. */
MPI_Comm pin_ranks_of_kernel(MPI_Comm world);

/* Pins this process for good, by one assignment for all ranks of the node; collective over the world.
   With several threads a rank, each has a PU of its own where there are enough of them; else all are on
   that of their rank. The caller pins the threads to pin->pus.
   Ends the launch where `cpus` does not fit the node. Returns, on all ranks alike, whether on any
   node two ranks share a PU or, where they are not pinned, must. */
int pin_node(struct pin *pin, const char *policy, const char *cpus, MPI_Comm world);

void pin_free(struct pin *pin);

#endif
