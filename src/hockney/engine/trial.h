/* --trial: one exchange of each kind and class of sizes, each announced before it is made, so that whoever
   reads the records knows at which one a library gave up. */
#ifndef HOCKNEY_TRIAL_H
#define HOCKNEY_TRIAL_H

#include "crowd.h"
#include "launch.h"

/* Collective over the launch's ranks; returns why it is over. */
const char *trial_run(struct launch *launch);
/* The same of many pairs, all at once. */
const char *trial_of_pairs(struct crowd *crowd);

#endif
