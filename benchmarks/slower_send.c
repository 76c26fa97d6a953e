/* What makes messages slower: a preloaded library in which MPI_Send waits first. How long is in the file
   that HOCKNEY_SLOWER names, read once in each process: nanoseconds, and nanoseconds for each byte. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double latency_ns, ns_per_byte;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

__attribute__((constructor)) static void read_delay(void)
{
    const char *path = getenv("HOCKNEY_SLOWER");
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    if (file == NULL)
        return;
    if (fscanf(file, "%lf %lf", &latency_ns, &ns_per_byte) != 2)
        latency_ns = ns_per_byte = 0.0;
    fclose(file);
}

int MPI_Send(const void *buffer, int count, MPI_Datatype datatype, int to, int tag, MPI_Comm comm)
{
    int size = 0;
    const int code = PMPI_Type_size(datatype, &size);
    const double end_ns = now_ns() + latency_ns + ns_per_byte * count * size;
    if (code != MPI_SUCCESS)
        return code;
    while (now_ns() < end_ns)
        ;
    return PMPI_Send(buffer, count, datatype, to, tag, comm);
}
