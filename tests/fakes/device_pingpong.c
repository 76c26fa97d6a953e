/* Sends memory of a device back and forth, and checks what arrives: device_pingpong MEMORY MEMORY [hasty],
   each memory "device", "pinned", "managed" or "host", of rank 0 and of rank 1. A hasty one does not wait for
   its copies. It needs what MPI programs for GPUs need, and nothing of hockney. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 << 20, ROUNDS = 20, FAILED = 3 };

static void *library;
static int is_hasty;

#define DRIVER(name, ...)                                                                          \
    do {                                                                                           \
        int (*function)() = (int (*)())dlsym(library, #name);                                      \
        const int result = function ? function(__VA_ARGS__) : -1;                                  \
        if (result) {                                                                              \
            fprintf(stderr, #name ": %d\n", result);                                               \
            MPI_Abort(MPI_COMM_WORLD, FAILED);                                                     \
        }                                                                                          \
    } while (0)

static uint64_t allocated(const char *memory)
{
    uint64_t at = 0;
    if (!strcmp(memory, "device"))
        DRIVER(cuMemAlloc_v2, &at, (size_t)MOST);
    else if (!strcmp(memory, "managed"))
        DRIVER(cuMemAllocManaged, &at, (size_t)MOST, 1u);
    else if (!strcmp(memory, "pinned"))
        DRIVER(cuMemHostAlloc, (void **)&at, (size_t)MOST, 0u);
    else
        at = (uintptr_t)malloc(MOST);
    return at;
}

static void put(uint64_t to, const unsigned char *from, size_t bytes)
{
    DRIVER(cuMemcpy, to, (uint64_t)(uintptr_t)from, bytes);
    if (!is_hasty)
        DRIVER(cuCtxSynchronize);
}

static unsigned char pattern(size_t place, int round, int rank)
{
    return (unsigned char)(place * 7 + (size_t)round * 3 + (size_t)rank * 101);
}

int main(int count, char **words)
{
    int rank;
    void *context;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library || count < 3)
        return fprintf(stderr, "%s\n", library ? "two memories are needed" : dlerror()), 2;
    is_hasty = count > 3;
    DRIVER(cuInit, 0u);
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    DRIVER(cuDevicePrimaryCtxRetain, &context, 0);
    DRIVER(cuCtxSetCurrent, context);
    const uint64_t buffer = allocated(words[1 + rank]);
    unsigned char *own = malloc(MOST);
    for (size_t bytes = 8; bytes <= MOST; bytes = bytes == 8 ? 65536 : bytes * 64) {
        int wrong = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (size_t i = 0; i < bytes; i++)
                own[i] = pattern(i, round, rank);
            if (rank == 0) {
                put(buffer, own, bytes);
                MPI_Send((void *)(uintptr_t)buffer, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            }
            MPI_Recv((void *)(uintptr_t)buffer, (int)bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            DRIVER(cuMemcpy, (uint64_t)(uintptr_t)own, buffer, bytes);
            for (size_t i = 0; i < bytes; i++)
                wrong += own[i] != pattern(i, round, 1 - rank);
            if (rank == 1) {
                for (size_t i = 0; i < bytes; i++)
                    own[i] = pattern(i, round, 1);
                put(buffer, own, bytes);
                MPI_Send((void *)(uintptr_t)buffer, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
            }
        }
        MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0) {
            printf("%zu bytes: %d wrong\n", bytes, wrong);
            fflush(stdout);
        }
    }
    MPI_Finalize();
    return 0;
}
