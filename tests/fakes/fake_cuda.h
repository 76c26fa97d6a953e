/* What the parts of the fake libcuda.so.1 share: results, the current context, and who may be called. */
#ifndef HOCKNEY_FAKE_CUDA_H
#define HOCKNEY_FAKE_CUDA_H

#include "fake.h"

/* Results, in the numbers of cuda.h. */
enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    DEVICE_UNAVAILABLE = 46,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ALREADY_REGISTERED = 712,
    NOT_SUPPORTED = 801,
};

typedef unsigned long long address;
#define POINTER(at) ((void *)(uintptr_t)(at))

struct context {
    int device;
};
extern struct cuda {
    int is_ready;
    struct context contexts[MOST_DEVICES]; /* one of each device */
} cuda;

/* The context that is current on this thread, NULL if there is none; and its device, -1 if there is none. */
struct context *cuda_context(void);
int cuda_device(void);
int cuda_result(enum fake_outcome outcome);

/* What every function begins with: whether it may be called. */
#define BEGIN                                                                                      \
    do {                                                                                           \
        if (!cuda.is_ready)                                                                        \
            return NOT_INITIALIZED;                                                                \
        if (fake_is_gone())                                                                        \
            return DEVICE_UNAVAILABLE;                                                             \
    } while (0)
#define BEGIN_IN_CONTEXT                                                                           \
    BEGIN;                                                                                         \
    if (cuda_device() < 0)                                                                         \
    return INVALID_CONTEXT
#define BEGIN_WITH(device)                                                                         \
    BEGIN;                                                                                         \
    if ((device) < 0 || (device) >= fake.devices)                                                  \
    return INVALID_DEVICE

#endif
