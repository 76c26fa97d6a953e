/* Who loads the network while others are timed, and how. */
#ifndef HOCKNEY_LOAD_H
#define HOCKNEY_LOAD_H

#include <stddef.h>
#include <stdint.h>

/* Aggressors send: all to the first of them, the first to all, all to all, each to the next, or each to
   the next in a random order. */
enum aggressor { INCAST, OUTCAST, ALL_TO_ALL, RING, PERMUTATION };

/* Their names, by number; ends with NULL. */
extern const char *const aggressor_names[];

struct load {
    enum aggressor aggressor;
    size_t bytes;  /* of a message */
    int window;    /* messages in flight from an aggressor to each that it sends to */
    double burst_ns, gap_ns; /* how long they send, and are silent then; both 0: they never stop */
};

enum placing { AT_RANDOM, IN_BLOCKS, BY_LIST };

struct congestion_options {
    struct load *loads;
    int load_count;
    enum placing placing;
    int victims;      /* 0: as the list says */
    const char *list; /* BY_LIST: RANK,RANK,.../RANK,..., victims and aggressors */
};

/* Ranks of the world: first the victims, then the aggressors. */
struct cast {
    int *ranks;
    int victims, aggressors;
};

/* Reads AGGRESSOR:BYTES:WINDOW:BURST_NS:GAP_NS,... */
void loads_read(struct congestion_options *options, const char *text);
/* Reads random:VICTIMS, blocks:VICTIMS, listed:LIST or listed:@FILE. */
void roles_read(struct congestion_options *options, const char *text);

/* Alike on all ranks; ends the program where `ranks` cannot be cast so. AT_RANDOM: another one for
   each `seed`. The caller frees its `ranks`. */
struct cast cast_of(const struct congestion_options *options, int ranks, uint64_t seed);

/* The longest time from one burst's beginning to the next one's; 0 where aggressors never stop. */
static inline double load_period_ns(const struct load *load)
{
    return load != NULL ? load->burst_ns + load->gap_ns : 0.0;
}

#endif
