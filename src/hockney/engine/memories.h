/* --memory, --device and --staged: in which memories messages lie, and how they get from there. */
#ifndef HOCKNEY_MEMORIES_H
#define HOCKNEY_MEMORIES_H

#include "options.h"

/* Reads options->memory, and makes options->memories. Ends the program where it is wrong by itself, or the
   experiment cannot honour it. */
void memories_read(struct options *options);

/* Whether the rank of that side (0: it sends first) has buffers in memory of an accelerator's driver. */
int memories_need_device(const struct options *options, int side);

/* Each way to exchange messages in each memory, and beside it, where asked for, staged through the host.
   `add` adds a method. */
void memories_multiply(struct options *options, void (*add)(struct options *options, struct method method));

#endif
