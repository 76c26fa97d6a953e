/* Memory of the fake libcuda.so.1, and what is known of an address. */
#include "fake_cuda.h"

/* Numbers of cuda.h. */
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

static int allocate(enum fake_kind kind, size_t bytes, void **at)
{
    BEGIN_IN_CONTEXT;
    const enum fake_outcome outcome = fake_allocate(kind, cuda_device(), bytes, at);
    return outcome == REFUSED ? NOT_SUPPORTED : cuda_result(outcome);
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
    return at ? cuda_result(fake_release(POINTER(at), cuda_device())) : SUCCESS;
}

EXPORT int cuMemFreeHost(void *at)
{
    BEGIN_IN_CONTEXT;
    return cuda_result(fake_release(at, -1));
}

EXPORT int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags)
{
    (void)flags;
    BEGIN_IN_CONTEXT;
    return fake_register(at, bytes, cuda_device()) == FINE ? SUCCESS : ALREADY_REGISTERED;
}

EXPORT int cuMemHostUnregister(void *at)
{
    BEGIN_IN_CONTEXT;
    return cuda_result(fake_release(at, -1));
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
    *available = fake.bytes - fake.used[cuda_device()];
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
        *(void **)value = &cuda.contexts[block->device];
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
