/* A buffer that messages are sent from or received into. */
#ifndef HOCKNEY_MESSAGE_H
#define HOCKNEY_MESSAGE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"

/* Successive messages start `stride` apart and wrap at `span` bytes; stride 0 keeps one place. */
struct message {
    char *base;
    size_t at, stride, span;
    const ptrdiff_t *places; /* from `base` on, one after the other: of many allocations; NULL: of one */
    int place_count, place;
    size_t bytes; /* of memory: of all blocks, where a rank has several, and of the gaps of a layout */
    int count;    /* of `type`, in one block */
    int is_derived; /* the type is ours */
    MPI_Datatype type;
    const struct layout *layout; /* NULL: contiguous */
};

/* How far apart successive cold messages start: whole pages, so that no prefetcher runs ahead. */
static inline size_t message_cold_stride(size_t bytes) { return (bytes / 4096 + 1) * 4096; }

/* Sets count and type for blocks of `bytes`. Past INT_MAX bytes, or where `as_block`, one element of a
   derived type is a block: every call takes that, and displacements count blocks. */
void message_set_type(struct message *message, size_t bytes, int as_block);
/* The same for so many elements of a type of the library's. */
void message_set_elements(struct message *message, size_t count, MPI_Datatype element,
                          size_t element_bytes, int as_block);
/* The same for `bytes` of data that lie as `layout` has it. */
void message_set_layout(struct message *message, const struct layout *layout, size_t bytes);
void message_release(struct message *message);

/* Where the next message goes. Messages in one place change nothing here: this is inside every timed
   loop. */
static inline char *message_next(struct message *message)
{
    char *here = (char *)((uintptr_t)message->base + message->at); /* allocations lie anywhere */
    if (message->stride > 0) {
        message->at += message->stride;
        if (message->places != NULL) {
            message->place = message->place + 1 < message->place_count ? message->place + 1 : 0;
            message->at = (size_t)message->places[message->place];
        } else if (message->at + message->bytes > message->span) {
            message->at = 0;
        }
    }
    return here;
}

/* Goes on where a copy of it, with which a loop worked, has come to. */
static inline void message_walked(struct message *message, const struct message *copy)
{
    message->at = copy->at;
    message->place = copy->place;
}

/* The received message is sent next; the sent one is overwritten. */
static inline void message_swap(struct message *out, struct message *in)
{
    const struct message kept = *out;
    *out = *in;
    *in = kept;
}

static inline int message_send(struct message *message, int to, int tag, MPI_Comm comm)
{
    return MPI_Send(message_next(message), message->count, message->type, to, tag, comm);
}

static inline int message_receive(struct message *message, int from, int tag, MPI_Comm comm)
{
    return MPI_Recv(message_next(message), message->count, message->type, from, tag, comm,
                    MPI_STATUS_IGNORE);
}

#endif
