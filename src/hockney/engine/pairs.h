/* Rounds of many pairs. */
#ifndef HOCKNEY_PAIRS_H
#define HOCKNEY_PAIRS_H

#include "launch.h"

/* Returns why it ended: "budget", "complete" or "interrupted". Collective over all ranks. */
const char *pairs_run(struct launch *launch);

#endif
