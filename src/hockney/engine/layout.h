/* Where the bytes of a message lie in memory, as a datatype of MPI describes it and as a program packs
   them by hand. */
#ifndef HOCKNEY_LAYOUT_H
#define HOCKNEY_LAYOUT_H

#include <mpi.h>
#include <stddef.h>

/* Blocks of one length that lie one stride apart. */
struct run {
    size_t offset, length, count, stride;
};

struct layout {
    const char *text; /* as it was asked for */
    size_t bytes;     /* of data in one element */
    size_t extent;    /* from one element to the next */
    size_t upper;     /* the last byte of an element, from its start, and one */
    struct run *runs; /* in the order in which MPI sends them */
    int run_count;
    MPI_Datatype type; /* MPI_DATATYPE_NULL before layout_commit */
    void (*make)(struct layout *layout, MPI_Datatype element, int width); /* makes it */
};

/* vector:COUNT:BLOCK:STRIDE, indexed:LENGTH@OFFSET:..., struct:[Nx]TYPE@OFFSET:..., or
   subarray:WHOLExWHOLE:PARTxPART[:STARTxSTART] of 2 or 3 dimensions, in bytes but the last, which counts
   elements of 8 bytes. Ends the program where `text` is none of them. The caller keeps `text`. */
struct layout *layout_read(const char *text, const char *option);
/* The type needs MPI to be there. */
void layout_commit(struct layout *layout);
void layout_free(struct layout *layout);

/* Memory of so many elements. */
size_t layout_span(const struct layout *layout, size_t elements);

/* By plain copies, between `elements` in memory and one contiguous buffer. */
void layout_pack(const struct layout *layout, size_t elements, const char *from, char *to);
void layout_unpack(const struct layout *layout, size_t elements, const char *from, char *to);

#endif
