/* Where a rank really is, and the record of where all of them are. */
#ifndef HOCKNEY_PLACE_H
#define HOCKNEY_PLACE_H

#include <mpi.h>

#include "options.h"
#include "pin.h"

struct place {
    char host[256];
    const char *topology; /* switches down to the node as Slurm names them, or NULL */
    struct pu pu;         /* ids are -1 where the kernel reports none */
    unsigned long last_cache_bytes; /* 0 where unknown */
    int pinned;  /* the kernel confirms that the rank may run on this PU only */
    int allowed; /* PUs that this process was allowed before it pinned itself, or -1 */
    char refused[REFUSED_BYTES]; /* as in struct pin */
    const int *thread_pus; /* as in struct pin, which must outlive it */
    int threads;
    int crowded; /* ranks or threads share PUs */
};

/* Where this process runs now. */
struct place place_observe(struct pin *pin);

/* The places of all ranks as JSON objects separated by commas, on `root`; NULL on the others.
   Collective over the world; the caller frees it. Each rank writes its own text, so that a place
   costs the root its text and no more. */
char *place_gather(const struct options *options, const struct place *place, int rank, int ranks, int root,
                   MPI_Comm world);

#endif
