#include "message.h"

#include <limits.h>

#include "check.h"

enum { CHUNK = 1 << 30 };

/* q chunks of 1 GiB and the rest, as one datatype whose extent is `bytes`. */
static MPI_Datatype block_type(size_t bytes)
{
    MPI_Datatype chunk, chunks, whole;
    const int full = (int)(bytes / CHUNK), rest = (int)(bytes % CHUNK);
    check(MPI_Type_contiguous(CHUNK, MPI_BYTE, &chunk), "MPI_Type_contiguous");
    check(MPI_Type_contiguous(full, chunk, &chunks), "MPI_Type_contiguous");
    int lengths[2] = {1, rest};
    MPI_Aint displacements[2] = {0, (MPI_Aint)full * CHUNK};
    MPI_Datatype types[2] = {chunks, MPI_BYTE};
    check(MPI_Type_create_struct(2, lengths, displacements, types, &whole),
          "MPI_Type_create_struct");
    check(MPI_Type_commit(&whole), "MPI_Type_commit");
    check(MPI_Type_free(&chunks), "MPI_Type_free");
    check(MPI_Type_free(&chunk), "MPI_Type_free");
    return whole;
}

void message_set_type(struct message *message, size_t bytes, int as_block)
{
    const int derived = as_block || bytes > INT_MAX;
    message->count = derived ? 1 : (int)bytes;
    message->type = derived ? block_type(bytes) : MPI_BYTE;
}

void message_release(struct message *message)
{
    if (message->type != MPI_BYTE)
        check(MPI_Type_free(&message->type), "MPI_Type_free");
}
