/* What --verify puts into every message and expects on arrival. */
#ifndef HOCKNEY_PATTERN_H
#define HOCKNEY_PATTERN_H

#include "message.h"

/* Fills the next message of `rank` in its repetition `repetition`. */
void pattern_fill(struct message *message, int rank, int repetition);

/* Ends the launch, naming the first wrong byte, unless `sender`'s message arrived whole. */
void pattern_check(const char *message, size_t bytes, int receiver, int sender, int repetition);

#endif
