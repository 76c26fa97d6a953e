/* The state of an operation while a point is visited. */
#ifndef HOCKNEY_CONTEXT_H
#define HOCKNEY_CONTEXT_H

#include <mpi.h>
#include <stddef.h>

#include "collective.h"
#include "elements.h"
#include "message.h"
#include "one_sided.h"
#include "shared.h"
#include "staging.h"
#include "team.h"

/* How the buffers of successive messages are chosen; the same for every experiment.
   RETURNED: what was received is sent next, so that its data was just written by the other rank.
   SEPARATE: one buffer is sent from and never rewritten, another is received into.
   COLD: as SEPARATE, and both walk through more memory than the last cache holds. */
enum buffers { BUFFERS_RETURNED, BUFFERS_SEPARATE, BUFFERS_COLD, BUFFERS_UNSET };

/* Their names, by number; ends with NULL. */
extern const char *const buffers_names[];

struct context {
    MPI_Comm comm; /* the ranks that take part, in the order of --peers */
    int rank, ranks;
    int peer;   /* between two: the other one */
    int source; /* where it receives from: the other one, or MPI_ANY_SOURCE */
    int leads;  /* between two: this rank sends first */
    int tag;    /* of its messages; tag + 1 is its own too */
    int window; /* messages in flight at once */
    size_t bytes; /* of a message, or of a block of a collective */
    enum buffers buffers;
    struct message out, in;
    char *packed; /* room for the data of one message with a layout; NULL where nobody needs it */
    MPI_Request *requests; /* room for 2 * window */
    MPI_Status *statuses;
    const struct element *element; /* of a reduction */
    double compute_ns; /* of a nonblocking or persistent operation: between its start and its end */
    struct shared *shared; /* memory shared by two ranks; NULL if they cannot share memory */
    const void *parameters; /* the operation's own */
    const struct operation *waited; /* of one that waits before it */
    /* One member for each kind of operation, and for what it may be made with. */
    struct own_thread thread;
    struct partitions partitions; /* of a message */
    struct staging staging;
    struct collective collective;
    struct one_sided one_sided;
    struct halo *halo; /* of an exchange with neighbours; else NULL */
};

#endif
