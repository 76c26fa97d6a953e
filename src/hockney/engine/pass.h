/* A pass over all pairs of a network. */
#ifndef HOCKNEY_PASS_H
#define HOCKNEY_PASS_H

#include "crowd.h"

/* Collective: why it ended. */
const char *pass_make(struct crowd *crowd);

#endif
