/* The one interface of everything that can be timed. A new operation is one file in operations/,
   which lists it. */
#ifndef HOCKNEY_OPERATIONS_H
#define HOCKNEY_OPERATIONS_H

#include <stdint.h>

#include "context.h"

/* Which blocks a rank's buffers hold: one, or one for each rank, on the root alone or on all. */
enum blocks { ONE_BLOCK, BLOCKS_ON_ROOT, BLOCKS_ON_ALL };

struct operation {
    const char *name;
    const char *algorithm; /* a variant's bare name, NULL where there is only one */
    const char *mode;      /* of a ping-pong: how it sends; else NULL */
    double messages;       /* a sample is a batch's time / repetitions / messages */
    int counts_window;     /* a repetition is so many messages times the window */
    int at_once;           /* sends and receives at the same time: never in one buffer */
    int between_all;       /* a collective: timed to the end of the last rank */
    int needs_shared;
    enum buffers buffers;  /* the usual ones */
    int accepts;           /* bits (1 << enum buffers) of the buffers that it can honour */
    /* Collectives only: */
    int empty;    /* carries no bytes */
    int in_place; /* has at most one buffer */
    int rooted;   /* has a root */
    int overlaps; /* is nonblocking and may compute meanwhile */
    int reduces;  /* works on whole elements of 4 bytes */
    int varies;   /* takes counts and displacements */
    enum blocks out_blocks, in_blocks;
    const void *parameters;
    /* Untimed. Each may be NULL and returns MPI's code: before and after a visit, */
    int (*prepare)(struct context *context);
    int (*finish)(struct context *context);
    /* and with --verify before and after a repetition: fills what is sent, checks what was received
       and ends the launch where it is wrong. */
    void (*fill)(struct context *context, int repetition);
    void (*check)(struct context *context, int repetition);
    /* The timed loop: nothing but the operation itself. Returns MPI's code of the first failure. */
    int (*repeat)(struct context *context, int64_t repetitions);
};

enum {
    RETURNED = 1 << BUFFERS_RETURNED,
    SEPARATE = 1 << BUFFERS_SEPARATE,
    COLD = 1 << BUFFERS_COLD,
};

extern const struct operation operation_train;
extern const struct operation operation_handover_one_line;
extern const struct operation operation_handover_two_lines;
extern const struct operation operation_handover_swap;
extern const struct operation operation_copy_warm;
extern const struct operation operation_copy_cold;

/* Makes an operation between two ranks one that the user may ask for. The linker gathers all of
   them: nothing else names them. */
#define LISTED(one)                                                                                \
    static const struct operation *const listed_##one                                             \
        __attribute__((used, section("hockney_operations"))) = &(one)

/* What the user may ask for between two ranks by these names; NULL where there is no such
   operation. `mode` counts for ping-pongs alone. */
const struct operation *operation_named(const char *name, const char *mode);

/* A collective by its name, or NULL. */
const struct operation *collective_named(const char *name);

/* How long a rank waits, which may grow with the message. */
struct delay {
    double ns, ns_per_byte;
};

/* Messages in a row before they are answered, and the delays between them: the parameters of
   operation_train and operation_late. */
struct train {
    int messages; /* 0: only send delays pass, on both ranks */
    struct delay send, receive;
};

/* The train that `*text` begins with, MESSAGES:SEND_DELAY:RECEIVE_DELAY, as an operation of its own;
   moves `*text` behind it and its comma. */
struct operation train_read(const struct operation *kind, const char **text);

/* Operations of the floor, without MPI; ends with NULL. */
extern const struct operation *const floor_handovers[];
extern const struct operation *const floor_copies[];

#endif
