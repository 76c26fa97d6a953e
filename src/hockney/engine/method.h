/* How messages are exchanged: what the user asked to have measured side by side, each with the
   operation that does it. */
#ifndef HOCKNEY_METHOD_H
#define HOCKNEY_METHOD_H

#include "accelerator.h"
#include "operations.h"
#include "team.h"

/* Where the buffers of the rank that sends first lie, and those of the other. */
struct memories {
    enum memory of[2];
};

struct method {
    const struct operation *operation;
    /* Threads that exchange messages at once, of the rank that sends first and of the other; 0 where
       MPI was started for one thread. */
    int threads, receivers;
    const char *thread_comms; /* over which communicators */
    struct partitions partitions; /* of a message */
    const struct layout *out, *in; /* NULL: contiguous */
    const char *datatype; /* what records call the layouts; NULL where none was asked for */
    const char *packing;  /* and how the data get from one to the other */
    struct memories memories;
    int memory_number;  /* of them in options->memories.plain */
    int names_memories; /* whether records name them: they were asked for */
    int64_t staging;    /* bytes of the blocks that are copied to the host and sent from there; 0: the
                           whole message; -1: the library takes it from where it lies */
};

/* By one thread, contiguous, in memory of the host: of what is measured beside the experiment's operation. */
extern const struct method method_plain;

struct options;

/* Makes options->methods from what was asked for, at least one. Ends the program where two of it do
   not go together. */
void methods_make(struct options *options);
/* Their datatypes, once MPI has started. */
void methods_commit(const struct options *options);
void methods_free(struct options *options);

/* Threads of a rank, at most. */
int methods_most_threads(const struct options *options);

#endif
