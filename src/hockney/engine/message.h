/* A buffer that messages are sent from or received into. */
#ifndef HOCKNEY_MESSAGE_H
#define HOCKNEY_MESSAGE_H

#include <limits.h>
#include <mpi.h>
#include <stddef.h>

/* Successive messages start `stride` apart and wrap at `span` bytes; stride 0 reuses one place
   (warm), a span beyond the last cache finds nothing warm. */
struct message {
    char *base;
    size_t at, stride, span;
    size_t bytes;
    int count; /* of `type` */
    MPI_Datatype type;
};

/* How far apart successive cold messages start: whole pages, so that no prefetcher runs ahead. */
static inline size_t message_stride(size_t bytes) { return (bytes / 4096 + 1) * 4096; }

/* Room for them, every byte of it `filled`, to be given back by free(). The buffers of simulated
   ranks, all in this machine's memory, lie upon each other where nobody reads them (`is_read`). */
char *message_room(size_t bytes, int filled, int is_read);

/* Describes messages of `bytes` in the buffer of `span` bytes at `base`. Past INT_MAX bytes a derived
   type carries them where the library has no MPI_Send_c. */
void message_set(struct message *message, char *base, size_t span, size_t bytes, int cold);
void message_release(struct message *message);

/* Where the next message goes. Warm messages change nothing here: this is inside every timed loop. */
static inline char *message_next(struct message *message)
{
    char *here = message->base + message->at;
    if (message->stride > 0) {
        message->at += message->stride;
        if (message->at + message->bytes > message->span)
            message->at = 0;
    }
    return here;
}

static inline int message_send(struct message *message, int to, MPI_Comm comm)
{
    char *here = message_next(message);
#if MPI_VERSION >= 4
    if (message->bytes > INT_MAX)
        return MPI_Send_c(here, (MPI_Count)message->bytes, MPI_BYTE, to, 0, comm);
#endif
    return MPI_Send(here, message->count, message->type, to, 0, comm);
}

static inline int message_receive(struct message *message, int from, MPI_Comm comm)
{
    char *here = message_next(message);
#if MPI_VERSION >= 4
    if (message->bytes > INT_MAX)
        return MPI_Recv_c(here, (MPI_Count)message->bytes, MPI_BYTE, from, 0, comm,
                          MPI_STATUS_IGNORE);
#endif
    return MPI_Recv(here, message->count, message->type, from, 0, comm, MPI_STATUS_IGNORE);
}

#endif
