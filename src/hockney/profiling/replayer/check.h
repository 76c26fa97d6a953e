/* What goes wrong ends the program, on every rank. */
#ifndef HOCKNEY_REPLAYER_CHECK_H
#define HOCKNEY_REPLAYER_CHECK_H

#include <stddef.h>
#include <stdnoreturn.h>

noreturn void fail(const char *what);
/* Of an MPI call, by what it returned. */
void check(int status, const char *call);
/* Memory of zeros. */
void *allocate(size_t number, size_t bytes);

#endif
