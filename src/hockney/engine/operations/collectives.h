/* The data of --verify for collectives. */
#ifndef HOCKNEY_COLLECTIVES_H
#define HOCKNEY_COLLECTIVES_H

#include "../context.h"

/* Before a repetition: what this rank sends, and anything else where it receives. */
void bcast_fill(struct context *context, int repetition);
void root_blocks_fill(struct context *context, int repetition);
void one_block_fill(struct context *context, int repetition);
void all_blocks_fill(struct context *context, int repetition);
void elements_fill(struct context *context, int repetition);
void element_blocks_fill(struct context *context, int repetition);

/* After it: every byte received, every reduced value. */
void bcast_check(struct context *context, int repetition);
void scatter_check(struct context *context, int repetition);
void gather_check(struct context *context, int repetition);
void allgather_check(struct context *context, int repetition);
void alltoall_check(struct context *context, int repetition);
void reduce_check(struct context *context, int repetition);
void allreduce_check(struct context *context, int repetition);
void scan_check(struct context *context, int repetition);
void reduce_scatter_check(struct context *context, int repetition);

#endif
