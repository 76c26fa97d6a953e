/* Exchanges buffers in the memories of an accelerator, whose driver it loads after MPI_Init, as libraries for
   accelerators do: device_buffers LIBRARY; without an argument all of them are the host's. What is sent from
   where is known. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BYTES = 1 << 20 };
enum kind { HOST, PINNED, MANAGED, DEVICE };

static void *library;
static int rank;

#define DRIVER(name, ...)                                                                          \
    do {                                                                                           \
        int (*function)() = (int (*)())dlsym(library, name);                                       \
        if (!function || function(__VA_ARGS__)) {                                                  \
            fprintf(stderr, "%s\n", name);                                                         \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                          \
        }                                                                                          \
    } while (0)

static void open_cuda(void)
{
    void *context;
    DRIVER("cuInit", 0u);
    DRIVER("cuDevicePrimaryCtxRetain", &context, 0);
    DRIVER("cuCtxSetCurrent", context);
}

/* Structures of Level Zero begin with their number, and none of them needs more than a few zeros. */
struct wish {
    int structure;
    void *next;
    uint32_t zeros[8];
};
static const struct wish for_context = {.structure = 0xd}, for_device = {.structure = 0x15},
                         for_host = {.structure = 0x16};
static void *context, *device_handle;

static void open_level_zero(void)
{
    void *driver, *devices[2];
    uint32_t one = 1, two = 2;
    DRIVER("zeInit", 0u);
    DRIVER("zeDriverGet", &one, &driver);
    DRIVER("zeDeviceGet", driver, &two, devices);
    DRIVER("zeContextCreate", driver, &for_context, &context);
    device_handle = devices[1];
}

static int has(const char *function)
{
    return library && dlsym(library, function);
}

static void *allocated(enum kind kind)
{
    void *at = NULL;
    const size_t bytes = BYTES, none = 0;
    if (!library || kind == HOST)
        return malloc(BYTES);
    if (has("zeInit") && kind == DEVICE)
        DRIVER("zeMemAllocDevice", context, &for_device, bytes, none, device_handle, &at);
    else if (has("zeInit") && kind == MANAGED)
        DRIVER("zeMemAllocShared", context, &for_device, &for_host, bytes, none, device_handle, &at);
    else if (has("zeInit"))
        DRIVER("zeMemAllocHost", context, &for_host, bytes, none, &at);
    else if (kind == DEVICE)
        DRIVER(has("hipMalloc") ? "hipMalloc" : "cuMemAlloc_v2", &at, bytes);
    else if (kind == MANAGED)
        DRIVER(has("hipMalloc") ? "hipMallocManaged" : "cuMemAllocManaged", &at, bytes, 1u);
    else
        DRIVER(has("hipMalloc") ? "hipHostMalloc" : "cuMemHostAlloc", &at, bytes, 0u);
    return at;
}

static void release(void *device)
{
    if (has("zeInit"))
        DRIVER("zeMemFree", context, device);
    else
        DRIVER(has("hipMalloc") ? "hipFree" : "cuMemFree_v2", device);
}

static void send_and_receive(char *buffer, int bytes, int times)
{
    for (int i = 0; i < times; i++) {
        if (rank == 0)
            MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (count > 1 && !(library = dlopen(words[1], RTLD_NOW)))
        return fprintf(stderr, "%s\n", dlerror()), 2;
    if (has("cuInit"))
        open_cuda();
    if (has("zeInit"))
        open_level_zero();
    char *host = allocated(HOST), *pinned = allocated(PINNED), *managed = allocated(MANAGED),
         *device = allocated(DEVICE), *other = allocated(DEVICE);
    MPI_Request request;
    send_and_receive(host, 500, 50);
    send_and_receive(device + 64, 1000, 100);
    for (int i = 0; i < 30; i++) {
        if (rank == 0)
            MPI_Isend(other + 8 * i, 2000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(device, 2000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 20; i++)
        MPI_Allreduce(MPI_IN_PLACE, pinned, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 10; i++)
        MPI_Bcast(managed, 4096, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 10; i++)
        MPI_Alltoall(device, 300, MPI_BYTE, host, 300, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Win window;
    MPI_Win_create(host, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(device, 700, MPI_BYTE, 1 - rank, 0, 700, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    /* The same address is something else afterwards. */
    if (library) {
        release(device);
        device = mmap(device, BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    }
    send_and_receive(device + 64, 24, 1000);
    MPI_Finalize();
    return 0;
}
