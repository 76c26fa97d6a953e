/* The PUs of this machine, as the kernel reports them in /sys. Each file is read at most once. */
#ifndef HOCKNEY_TOPOLOGY_H
#define HOCKNEY_TOPOLOGY_H

/* All ids are the kernel's, and -1 if it reports none. A cache is identified by the first PU that shares
   it, because older kernels have no ids for caches. */
struct pu {
    int pu, core, package, numa;
    int l2;          /* the second-level cache */
    int l3;          /* the last-level cache */
    int cache_index; /* the last-level cache's number among the caches of the PU */
};

struct topology {
    int count;             /* PUs that there is room for */
    struct known_pu *pus;
};

/* Starts empty: {0}. */
struct pu topology_pu(struct topology *topology, int pu);

/* Bytes of the last-level cache, or 0 where unknown. */
unsigned long topology_last_cache_bytes(const struct pu *pu);

void topology_free(struct topology *topology);

#endif
