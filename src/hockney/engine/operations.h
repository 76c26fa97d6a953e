/* The one interface of everything that can be timed. A new operation is one file in operations/
   and one line in operations.c. */
#ifndef HOCKNEY_OPERATIONS_H
#define HOCKNEY_OPERATIONS_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"
#include "shared.h"

/* How long a rank waits, which may grow with the message. */
struct delay {
    double ns, ns_a_byte;
};

/* Messages in a row before they are answered, and the delays between them. */
struct train {
    int messages; /* 0: only send delays pass, on both ranks */
    struct delay send, receive;
};

/* What a visit of one point works with. */
struct exchange {
    MPI_Comm comm; /* the ranks that take part, in the order of --peers */
    int rank, ranks;
    int peer;  /* between two: the other one */
    int leads; /* between two: this rank sends first */
    int root;  /* of a collective */
    const int *counts, *places; /* of a v form: of each rank's block */
    double compute_ns; /* of a nonblocking collective: between its start and its end */
    int window; /* messages outstanding at once */
    MPI_Request *requests; /* room for 2 * window */
    MPI_Status *statuses;
    size_t bytes;
    struct message out, in; /* in one buffer what came in is sent back, in two it is not */
    struct shared *shared; /* memory that the ranks have in common; NULL where they have none */
    const struct train *train;
};

struct operation {
    const char *name;
    const char *algorithm; /* NULL where there is only one */
    double messages;       /* a sample is a batch's time / repetitions / messages */
    int needs_shared;
    int empty;             /* of a collective: it carries no bytes */
    int in_place;          /* of a collective: all ranks have one buffer, or none */
    int blocks;            /* of a collective: a buffer holds `bytes` for each of the ranks */
    int overlaps;          /* of a collective: it may compute meanwhile */
    int reduces;           /* of a collective: on whole elements of 4 bytes */
    int counts_window;     /* a repetition is this many messages times the window */
    /* Untimed, before and after a visit; NULL where there is nothing to do. */
    int (*prepare)(struct exchange *exchange);
    int (*finish)(struct exchange *exchange);
    struct train train;
    /* The timed loop: nothing but the operation itself. Returns MPI's code of the first failure. */
    int (*repeat)(struct exchange *exchange, int64_t repetitions);
};

extern const struct operation operation_pingpong;
extern const struct operation operation_pingpong_synchronous;
extern const struct operation operation_pingpong_nonblocking;
extern const struct operation operation_pingpong_persistent;
extern const struct operation operation_exchange;
extern const struct operation operation_stream;
extern const struct operation operation_bidirectional;
extern const struct operation operation_train;
extern const struct operation operation_late;
extern const struct operation operation_handover_one_line;
extern const struct operation operation_handover_two_lines;
extern const struct operation operation_handover_swap;
extern const struct operation operation_copy_warm;
extern const struct operation operation_copy_cold;

/* What the user may ask for between two ranks by these names; `algorithm` may be NULL. NULL where
   there is no such operation. Trains have an experiment of their own. */
const struct operation *operation_named(const char *name, const char *algorithm);

/* What the user may ask for of all ranks, or NULL. */
const struct operation *collective_named(const char *name);

/* The train that `*text` begins with, MESSAGES:SEND_DELAY:RECEIVE_DELAY, as an operation of its own;
   moves `*text` behind it and its comma. */
struct operation train_read(const struct operation *kind, const char **text);

/* What the hardware allows without MPI; ends with NULL. */
extern const struct operation *const floor_handovers[];
extern const struct operation *const floor_copies[];

#endif
