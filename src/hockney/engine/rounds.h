/* Interleaved rounds: the visits of one, and how long each is. */
#ifndef HOCKNEY_ROUNDS_H
#define HOCKNEY_ROUNDS_H

#include "launch.h"

/* Returns why it ended: "precision", "budget", "complete" or "interrupted". Collective over the ranks that
   take part. */
const char *rounds_run(struct launch *launch);

#endif
