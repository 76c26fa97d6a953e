/* Where a rank runs: pinning before anything is timed, and where it really is. */
#ifndef HOCKNEY_PLACE_H
#define HOCKNEY_PLACE_H

/* -1 where the kernel does not tell. All ids are the kernel's. */
struct place {
    char host[64];
    char topology[96]; /* switches down to the node as Slurm tells them, or "" */
    int package, numa, l3, l2, core, pu;
    int pinned;      /* the kernel confirms that the rank may run on this PU only */
    int allowed;     /* PUs that this process was allowed before it pinned itself */
    char refused[96]; /* why the kernel did not pin it though that was asked, or "" */
    char wrong[160];  /* what was asked wrongly, or "": told after MPI_Init, because other ranks,
                         which may have no such trouble, would wait there for ever */
};

/* Pins this process. `policy` is core, socket, numa, node, spread or none, or `cpus` a list such as
   "0,3" or "0-3" whose i-th entry takes the node's i-th rank. Call before MPI_Init when the
   launcher tells the local rank (place_local_rank() >= 0), else as soon as it is known. */
void place_pin(struct place *place, const char *policy, const char *cpus, int local_rank);

/* The rank's number on its node as the launcher's environment tells it, or -1. */
int place_local_rank(void);

/* Fills in where this process runs now. */
void place_observe(struct place *place);

/* Size of the last-level cache of the PU, or 0 where unknown. */
unsigned long place_last_cache_bytes(int pu);

#endif
