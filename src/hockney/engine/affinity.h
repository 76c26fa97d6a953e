/* Sets on which CPUs a process may run. Systems other than Linux do not allow it
   of the kind; only affinity.c knows the difference. */
#ifndef HOCKNEY_AFFINITY_H
#define HOCKNEY_AFFINITY_H

#include "mask.h"

/* Reads which PUs this thread may run on; the caller frees `bits`. Returns NULL, or why they are not
   known: `mask` is empty then. */
const char *affinity_read(struct mask *mask);

/* Allows this thread one PU only. Returns NULL, or why that is refused. */
const char *affinity_pin(int pu);

/* The PU that this thread runs on now, or -1. */
int affinity_current_pu(void);

#endif
