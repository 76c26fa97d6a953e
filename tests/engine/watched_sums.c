/* Prints the smallest and the largest element of the first sum that MPI_Allreduce returns, for LD_PRELOAD. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

static double element(const void *array, int i, MPI_Datatype type)
{
    if (type == MPI_INT32_T)
        return (double)((const int32_t *)array)[i];
    if (type == MPI_INT64_T)
        return (double)((const int64_t *)array)[i];
    if (type == MPI_FLOAT)
        return (double)((const float *)array)[i];
    return ((const double *)array)[i];
}

int MPI_Allreduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm)
{
    static int shown;
    const int code = PMPI_Allreduce(sent, received, count, type, operation, comm);
    int size = 0;
    PMPI_Type_size(type, &size);
    for (int i = 0; i < count && operation == MPI_SUM && count * size == 64 && shown < 100; i++, shown++)
        fprintf(stderr, "sum %g\n", element(received, i, type));
    return code;
}
