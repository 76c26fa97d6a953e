/* Which rank of a node gets which PU. Nothing here asks MPI or the scheduler: the same input gives
   the same answer on every rank, and on machines that are only described. */
#ifndef HOCKNEY_ASSIGN_H
#define HOCKNEY_ASSIGN_H

#include "mask.h"
#include "topology.h"

/* Puts the PUs of `allowed` into `order[mask_count(allowed)]`, as ranks take them under the policy:
   core and node go along neighbouring cores, socket, numa and spread from one socket, NUMA node or
   last-level cache to the next; second hardware threads of cores come after all first ones.
   Returns how many they are. */
int assign_order(struct topology *topology, const struct mask *allowed, const char *policy,
                 int *order);

/* Gives each of `ranks` one of the `count` PUs in `order`: the first that is in the rank's mask and
   that nobody has yet, else the one that the fewest have. Ranks with few PUs choose before ranks
   with many, which have more to choose from; equals choose in their order. `pus[rank]` is -1 for a
   rank whose mask has none. Returns whether two ranks have the same PU. */
int assign_pus(const int *order, int count, const struct mask *masks, int ranks, int *pus);

/* Reads a list such as "0,3" or "0-3" into `entries`, of which there are `most`. Returns how many the
   list has, which may be more, or -1 where the text is no such list. */
int assign_entries(const char *list, int *entries, int most);

/* Gives each of `ranks` its entry of such a list. Writes into `wrong` what is wrong
   with the list for these ranks, or "". Ranks with an empty mask get -1. Returns as assign_pus. */
int assign_listed(const char *list, const struct mask *masks, int ranks, int *pus, char *wrong,
                  int wrong_bytes);

#endif
