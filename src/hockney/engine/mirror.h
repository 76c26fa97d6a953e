/* --verify of memory that the host cannot read: patterns are put into a mirror of it and checked there. */
#ifndef HOCKNEY_MIRROR_H
#define HOCKNEY_MIRROR_H

#include "launch.h"

/* Points the context's messages into the mirrors of their memory, and back to it. */
void mirror_enter(struct launch *launch, int thread, struct context *context);
void mirror_leave(struct launch *launch, int thread, struct context *context);
/* The mirrors' data to the memory, by a context that entered; and from it, by one that did not. */
void mirror_put(struct launch *launch, int thread, const struct context *context);
void mirror_get(struct launch *launch, int thread, const struct context *context);

#endif
