/* The messages of --verify: bytes that depend on sender, block, size, repetition and place, so
   that a message of another rank, size or repetition, or one shifted by a few bytes, is seen. */
#ifndef HOCKNEY_PATTERN_H
#define HOCKNEY_PATTERN_H

#include <stddef.h>

#include "context.h"

/* `block`: which of several that the sender has. */
void pattern_fill(char *at, size_t bytes, int sender, int block, int repetition);
/* Ends the launch at the first byte that is wrong. `place`: which message of a window, or block. */
void pattern_check(const char *at, size_t bytes, int sender, int block, int receiver,
                   int repetition);

/* `fill` and `check` of operations between two ranks: of one message, or of a window of them. */
void pattern_fill_one(struct context *context, int repetition);
void pattern_check_one(struct context *context, int repetition);
void pattern_fill_window(struct context *context, int repetition);
void pattern_check_window(struct context *context, int repetition);
/* The same where the leading rank receives nothing. */
void pattern_check_stream(struct context *context, int repetition);

#endif
