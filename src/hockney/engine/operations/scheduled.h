/* A collective by messages between ranks. */
#ifndef HOCKNEY_SCHEDULED_H
#define HOCKNEY_SCHEDULED_H

#include "../operations.h"

/* The timed loop of context->schedule. */
int scheduled_repeat(struct context *context, int64_t repetitions);

#endif
