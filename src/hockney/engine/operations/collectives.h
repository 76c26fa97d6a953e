/* Which forms of collectives the library has, and the data of --verify for them. */
#ifndef HOCKNEY_COLLECTIVES_H
#define HOCKNEY_COLLECTIVES_H

#include "../context.h"
#include "../operations.h"

/* Persistent collectives are of MPI 4.0; Open MPI 5 has them though it calls itself 3.1. */
#if defined(SMPI_H)
#define HAS_PERSISTENT_COLLECTIVES 0
#elif MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_PERSISTENT_COLLECTIVES 1
#else
#define HAS_PERSISTENT_COLLECTIVES 0
#endif

/* One made by "put-fence", "put-flush", "get-fence" or "get-flush"; NULL where there is none. */
const struct operation *collective_by_put(const char *name, const char *form);

/* Before a repetition: what this rank sends, and anything else where it receives. */
void bcast_fill(struct context *context, int repetition);
void root_blocks_fill(struct context *context, int repetition);
void one_block_fill(struct context *context, int repetition);
void all_blocks_fill(struct context *context, int repetition);
void elements_fill(struct context *context, int repetition);
void element_blocks_fill(struct context *context, int repetition);
void local_fill(struct context *context, int repetition);

/* After it: every byte received, every reduced value. */
void bcast_check(struct context *context, int repetition);
void scatter_check(struct context *context, int repetition);
void gather_check(struct context *context, int repetition);
void allgather_check(struct context *context, int repetition);
void alltoall_check(struct context *context, int repetition);
void reduce_check(struct context *context, int repetition);
void allreduce_check(struct context *context, int repetition);
void scan_check(struct context *context, int repetition);
void exscan_check(struct context *context, int repetition);
void local_check(struct context *context, int repetition);
void reduce_scatter_check(struct context *context, int repetition);

#endif
