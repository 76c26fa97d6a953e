/* The one interface of everything that can be timed. A new operation is one file in operations/,
   which lists it. */
#ifndef HOCKNEY_OPERATIONS_H
#define HOCKNEY_OPERATIONS_H

#include <stdint.h>
#include <stdnoreturn.h>
#include <string.h>

#include "context.h"
#include "gather.h"

/* Which blocks a rank's buffers hold: one; one for each rank, on the root alone or on all; or one for
   each neighbour. */
enum blocks { ONE_BLOCK, BLOCKS_ON_ROOT, BLOCKS_ON_ALL, BLOCKS_OF_NEIGHBORS };

/* What a one-sided operation works on: any bytes, elements of one type, or one element. */
enum elements { ANY_BYTES, ELEMENTS, ONE_ELEMENT };

struct operation {
    const char *name;
    const char *algorithm; /* a variant's bare name, NULL where there is only one */
    const char *mode;      /* how it sends; NULL where the operation has one usual way */
    const char *packing;   /* how it brings data out of and into a layout; NULL: MPI does, or nobody */
    const char *exchange;  /* of a halo: how its messages are exchanged; else NULL */
    const char *form;      /* "nonblocking", "persistent", or by put or get; NULL for blocking calls */
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
    int in_window; /* works in a window's memory, beside the buffers */
    int overlaps; /* is nonblocking or persistent, and may compute meanwhile */
    int reduces;  /* works on whole elements of one type */
    int accumulates; /* adds to what it has, again and again */
    int varies;   /* takes counts and displacements, */
    int in_bytes; /* which are bytes, whatever the type */
    int timed_rank; /* 0: own durations are of all ranks; r + 1: of rank r alone */
    enum blocks out_blocks, in_blocks;
    const void *parameters;
    /* One-sided operations only: */
    int one_sided;
    int swaps;    /* compares and has no reduction */
    enum elements elements;
    const struct way *way; /* of the copy that is a point's; else NULL */
    const struct operation *waited; /* this is the same behind a wait for the device; else NULL */
    /* Untimed. Each may be NULL and returns MPI's code: before and after a visit, */
    int (*prepare)(struct context *context);
    int (*finish)(struct context *context);
    /* after each batch, */
    int (*settle)(struct context *context);
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
        GATHERED(operations) = &(one)

/* What the user may ask for between two ranks by these names; NULL where there is no such
   operation. The usual way of those that have a few is "standard". */
const struct operation *operation_named(const char *name, const char *mode);

/* Whether the leading rank's time alone counts: the other one has nothing to do. */
static inline int is_timed_by_leader(const struct operation *operation)
{
    return operation->way != NULL && is_of_origin(operation->way);
}

/* The same operation that packs what lies in a layout, by "pack" (MPI_Pack) or by "hand", or that copies
   what lies on a device to the host, "staged"; NULL where there is none. */
const struct operation *operation_packed(const struct operation *operation, const char *packing);

/* The same operation that waits for the rank's device before it sends; NULL where there is none. */
const struct operation *operation_waiting(const struct operation *operation);

/* A ping-pong of partitioned messages, measured beside one of messages that wait for all of their
   parts; NULL where the library has no partitioned communication (MPI 4). */
const struct operation *operation_whole(void);

/* Ends the program: the library has no partitioned communication, for which `what` asked. */
noreturn void refuse_partitioned(const char *what);

static inline int is_pingpong(const struct operation *operation)
{
    return strcmp(operation->name, "pingpong") == 0;
}

static inline int is_partitioned(const struct operation *operation)
{
    return operation->mode != NULL && strcmp(operation->mode, "partitioned") == 0;
}

/* A collective by its name, in that form or, for NULL, in the one that its name says; or NULL. */
const struct operation *collective_named(const char *name, const char *form);
extern const int has_persistent_collectives;

/* An exchange with all neighbours by its name; in that form, NULL for blocking calls, where it is a
   neighbourhood collective; or NULL. */
const struct operation *exchange_named(const char *name, const char *form);
/* Whether it needs a communicator that knows who is whose neighbour, and has forms. */
int exchange_is_neighborhood(const struct operation *exchange);
/* Whether its messages have parts (MPI 4). */
static inline int exchange_is_partitioned(const struct operation *exchange)
{
    return strcmp(exchange->exchange, "partitioned") == 0;
}
/* Beside them: one message from the first rank to a neighbour, while the others wait. */
extern const struct operation operation_message;
/* A message whose sender, or whose receiver, may compute meanwhile. */
extern const struct operation operation_isend;
extern const struct operation operation_irecv;

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
