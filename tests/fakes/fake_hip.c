/* A libamdhip64.so without a device: what hockney's engine and recorder ask ROCm's HIP for. fake.h has its
   modes; HOCKNEY_FAKE_HIP names them. With "old" it is version 5.2, whose memory types have other numbers. */
#include "fake.h"

#include <stdio.h>
#include <string.h>

/* Numbers of hip_runtime_api.h. */
enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    NOT_SUPPORTED = 801,
    LAUNCH_FAILED = 719,
};
enum { ATTRIBUTE_MANAGED_MEMORY = 24 };
enum { POINTER_MEMORY_TYPE = 2, POINTER_IS_MANAGED = 8, POINTER_START = 11, POINTER_SIZE = 12 };

static _Thread_local int current, last_error;

static int keep(int result)
{
    if (result)
        last_error = result;
    return result;
}

static int result_of(enum fake_outcome outcome)
{
    static const int numbers[] = {[FINE] = SUCCESS, [NO_MEMORY] = OUT_OF_MEMORY,
                                  [REFUSED] = NOT_SUPPORTED, [UNKNOWN_ADDRESS] = INVALID_VALUE};
    return keep(numbers[outcome]);
}

/* The library begins by itself. */
#define BEGIN                                                                                      \
    do {                                                                                           \
        fake_begin("HOCKNEY_FAKE_HIP");                                                            \
        if (fake_is_gone())                                                                        \
            return keep(LAUNCH_FAILED);                                                            \
        if (!fake.devices)                                                                         \
            return keep(NO_DEVICE);                                                                \
    } while (0)
#define BEGIN_WITH(device)                                                                         \
    BEGIN;                                                                                         \
    if ((device) < 0 || (device) >= fake.devices)                                                  \
    return keep(INVALID_DEVICE)

EXPORT int hipInit(unsigned flags)
{
    BEGIN;
    return flags ? keep(INVALID_VALUE) : SUCCESS;
}

EXPORT int hipRuntimeGetVersion(int *version)
{
    fake_begin("HOCKNEY_FAKE_HIP");
    *version = fake.is_old ? 50200000 : 60300000;
    return SUCCESS;
}

EXPORT int hipGetLastError(void)
{
    const int last = last_error;
    last_error = SUCCESS;
    return last;
}

EXPORT const char *hipGetErrorString(int number)
{
    switch (number) {
    case SUCCESS:
        return "no error";
    case INVALID_VALUE:
        return "invalid argument";
    case OUT_OF_MEMORY:
        return "out of memory";
    case NO_DEVICE:
        return "no ROCm-capable device is detected";
    case INVALID_DEVICE:
        return "invalid device ordinal";
    case NOT_SUPPORTED:
        return "operation not supported";
    case LAUNCH_FAILED:
        return "unspecified launch failure";
    default:
        return "unknown error";
    }
}

EXPORT int hipGetDeviceCount(int *count)
{
    *count = 0;
    BEGIN;
    *count = fake.devices;
    return SUCCESS;
}

EXPORT int hipSetDevice(int device)
{
    BEGIN_WITH(device);
    current = device;
    return SUCCESS;
}

EXPORT int hipDeviceGetName(char *name, int room, int device)
{
    BEGIN_WITH(device);
    snprintf(name, (size_t)room, "Fake Instinct %d", device);
    return SUCCESS;
}

EXPORT int hipDeviceGetUuid(unsigned char *uuid, int device)
{
    BEGIN_WITH(device);
    memset(uuid, 0xfb, 16);
    uuid[15] = (unsigned char)device;
    return SUCCESS;
}

EXPORT int hipDeviceGetPCIBusId(char *id, int room, int device)
{
    BEGIN_WITH(device);
    snprintf(id, (size_t)room, "%s", fake.pci[device]);
    return SUCCESS;
}

EXPORT int hipDeviceTotalMem(size_t *bytes, int device)
{
    BEGIN_WITH(device);
    *bytes = fake.bytes;
    return SUCCESS;
}

EXPORT int hipDeviceGetAttribute(int *value, int attribute, int device)
{
    BEGIN_WITH(device);
    *value = attribute == ATTRIBUTE_MANAGED_MEMORY && fake.has_managed;
    return SUCCESS;
}

EXPORT int hipDeviceCanAccessPeer(int *can, int device, int other)
{
    BEGIN_WITH(device);
    *can = device != other && fake.has_peers;
    return other < 0 || other >= fake.devices ? keep(INVALID_DEVICE) : SUCCESS;
}

EXPORT int hipMalloc(void **at, size_t bytes)
{
    BEGIN;
    return result_of(fake_allocate(ON_DEVICE, current, bytes, at));
}

EXPORT int hipMallocManaged(void **at, size_t bytes, unsigned flags)
{
    BEGIN;
    return flags == 1 ? result_of(fake_allocate(MANAGED, current, bytes, at)) : keep(INVALID_VALUE);
}

EXPORT int hipHostMalloc(void **at, size_t bytes, unsigned flags)
{
    (void)flags;
    BEGIN;
    return result_of(fake_allocate(PINNED, current, bytes, at));
}

/* The null pointer may be released. */
EXPORT int hipFree(void *at)
{
    BEGIN;
    return at ? result_of(fake_release(at, current)) : SUCCESS;
}

EXPORT int hipHostFree(void *at)
{
    BEGIN;
    return at ? result_of(fake_release(at, -1)) : SUCCESS;
}

EXPORT int hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    (void)kind;
    BEGIN;
    return result_of(fake_copy(to, from, bytes, current, NULL, 1));
}

EXPORT int hipDeviceSynchronize(void)
{
    BEGIN;
    fake_wait(NULL);
    return SUCCESS;
}

EXPORT int hipMemGetInfo(size_t *available, size_t *all)
{
    BEGIN;
    *available = fake.bytes - fake.used[current];
    *all = fake.bytes;
    return SUCCESS;
}

static int type_of(const struct block *block)
{
    const int is_host = block->kind == PINNED || block->kind == REGISTERED;
    if (fake.is_old)
        return is_host ? 0 : 1;
    return is_host ? 1 : 2;
}

struct attributes {
    int type, device;
    void *on_device, *on_host;
    int is_managed;
    unsigned flags;
};

EXPORT int hipPointerGetAttributes(struct attributes *attributes, const void *at)
{
    BEGIN;
    struct block block;
    memset(attributes, 0, sizeof *attributes);
    if (!fake_find(at, &block))
        return fake.is_old ? keep(INVALID_VALUE) : SUCCESS;
    attributes->type = type_of(&block);
    attributes->device = block.device;
    attributes->is_managed = block.kind == MANAGED;
    return SUCCESS;
}

/* What it does not know has attributes of 0: no error. */
EXPORT int hipDrvPointerGetAttributes(unsigned count, const int *attributes, void **values,
                                      const void *at)
{
    BEGIN;
    struct block block = {.at = NULL};
    const int is_known = fake_find(at, &block);
    for (unsigned i = 0; i < count; i++)
        switch (attributes[i]) {
        case POINTER_MEMORY_TYPE:
            *(unsigned *)values[i] = is_known ? (unsigned)type_of(&block) : 0;
            break;
        case POINTER_IS_MANAGED:
            *(unsigned *)values[i] = is_known && block.kind == MANAGED;
            break;
        case POINTER_START:
            *(void **)values[i] = block.at;
            break;
        case POINTER_SIZE:
            *(size_t *)values[i] = block.bytes;
            break;
        default:
            break;
        }
    return SUCCESS;
}
