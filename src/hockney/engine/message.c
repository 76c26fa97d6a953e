#include "message.h"

#include <limits.h>

#include "check.h"

enum { CHUNK = 1 << 30 };

/* q chunks of 2^30 elements and the rest, as one datatype. */
static MPI_Datatype block_type(size_t count, MPI_Datatype element, size_t element_bytes)
{
    MPI_Datatype chunk, chunks, whole;
    const int full = (int)(count / CHUNK), rest = (int)(count % CHUNK);
    check(MPI_Type_contiguous(CHUNK, element, &chunk), "MPI_Type_contiguous");
    check(MPI_Type_contiguous(full, chunk, &chunks), "MPI_Type_contiguous");
    int lengths[2] = {1, rest};
    MPI_Aint displacements[2] = {0, (MPI_Aint)full * CHUNK * (MPI_Aint)element_bytes};
    MPI_Datatype types[2] = {chunks, element};
    check(MPI_Type_create_struct(2, lengths, displacements, types, &whole),
          "MPI_Type_create_struct");
    check(MPI_Type_commit(&whole), "MPI_Type_commit");
    check(MPI_Type_free(&chunks), "MPI_Type_free");
    check(MPI_Type_free(&chunk), "MPI_Type_free");
    return whole;
}

void message_set_elements(struct message *message, size_t count, MPI_Datatype element,
                          size_t element_bytes, int as_block)
{
    message->is_derived = as_block || count > INT_MAX;
    message->count = message->is_derived ? 1 : (int)count;
    message->type = message->is_derived ? block_type(count, element, element_bytes) : element;
}

void message_set_type(struct message *message, size_t bytes, int as_block)
{
    message_set_elements(message, bytes, MPI_BYTE, 1, as_block);
}

void message_set_layout(struct message *message, const struct layout *layout, size_t bytes)
{
    message->count = (int)(bytes / layout->bytes);
    message->type = layout->type;
    message->layout = layout;
}

/* The type of a layout is used again. */
void message_release(struct message *message)
{
    if (message->is_derived)
        check(MPI_Type_free(&message->type), "MPI_Type_free");
    message->is_derived = 0;
}
