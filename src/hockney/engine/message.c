#include "message.h"

#include <string.h>

#include "check.h"

enum { CHUNK = 1 << 30, LEAST_SHARED = 1 << 15 };

char *message_room(size_t bytes, int filled, int is_read)
{
#ifdef SMPI_H
    if (!is_read && bytes >= LEAST_SHARED)
        return SMPI_SHARED_MALLOC(bytes);
#endif
    (void)is_read;
    return memset(allocate(bytes), filled, bytes);
}

/* q chunks of 1 GiB and the rest, as one datatype. */
static MPI_Datatype large_type(size_t bytes)
{
    MPI_Datatype chunk, chunks, whole;
    const int full = (int)(bytes / CHUNK), rest = (int)(bytes % CHUNK);
    check(MPI_Type_contiguous(CHUNK, MPI_BYTE, &chunk), "MPI_Type_contiguous");
    check(MPI_Type_contiguous(full, chunk, &chunks), "MPI_Type_contiguous");
    int lengths[2] = {1, rest};
    MPI_Aint places[2] = {0, (MPI_Aint)full * CHUNK};
    MPI_Datatype types[2] = {chunks, MPI_BYTE};
    check(MPI_Type_create_struct(2, lengths, places, types, &whole), "MPI_Type_create_struct");
    check(MPI_Type_commit(&whole), "MPI_Type_commit");
    check(MPI_Type_free(&chunks), "MPI_Type_free");
    check(MPI_Type_free(&chunk), "MPI_Type_free");
    return whole;
}

void message_set(struct message *message, char *base, size_t span, size_t bytes, int cold)
{
    *message = (struct message){
        .base = base,
        .stride = cold ? message_stride(bytes) : 0,
        .span = span,
        .bytes = bytes,
        .count = bytes > INT_MAX ? 1 : (int)bytes,
        .type = bytes > INT_MAX && MPI_VERSION < 4 ? large_type(bytes) : MPI_BYTE,
    };
}

void message_release(struct message *message)
{
    if (message->type != MPI_BYTE)
        check(MPI_Type_free(&message->type), "MPI_Type_free");
}
