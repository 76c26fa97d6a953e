/* A libcuda.so.1 without a device: what hockney's engine and recorder, Intel MPI, UCX and libfabric ask a
   driver of CUDA for. fake.h has its modes; HOCKNEY_FAKE_CUDA names them. Here are devices and contexts;
   fake_cuda_memory.c has memory, fake_cuda_copies.c copies, streams and memory of other processes. */
#include "fake_cuda.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Numbers of cuda.h. */
enum {
    ATTRIBUTE_PCI_BUS = 33,
    ATTRIBUTE_PCI_DEVICE = 34,
    ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    ATTRIBUTE_PCI_DOMAIN = 50,
    ATTRIBUTE_CAPABILITY_MAJOR = 75,
    ATTRIBUTE_MANAGED_MEMORY = 83,
    ATTRIBUTE_CONCURRENT_MANAGED = 89,
};

struct cuda cuda;
static _Thread_local struct context *stack[32];
static _Thread_local int depth;

struct context *cuda_context(void) { return depth ? stack[depth - 1] : NULL; }

int cuda_device(void) { return cuda_context() ? cuda_context()->device : -1; }

int cuda_result(enum fake_outcome outcome)
{
    static const int numbers[] = {[FINE] = SUCCESS, [NO_MEMORY] = OUT_OF_MEMORY,
                                  [REFUSED] = INVALID_CONTEXT, [UNKNOWN_ADDRESS] = INVALID_VALUE};
    return numbers[outcome];
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
        cuda.contexts[i].device = i;
    cuda.is_ready = 1;
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
    *context = &cuda.contexts[device];
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
    *context = &cuda.contexts[device];
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
    *context = cuda_context();
    return SUCCESS;
}

EXPORT int cuCtxGetDevice(int *device)
{
    BEGIN_IN_CONTEXT;
    *device = cuda_device();
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
