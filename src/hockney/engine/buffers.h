/* The message buffers of a rank: how large they are, and where a visit's messages lie in them. */
#ifndef HOCKNEY_BUFFERS_H
#define HOCKNEY_BUFFERS_H

#include "launch.h"

/* Page-aligned, first touched here, after the rank was pinned. Collective over `comm`; ends the launch
   where the ranks of a node need more than it has free; `besides`: bytes that this rank needs as well. */
void buffers_open(struct launch *launch, double besides, MPI_Comm comm);
void buffers_close(struct launch *launch);

/* Whether any of this rank's buffers lie in that memory. */
int buffers_lie_in(const struct launch *launch, enum memory memory);

/* Bytes that this rank's two buffers take in each memory, before they are rounded up to whole pages. */
double buffers_needed(const struct launch *launch);

/* Bytes of a window that this rank exposes to one-sided operations. */
size_t exposure_span(const struct launch *launch);

/* Points the context's messages at the place of the next visit. */
void buffers_set(struct launch *launch, const struct operation *operation, size_t bytes, int window);
void buffers_release(struct launch *launch);

#endif
