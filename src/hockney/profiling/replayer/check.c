#include "check.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

noreturn void fail(const char *what)
{
    fprintf(stderr, "hockney-replayer: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

void check(int status, const char *call)
{
    if (status != MPI_SUCCESS)
        fail(call);
}

void *allocate(size_t number, size_t bytes)
{
    void *memory = calloc(number ? number : 1, bytes);
    if (!memory)
        fail("out of memory");
    return memory;
}
