/* The threads of this rank that exchange messages: each has a context, buffers and, where asked for, a
   communicator of its own. The first is the one that started; its context is the launch's. */
#ifndef HOCKNEY_THREADS_H
#define HOCKNEY_THREADS_H

#include "launch.h"

/* Starts what options->methods need. Collective. */
void threads_open(struct launch *launch, const struct place *here);
void threads_close(struct launch *launch);

/* Threads of this rank that take part in launch->method. */
int threads_here(const struct launch *launch);
struct context *threads_context(struct launch *launch, int thread);
struct context *threads_before(struct launch *launch, int thread);
/* Its buffers in the memory of launch->method. */
struct areas *threads_areas(struct launch *launch, int thread);
/* How many of them have messages of their own. */
int threads_with_messages(const struct launch *launch);

/* Before a visit: each thread's context follows that of the first; helpers wake up. */
void threads_prepare(struct launch *launch);
/* After it they sleep. */
void threads_finish(struct launch *launch);

/* How often a thread repeats what each of the leading rank's threads repeats so many times. */
int64_t threads_repetitions(const struct launch *launch, int64_t repetitions, int thread);
/* The operation's loop on all threads at once, so many repetitions by each of the leading rank's
   threads. Returns MPI's code where there is one; a failure of one of several threads ends the launch,
   as the others would wait for it. */
int threads_repeat(struct launch *launch, const struct operation *operation, int64_t repetitions);

#endif
