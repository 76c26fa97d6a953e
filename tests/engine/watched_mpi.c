/* Records which buffers a program gives MPI: for LD_PRELOAD, by the profiling interface. Only calls for
   HOCKNEY_TEST_BYTES bytes (of one block) are recorded, so that messages of its own size show and no
   others. When MPI ends, each rank writes HOCKNEY_TEST_TRACE.<rank>: a line a call, with its name, the
   addresses sent from and received into, and the root. Further lines have a number in place of the
   root: `allocated` the bytes that aligned_alloc() was asked for since MPI began, `writes` the system
   calls that wrote anything since then. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_CALLS = 1 << 20 };

static struct call {
    const char *name;
    const void *sent, *received;
    int root;
} calls[MOST_CALLS];
static int call_count, is_running;
static long wanted = -1, writes_before;
static size_t allocated;

static void note(const char *name, const void *sent, const void *received, int root, int count,
                 MPI_Datatype type)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    if ((long)count * size == wanted && call_count < MOST_CALLS)
        calls[call_count++] = (struct call){name, sent, received, root};
}

/* A wait is recorded where something is in flight. */
static void note_wait(void)
{
    if (call_count > 0 && call_count < MOST_CALLS)
        calls[call_count++] = (struct call){"wait", NULL, NULL, -1};
}

static long writes_so_far(void)
{
    char line[64];
    long writes = -1;
    FILE *file = fopen("/proc/self/io", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "syscw: %ld", &writes);
    if (file != NULL)
        fclose(file);
    return writes;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    void *(*real)(size_t, size_t) =
        (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
    allocated += is_running ? bytes : 0;
    return real(alignment, bytes);
}

int MPI_Init(int *argc, char ***argv)
{
    const int code = PMPI_Init(argc, argv);
    const char *bytes = getenv("HOCKNEY_TEST_BYTES");
    wanted = bytes != NULL ? atol(bytes) : -1;
    writes_before = writes_so_far();
    is_running = 1;
    return code;
}

int MPI_Finalize(void)
{
    char path[4096];
    int rank;
    const long writes = writes_so_far() - writes_before;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s.%d", getenv("HOCKNEY_TEST_TRACE"), rank);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        abort();
    for (int i = 0; i < call_count; i++)
        fprintf(file, "%s %zx %zx %d\n", calls[i].name, (size_t)calls[i].sent,
                (size_t)calls[i].received, calls[i].root);
    fprintf(file, "allocated 0 0 %zu\nwrites 0 0 %ld\n", allocated, writes);
    fclose(file);
    return PMPI_Finalize();
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    note("send", buffer, NULL, -1, count, type);
    return PMPI_Send(buffer, count, type, peer, tag, comm);
}

int MPI_Ssend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    note("send", buffer, NULL, -1, count, type);
    return PMPI_Ssend(buffer, count, type, peer, tag, comm);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    note("receive", NULL, buffer, -1, count, type);
    return PMPI_Recv(buffer, count, type, peer, tag, comm, status);
}

int MPI_Sendrecv(const void *sent, int count, MPI_Datatype type, int to, int tag, void *received,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag,
                 MPI_Comm comm, MPI_Status *status)
{
    note("exchange", sent, received, -1, count, type);
    return PMPI_Sendrecv(sent, count, type, to, tag, received, receive_count, receive_type, from,
                         receive_tag, comm, status);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    note("isend", buffer, NULL, -1, count, type);
    return PMPI_Isend(buffer, count, type, peer, tag, comm, request);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    note("irecv", NULL, buffer, -1, count, type);
    return PMPI_Irecv(buffer, count, type, peer, tag, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    note_wait();
    return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    note_wait();
    return PMPI_Waitall(count, requests, statuses);
}

/* The end of what was put: recorded like a wait. */
int MPI_Win_flush_all(MPI_Win win)
{
    if (call_count < MOST_CALLS)
        calls[call_count++] = (struct call){"flush", NULL, NULL, -1};
    return PMPI_Win_flush_all(win);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    note("bcast", buffer, NULL, root, count, type);
    return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Allreduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm)
{
    note("allreduce", sent, received, -1, count, type);
    return PMPI_Allreduce(sent, received, count, type, operation, comm);
}

int MPI_Alltoall(const void *sent, int count, MPI_Datatype type, void *received, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm)
{
    note("alltoall", sent, received, -1, count, type);
    return PMPI_Alltoall(sent, count, type, received, receive_count, receive_type, comm);
}
