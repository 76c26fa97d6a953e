/* A libcuda.so.1 without a device: what hockney's engine and recorder, Intel MPI, UCX and libfabric ask a
   driver of CUDA for. fake.h has its modes; HOCKNEY_FAKE_CUDA names them. */
#include "fake.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of cuda.h. */
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
enum {
    ATTRIBUTE_PCI_BUS = 33,
    ATTRIBUTE_PCI_DEVICE = 34,
    ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    ATTRIBUTE_PCI_DOMAIN = 50,
    ATTRIBUTE_CAPABILITY_MAJOR = 75,
    ATTRIBUTE_MANAGED_MEMORY = 83,
    ATTRIBUTE_CONCURRENT_MANAGED = 89,
};
enum {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE = 2,
    POINTER_DEVICE_POINTER = 3,
    POINTER_HOST_POINTER = 4,
    POINTER_BUFFER_ID = 7,
    POINTER_IS_MANAGED = 8,
    POINTER_DEVICE_ORDINAL = 9,
    POINTER_IS_IPC_CAPABLE = 10,
    POINTER_RANGE_START = 11,
    POINTER_RANGE_SIZE = 12,
    POINTER_MAPPED = 13,
    TYPE_HOST = 1,
    TYPE_DEVICE = 2,
};
typedef unsigned long long address;
#define POINTER(at) ((void *)(uintptr_t)(at))

static int is_ready;
static struct context {
    int device;
} contexts[MOST_DEVICES];
static _Thread_local struct context *stack[32];
static _Thread_local int depth;

static int result_of(enum fake_outcome outcome)
{
    static const int numbers[] = {[FINE] = SUCCESS, [NO_MEMORY] = OUT_OF_MEMORY,
                                  [REFUSED] = INVALID_CONTEXT, [UNKNOWN_ADDRESS] = INVALID_VALUE};
    return numbers[outcome];
}

/* Of every function: whether it may be called. */
#define BEGIN                                                                                      \
    do {                                                                                           \
        if (!is_ready)                                                                             \
            return NOT_INITIALIZED;                                                                \
        if (fake_is_gone())                                                                        \
            return DEVICE_UNAVAILABLE;                                                             \
    } while (0)
#define BEGIN_IN_CONTEXT                                                                           \
    BEGIN;                                                                                         \
    if (!depth || !stack[depth - 1])                                                               \
    return INVALID_CONTEXT
#define BEGIN_WITH(device)                                                                         \
    BEGIN;                                                                                         \
    if ((device) < 0 || (device) >= fake.devices)                                                  \
    return INVALID_DEVICE

static int current(void)
{
    return depth && stack[depth - 1] ? stack[depth - 1]->device : -1;
}

EXPORT int cuInit(unsigned flags)
{
    fake_begin("HOCKNEY_FAKE_CUDA");
    if (flags)
        return INVALID_VALUE;
    if (fake_is_gone())
        return DEVICE_UNAVAILABLE;
    if (!fake.devices)
        return NO_DEVICE;
    for (int i = 0; i < fake.devices; i++)
        contexts[i].device = i;
    is_ready = 1;
    return SUCCESS;
}

EXPORT int cuDriverGetVersion(int *version)
{
    fake_begin("HOCKNEY_FAKE_CUDA");
    *version = fake.is_old ? 10020 : 12040;
    return SUCCESS;
}

static const struct error {
    int number;
    const char *name, *text;
} errors[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

static const struct error *error_of(int number)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].number == number)
            return &errors[i];
    return NULL;
}

EXPORT int cuGetErrorString(int number, const char **text)
{
    const struct error *error = error_of(number);
    *text = error ? error->text : NULL;
    return error ? SUCCESS : INVALID_VALUE;
}

EXPORT int cuGetErrorName(int number, const char **name)
{
    const struct error *error = error_of(number);
    *name = error ? error->name : NULL;
    return error ? SUCCESS : INVALID_VALUE;
}

EXPORT int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    (void)version, (void)flags;
    char versioned[128];
    snprintf(versioned, sizeof versioned, "%s_v2", name);
    Dl_info own;
    dladdr((void *)(uintptr_t)cuInit, &own);
    void *library = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return NOT_FOUND;
    *function = dlsym(library, versioned);
    if (!*function)
        *function = dlsym(library, name);
    dlclose(library);
    return *function ? SUCCESS : NOT_FOUND;
}

EXPORT int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                               int *found)
{
    const int result = cuGetProcAddress(name, function, version, flags);
    if (found)
        *found = result == SUCCESS ? 0 : 1;
    return result;
}

/* Devices. */
EXPORT int cuDeviceGetCount(int *count)
{
    BEGIN;
    *count = fake.devices;
    return SUCCESS;
}

EXPORT int cuDeviceGet(int *device, int number)
{
    BEGIN_WITH(number);
    *device = number;
    return SUCCESS;
}

EXPORT int cuDeviceGetName(char *name, int room, int device)
{
    BEGIN_WITH(device);
    snprintf(name, (size_t)room, "Fake GPU %d", device);
    return SUCCESS;
}

EXPORT int cuDeviceGetUuid(unsigned char *uuid, int device)
{
    BEGIN_WITH(device);
    memset(uuid, 0xfa, 16);
    uuid[15] = (unsigned char)device;
    return SUCCESS;
}

EXPORT int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    return cuDeviceGetUuid(uuid, device);
}

/* In capitals, as the driver writes it. */
EXPORT int cuDeviceGetPCIBusId(char *id, int room, int device)
{
    BEGIN_WITH(device);
    snprintf(id, (size_t)room, "%s", fake.pci[device]);
    for (; *id; id++)
        *id = (char)toupper((unsigned char)*id);
    return SUCCESS;
}

EXPORT int cuDeviceGetByPCIBusId(int *device, const char *id)
{
    BEGIN;
    for (int i = 0; i < fake.devices; i++)
        if (!strcasecmp(fake.pci[i], id)) {
            *device = i;
            return SUCCESS;
        }
    return INVALID_VALUE;
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    BEGIN_WITH(device);
    *bytes = fake.bytes;
    return SUCCESS;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    BEGIN_WITH(device);
    unsigned domain = 0, bus = 0, slot = 0;
    sscanf(fake.pci[device], "%x:%x:%x", &domain, &bus, &slot);
    *value = attribute == ATTRIBUTE_PCI_DOMAIN               ? (int)domain
             : attribute == ATTRIBUTE_PCI_BUS                ? (int)bus
             : attribute == ATTRIBUTE_PCI_DEVICE             ? (int)slot
             : attribute == ATTRIBUTE_UNIFIED_ADDRESSING     ? 1
             : attribute == ATTRIBUTE_CAPABILITY_MAJOR       ? 9
             : attribute == ATTRIBUTE_MANAGED_MEMORY ||
                       attribute == ATTRIBUTE_CONCURRENT_MANAGED
                 ? fake.has_managed
                 : 0;
    return SUCCESS;
}

EXPORT int cuDeviceCanAccessPeer(int *can, int device, int other)
{
    BEGIN_WITH(device);
    if (other < 0 || other >= fake.devices)
        return INVALID_DEVICE;
    *can = device != other && fake.has_peers;
    return SUCCESS;
}

EXPORT int cuDeviceGetP2PAttribute(int *value, int attribute, int device, int other)
{
    (void)attribute;
    return cuDeviceCanAccessPeer(value, device, other);
}

/* Contexts: one of each device. */
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
    BEGIN_WITH(device);
    *context = &contexts[device];
    return SUCCESS;
}

EXPORT int cuDevicePrimaryCtxRelease(int device)
{
    BEGIN_WITH(device);
    return SUCCESS;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device)
{
    return cuDevicePrimaryCtxRelease(device);
}

EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active)
{
    BEGIN_WITH(device);
    *flags = 0;
    *is_active = 1;
    return SUCCESS;
}

EXPORT int cuCtxPushCurrent_v2(void *context)
{
    BEGIN;
    if (depth == (int)(sizeof stack / sizeof stack[0]))
        return INVALID_VALUE;
    stack[depth++] = context;
    return SUCCESS;
}

EXPORT int cuCtxPopCurrent_v2(void **context)
{
    BEGIN_IN_CONTEXT;
    depth--;
    if (context)
        *context = stack[depth];
    return SUCCESS;
}

EXPORT int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
    (void)flags;
    BEGIN_WITH(device);
    *context = &contexts[device];
    return cuCtxPushCurrent_v2(*context);
}

EXPORT int cuCtxDestroy_v2(void *context)
{
    BEGIN;
    if (depth && stack[depth - 1] == context)
        depth--;
    return SUCCESS;
}

EXPORT int cuCtxSetCurrent(void *context)
{
    BEGIN;
    depth = depth ? depth : 1;
    stack[depth - 1] = context;
    return SUCCESS;
}

EXPORT int cuCtxGetCurrent(void **context)
{
    BEGIN;
    *context = depth ? stack[depth - 1] : NULL;
    return SUCCESS;
}

EXPORT int cuCtxGetDevice(int *device)
{
    BEGIN_IN_CONTEXT;
    *device = current();
    return SUCCESS;
}

EXPORT int cuCtxGetApiVersion(void *context, unsigned *version)
{
    (void)context;
    BEGIN;
    *version = 3020;
    return SUCCESS;
}

EXPORT int cuCtxSynchronize(void)
{
    BEGIN_IN_CONTEXT;
    fake_wait(NULL);
    return SUCCESS;
}

EXPORT int cuCtxEnablePeerAccess(void *context, unsigned flags)
{
    (void)context, (void)flags;
    BEGIN_IN_CONTEXT;
    return fake.has_peers ? SUCCESS : NOT_SUPPORTED;
}

EXPORT int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    BEGIN_IN_CONTEXT;
    if (least)
        *least = 0;
    if (greatest)
        *greatest = 0;
    return SUCCESS;
}

/* Memory. */
static int allocate(enum fake_kind kind, size_t bytes, void **at)
{
    BEGIN_IN_CONTEXT;
    const enum fake_outcome outcome = fake_allocate(kind, current(), bytes, at);
    return outcome == REFUSED ? NOT_SUPPORTED : result_of(outcome);
}

EXPORT int cuMemAlloc_v2(address *at, size_t bytes)
{
    void *found = NULL;
    const int result = allocate(ON_DEVICE, bytes, &found);
    *at = (uintptr_t)found;
    return result;
}

EXPORT int cuMemAllocManaged(address *at, size_t bytes, unsigned flags)
{
    void *found = NULL;
    const int result = flags == 1 || flags == 2 ? allocate(MANAGED, bytes, &found) : INVALID_VALUE;
    *at = (uintptr_t)found;
    return result;
}

EXPORT int cuMemHostAlloc(void **at, size_t bytes, unsigned flags)
{
    (void)flags;
    return allocate(PINNED, bytes, at);
}

EXPORT int cuMemAllocHost_v2(void **at, size_t bytes)
{
    return allocate(PINNED, bytes, at);
}

/* The null pointer may be released. */
EXPORT int cuMemFree_v2(address at)
{
    BEGIN_IN_CONTEXT;
    return at ? result_of(fake_release(POINTER(at), current())) : SUCCESS;
}

EXPORT int cuMemFreeHost(void *at)
{
    BEGIN_IN_CONTEXT;
    return result_of(fake_release(at, -1));
}

EXPORT int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags)
{
    (void)flags;
    BEGIN_IN_CONTEXT;
    return fake_register(at, bytes, current()) == FINE ? SUCCESS : ALREADY_REGISTERED;
}

EXPORT int cuMemHostUnregister(void *at)
{
    BEGIN_IN_CONTEXT;
    return result_of(fake_release(at, -1));
}

EXPORT int cuMemHostGetDevicePointer_v2(address *at, void *host, unsigned flags)
{
    (void)flags;
    BEGIN_IN_CONTEXT;
    struct block block;
    if (!fake_find(host, &block))
        return INVALID_VALUE;
    *at = (uintptr_t)host;
    return SUCCESS;
}

EXPORT int cuMemHostGetFlags(unsigned *flags, void *at)
{
    BEGIN_IN_CONTEXT;
    struct block block;
    *flags = 0;
    return fake_find(at, &block) && block.kind == PINNED ? SUCCESS : INVALID_VALUE;
}

EXPORT int cuMemGetInfo_v2(size_t *available, size_t *total)
{
    BEGIN_IN_CONTEXT;
    *available = fake.bytes - fake.used[current()];
    *total = fake.bytes;
    return SUCCESS;
}

EXPORT int cuMemGetAddressRange_v2(address *begin, size_t *bytes, address at)
{
    BEGIN;
    struct block block;
    if (!fake_find(POINTER(at), &block))
        return INVALID_VALUE;
    if (begin)
        *begin = (uintptr_t)block.at;
    if (bytes)
        *bytes = block.bytes;
    return SUCCESS;
}

static int attribute_of(const struct block *block, int attribute, address at, void *value)
{
    const int is_host = block->kind == PINNED || block->kind == REGISTERED;
    switch (attribute) {
    case POINTER_CONTEXT:
        *(void **)value = &contexts[block->device];
        return SUCCESS;
    case POINTER_MEMORY_TYPE:
        *(unsigned *)value = is_host ? TYPE_HOST : TYPE_DEVICE;
        return SUCCESS;
    case POINTER_DEVICE_POINTER:
        *(address *)value = at;
        return SUCCESS;
    case POINTER_HOST_POINTER:
        if (block->kind == ON_DEVICE)
            return INVALID_VALUE;
        *(void **)value = POINTER(at);
        return SUCCESS;
    case POINTER_BUFFER_ID:
        *(unsigned long long *)value = (uintptr_t)block->at >> 12 ^ (unsigned)block->file;
        return SUCCESS;
    case POINTER_IS_MANAGED:
        *(unsigned *)value = block->kind == MANAGED;
        return SUCCESS;
    case POINTER_DEVICE_ORDINAL:
        *(int *)value = block->device;
        return SUCCESS;
    case POINTER_IS_IPC_CAPABLE:
        *(int *)value = block->kind == ON_DEVICE && fake.has_ipc;
        return SUCCESS;
    case POINTER_RANGE_START:
        *(address *)value = (uintptr_t)block->at;
        return SUCCESS;
    case POINTER_RANGE_SIZE:
        *(size_t *)value = block->bytes;
        return SUCCESS;
    case POINTER_MAPPED:
        *(int *)value = 1;
        return SUCCESS;
    default:
        return NOT_SUPPORTED;
    }
}

EXPORT int cuPointerGetAttribute(void *value, int attribute, address at)
{
    BEGIN;
    struct block block;
    return fake_find(POINTER(at), &block) ? attribute_of(&block, attribute, at, value)
                                          : INVALID_VALUE;
}

/* What the driver does not know has attributes of 0, and a device of -2: no error. */
EXPORT int cuPointerGetAttributes(unsigned count, const int *attributes, void **values, address at)
{
    BEGIN;
    struct block block;
    const int is_known = fake_find(POINTER(at), &block);
    for (unsigned i = 0; i < count; i++) {
        if (is_known && attribute_of(&block, attributes[i], at, values[i]) == SUCCESS)
            continue;
        switch (attributes[i]) {
        case POINTER_CONTEXT:
        case POINTER_HOST_POINTER:
            *(void **)values[i] = NULL;
            break;
        case POINTER_DEVICE_POINTER:
        case POINTER_BUFFER_ID:
        case POINTER_RANGE_START:
        case POINTER_RANGE_SIZE:
            *(address *)values[i] = 0;
            break;
        case POINTER_DEVICE_ORDINAL:
            *(int *)values[i] = -2;
            break;
        default:
            *(unsigned *)values[i] = 0;
        }
    }
    return SUCCESS;
}

EXPORT int cuPointerSetAttribute(const void *value, int attribute, address at)
{
    (void)value, (void)attribute;
    BEGIN;
    struct block block;
    return fake_find(POINTER(at), &block) ? SUCCESS : INVALID_VALUE;
}

EXPORT int cuMemGetHandleForAddressRange(void *handle, address at, size_t bytes, int type,
                                         unsigned long long flags)
{
    (void)handle, (void)at, (void)bytes, (void)type, (void)flags;
    BEGIN;
    return NOT_SUPPORTED;
}

/* Copies. */
static int copy(void *to, const void *from, size_t bytes, const void *stream, int is_whole)
{
    BEGIN_IN_CONTEXT;
    return result_of(fake_copy(to, from, bytes, current(), stream, is_whole));
}

EXPORT int cuMemcpy(address to, address from, size_t bytes)
{
    return copy(POINTER(to), POINTER(from), bytes, NULL, 1);
}

EXPORT int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes)
{
    return copy(POINTER(to), from, bytes, NULL, 1);
}

EXPORT int cuMemcpyDtoH_v2(void *to, address from, size_t bytes)
{
    return copy(to, POINTER(from), bytes, NULL, 1);
}

EXPORT int cuMemcpyDtoD_v2(address to, address from, size_t bytes)
{
    return copy(POINTER(to), POINTER(from), bytes, NULL, 1);
}

EXPORT int cuMemcpyAsync(address to, address from, size_t bytes, void *stream)
{
    return copy(POINTER(to), POINTER(from), bytes, stream, 0);
}

EXPORT int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream)
{
    return copy(POINTER(to), from, bytes, stream, 0);
}

EXPORT int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream)
{
    return copy(to, POINTER(from), bytes, stream, 0);
}

EXPORT int cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, void *stream)
{
    return copy(POINTER(to), POINTER(from), bytes, stream, 0);
}

EXPORT int cuMemcpyPeer(address to, void *to_context, address from, void *from_context, size_t bytes)
{
    (void)to_context, (void)from_context;
    BEGIN;
    return result_of(fake_copy(POINTER(to), POINTER(from), bytes, -1, NULL, 1));
}

EXPORT int cuMemcpyPeerAsync(address to, void *to_context, address from, void *from_context,
                             size_t bytes, void *stream)
{
    (void)to_context, (void)from_context;
    BEGIN;
    return result_of(fake_copy(POINTER(to), POINTER(from), bytes, -1, stream, 0));
}

EXPORT int cuMemsetD8_v2(address to, unsigned char value, size_t count)
{
    BEGIN_IN_CONTEXT;
    return result_of(fake_fill(POINTER(to), value, count, current(), NULL, 1));
}

EXPORT int cuMemsetD8Async(address to, unsigned char value, size_t count, void *stream)
{
    BEGIN_IN_CONTEXT;
    return result_of(fake_fill(POINTER(to), value, count, current(), stream, 0));
}

/* Streams are addresses of their own; those below 3 are the driver's (legacy, per thread), which wait for
   all others. */
static const void *stream_of(const void *stream)
{
    return (uintptr_t)stream < 3 ? NULL : stream;
}

EXPORT int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    BEGIN_IN_CONTEXT;
    *stream = malloc(1);
    return *stream ? SUCCESS : OUT_OF_MEMORY;
}

EXPORT int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    (void)priority;
    return cuStreamCreate(stream, flags);
}

EXPORT int cuStreamDestroy_v2(void *stream)
{
    BEGIN;
    fake_wait(stream_of(stream));
    free(stream);
    return SUCCESS;
}

EXPORT int cuStreamSynchronize(void *stream)
{
    BEGIN_IN_CONTEXT;
    fake_wait(stream_of(stream));
    return SUCCESS;
}

/* What was begun is found unfinished once. */
EXPORT int cuStreamQuery(void *stream)
{
    BEGIN_IN_CONTEXT;
    const int is_busy = fake_is_busy(stream_of(stream));
    fake_wait(stream_of(stream));
    return is_busy ? NOT_READY : SUCCESS;
}

EXPORT int cuStreamGetCtx(void *stream, void **context)
{
    (void)stream;
    BEGIN_IN_CONTEXT;
    *context = stack[depth - 1];
    return SUCCESS;
}

struct event {
    const void *stream;
};

EXPORT int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    BEGIN_IN_CONTEXT;
    *event = calloc(1, sizeof(struct event));
    return *event ? SUCCESS : OUT_OF_MEMORY;
}

EXPORT int cuEventDestroy_v2(void *event)
{
    BEGIN;
    free(event);
    return SUCCESS;
}

EXPORT int cuEventRecord(void *event, void *stream)
{
    BEGIN_IN_CONTEXT;
    ((struct event *)event)->stream = stream_of(stream);
    return SUCCESS;
}

EXPORT int cuEventQuery(const void *event)
{
    BEGIN;
    const struct event *of = event;
    const int is_busy = fake_is_busy(of->stream);
    fake_wait(of->stream);
    return is_busy ? NOT_READY : SUCCESS;
}

EXPORT int cuEventSynchronize(const void *event)
{
    BEGIN;
    fake_wait(((const struct event *)event)->stream);
    return SUCCESS;
}

EXPORT int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    (void)stream, (void)flags;
    return cuEventSynchronize(event);
}

/* Memory of another process. */
struct handle {
    char bytes[64];
};

EXPORT int cuIpcGetMemHandle(struct handle *handle, address at)
{
    BEGIN_IN_CONTEXT;
    struct ticket ticket;
    const enum fake_outcome outcome = fake_share(POINTER(at), &ticket);
    memset(handle, 0, sizeof *handle);
    if (outcome == FINE)
        memcpy(handle, &ticket, sizeof ticket);
    return outcome == REFUSED ? NOT_SUPPORTED : result_of(outcome);
}

EXPORT int cuIpcOpenMemHandle_v2(address *at, struct handle handle, unsigned flags)
{
    (void)flags;
    BEGIN_IN_CONTEXT;
    struct ticket ticket;
    memcpy(&ticket, &handle, sizeof ticket);
    void *found = NULL;
    const enum fake_outcome outcome = fake_open_shared(&ticket, &found);
    *at = (uintptr_t)found;
    return outcome == REFUSED ? NOT_SUPPORTED : result_of(outcome);
}

EXPORT int cuIpcOpenMemHandle(address *at, struct handle handle, unsigned flags)
{
    return cuIpcOpenMemHandle_v2(at, handle, flags);
}

EXPORT int cuIpcCloseMemHandle(address at)
{
    BEGIN_IN_CONTEXT;
    return result_of(fake_release(POINTER(at), -1));
}

/* Nothing is in progress in another process that a copy of this one would not find done. */
EXPORT int cuIpcGetEventHandle(struct handle *handle, void *event)
{
    (void)event;
    BEGIN_IN_CONTEXT;
    memset(handle, 0, sizeof *handle);
    return fake.has_ipc ? SUCCESS : NOT_SUPPORTED;
}

EXPORT int cuIpcOpenEventHandle(void **event, struct handle handle)
{
    (void)handle;
    return fake.has_ipc ? cuEventCreate(event, 0) : NOT_SUPPORTED;
}

/* Nothing is computed here. */
#define NOT_HERE(name)                                                                             \
    EXPORT int name(void)                                                                          \
    {                                                                                              \
        BEGIN;                                                                                     \
        return NOT_SUPPORTED;                                                                      \
    }
NOT_HERE(cuModuleLoadFatBinary)
NOT_HERE(cuOccupancyMaxPotentialBlockSize)
NOT_HERE(cuModuleLoadData)
NOT_HERE(cuModuleLoadDataEx)
NOT_HERE(cuModuleUnload)
NOT_HERE(cuModuleGetFunction)
NOT_HERE(cuModuleGetGlobal_v2)
NOT_HERE(cuLaunchKernel)
NOT_HERE(cuMemcpy2D_v2)
NOT_HERE(cuMemcpy2DAsync_v2)
