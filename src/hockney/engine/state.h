/* What this rank does, for who looks at a launch that reports nothing: a line of JSON in memory that the kernel
   shows under /proc/PID/fd as the file "memfd:hockney-state". It takes no room in any file system, ends with
   the process, and can be read while the rank hangs. Written between timed regions only. */
#ifndef HOCKNEY_STATE_H
#define HOCKNEY_STATE_H

#include <stddef.h>

/* Before MPI_Init; where the system has no such memory, nothing is shown. */
void state_open(void);

/* Who this is, once MPI has said so. */
void state_rank(int rank, int ranks);

/* What it does from now on, other than an exchange. */
void state_enter(const char *phase);

/* From now on it makes an operation of so many bytes with a rank of the world; with all where `partner` is
   negative. */
void state_exchange(const char *operation, size_t bytes, int partner);

#endif
