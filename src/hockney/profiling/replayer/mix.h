/* The mix of a profiled program: the messages and collectives that take turns. Its file is text:
     RANKS TURNS DONE REPETITIONS
     DELAYS NS_OF_RANK_0 ...           (as many as DELAYS says: none, or one for each rank)
     OPERATION BYTES COUNT PHASE BLOCKING ROOT OUT IN SIZE RANK RANK ...
   for each item, in the order in which items take turns. An item has COUNT of the TURNS, and begins
   as if PHASE millionths of a turn were done. Its messages are sent from OUT buffers in turn and
   received into IN: what is in caches depends on how many these are (0 where there are no caches: one
   that takes no memory). DONE turns are done in each of the REPETITIONS. */
#ifndef HOCKNEY_REPLAYER_MIX_H
#define HOCKNEY_REPLAYER_MIX_H

#include <mpi.h>
#include <stddef.h>

enum { LONGEST_NAME = 24 };

struct item {
    char operation[LONGEST_NAME];
    long long bytes;
    int is_blocking, root, size, outs, ins;
    int *ranks;
    double share, phase; /* of the turns; of a turn */
    /* While it is replayed: */
    MPI_Comm comm; /* of collectives; MPI_COMM_NULL on ranks without part in it */
    unsigned sent, received;
    double due;
};

struct mix {
    int items, repetitions;
    long long turns, done, delay_ns; /* this rank's own delay, after each turn */
    struct item *item;
};

/* Collective over the world: the mix of a file that the first rank reads, for `rank` of so many `ranks`. */
struct mix mix_read(const char *path, int rank, int ranks);

int item_is_message(const struct item *item);
int item_takes_part(const struct item *item, int rank);
int item_has_ranks_of(const struct item *item, const struct item *other);
/* From one of its buffers to the next, which share no line of a cache. */
size_t item_stride(const struct item *item);

#endif
