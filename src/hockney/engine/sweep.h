/* Every size once, in order. */
#ifndef HOCKNEY_SWEEP_H
#define HOCKNEY_SWEEP_H

#include "launch.h"

/* Returns why it ended: "complete" or "budget". Collective over the ranks that take part. */
const char *sweep_run(struct launch *launch);

#endif
