/* A libze_loader.so.1 without a device: what hockney's engine asks oneAPI Level Zero for. fake.h has its modes;
   HOCKNEY_FAKE_LEVEL_ZERO names them. Its first device is a processor, which is none of the accelerators. */
#include "fake.h"

#include <stdio.h>
#include <string.h>

/* Numbers and structures of ze_api.h, as far as they are used. */
enum {
    SUCCESS = 0,
    DEVICE_LOST = 0x70000001,
    OUT_OF_DEVICE_MEMORY = 0x70000003,
    UNINITIALIZED = 0x78000001,
    UNSUPPORTED_FEATURE = 0x78000003,
    INVALID_ARGUMENT = 0x78000004,
    INVALID_NULL_HANDLE = 0x78000005,
    UNSUPPORTED_SIZE = 0x78000009,
};
enum { TYPE_GPU = 1, TYPE_CPU = 2, MODE_SYNCHRONOUS = 1 };
enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2, MEMORY_SHARED = 3 };

struct head {
    int structure;
    const void *next;
};

struct device_properties {
    struct head head;
    int type;
    uint32_t vendor, device, flags, subdevice, clock_rate;
    uint64_t most_bytes;
    uint32_t contexts, priorities, threads, width, units, slices, groups;
    uint64_t timer;
    uint32_t timestamp_bits, kernel_timestamp_bits;
    unsigned char uuid[16];
    char name[256];
};

struct memory_properties {
    struct head head;
    uint32_t flags, clock_rate, width;
    uint64_t bytes;
    char name[256];
};

struct access_properties {
    struct head head;
    uint32_t host, device, shared, shared_by_several, system;
};

struct pci_properties {
    struct head head;
    uint32_t domain, bus, device, function;
    int32_t generation, lanes;
    int64_t rate;
};

struct queue_wish {
    struct head head;
    uint32_t ordinal, index, flags;
    int mode, priority;
};

struct allocation_properties {
    struct head head;
    int type;
    uint64_t id, page_bytes;
};

/* Number -1 is the processor. */
struct device {
    int number;
};
struct list {
    int device, is_synchronous;
};
static struct device devices[MOST_DEVICES + 1];
static struct list lists[MOST_DEVICES];
static int driver, context, is_ready;

static int result_of(enum fake_outcome outcome)
{
    static const int numbers[] = {[FINE] = SUCCESS, [NO_MEMORY] = OUT_OF_DEVICE_MEMORY,
                                  [REFUSED] = UNSUPPORTED_FEATURE, [UNKNOWN_ADDRESS] = INVALID_ARGUMENT};
    return numbers[outcome];
}

#define BEGIN                                                                                      \
    do {                                                                                           \
        if (!is_ready)                                                                             \
            return UNINITIALIZED;                                                                  \
        if (fake_is_gone())                                                                        \
            return DEVICE_LOST;                                                                    \
    } while (0)
#define BEGIN_WITH(handle)                                                                         \
    BEGIN;                                                                                         \
    if (!(handle))                                                                                 \
    return INVALID_NULL_HANDLE
#define BEGIN_FOR(wish, number)                                                                    \
    if (!(wish) || ((const struct head *)(wish))->structure != (number))                           \
    return INVALID_ARGUMENT

EXPORT int zeInit(uint32_t flags)
{
    (void)flags;
    fake_begin("HOCKNEY_FAKE_LEVEL_ZERO");
    if (!fake.devices)
        return UNINITIALIZED;
    for (int i = 0; i <= fake.devices; i++)
        devices[i].number = i - 1;
    is_ready = 1;
    return fake_is_gone() ? DEVICE_LOST : SUCCESS;
}

EXPORT int zeDriverGet(uint32_t *count, void **drivers)
{
    BEGIN;
    *count = 1;
    if (drivers)
        drivers[0] = &driver;
    return SUCCESS;
}

EXPORT int zeDriverGetApiVersion(void *of, uint32_t *version)
{
    BEGIN_WITH(of);
    *version = fake.is_old ? 0x10000 : 0x10009;
    return SUCCESS;
}

EXPORT int zeDeviceGet(void *of, uint32_t *count, struct device **found)
{
    BEGIN_WITH(of);
    const uint32_t all = (uint32_t)fake.devices + 1;
    *count = *count == 0 || *count > all ? all : *count;
    for (uint32_t i = 0; found && i < *count; i++)
        found[i] = &devices[i];
    return SUCCESS;
}

EXPORT int zeDeviceGetProperties(struct device *device, struct device_properties *properties)
{
    BEGIN_WITH(device);
    BEGIN_FOR(properties, 0x3);
    properties->type = device->number < 0 ? TYPE_CPU : TYPE_GPU;
    memset(properties->uuid, 0xfc, sizeof properties->uuid);
    properties->uuid[15] = (unsigned char)device->number;
    snprintf(properties->name, sizeof properties->name, "Fake Max %d", device->number);
    return SUCCESS;
}

/* In two parts, as some devices have several. */
EXPORT int zeDeviceGetMemoryProperties(struct device *device, uint32_t *count,
                                       struct memory_properties *properties)
{
    BEGIN_WITH(device);
    *count = *count == 0 || *count > 2 ? 2 : *count;
    for (uint32_t i = 0; properties && i < *count; i++) {
        BEGIN_FOR(&properties[i], 0x7);
        properties[i].bytes = i ? fake.bytes - fake.bytes / 2 : fake.bytes / 2;
    }
    return SUCCESS;
}

EXPORT int zeDeviceGetMemoryAccessProperties(struct device *device, struct access_properties *access)
{
    BEGIN_WITH(device);
    BEGIN_FOR(access, 0x8);
    access->host = access->device = 1;
    access->shared = fake.has_managed ? 1 : 0;
    return SUCCESS;
}

EXPORT int zeDevicePciGetPropertiesExt(struct device *device, struct pci_properties *pci)
{
    BEGIN_WITH(device);
    BEGIN_FOR(pci, 0x10008);
    if (device->number < 0)
        return UNSUPPORTED_FEATURE;
    sscanf(fake.pci[device->number], "%x:%x:%x.%x", &pci->domain, &pci->bus, &pci->device,
           &pci->function);
    return SUCCESS;
}

EXPORT int zeDeviceCanAccessPeer(struct device *device, struct device *other, unsigned char *can)
{
    BEGIN_WITH(device);
    *can = device != other && fake.has_peers;
    return SUCCESS;
}

EXPORT int zeContextCreate(void *of, const struct head *wish, void **made)
{
    BEGIN_WITH(of);
    BEGIN_FOR(wish, 0xd);
    *made = &context;
    return SUCCESS;
}

EXPORT int zeCommandListCreateImmediate(void *in, struct device *device, const struct queue_wish *wish,
                                        struct list **made)
{
    BEGIN_WITH(in);
    BEGIN_FOR(wish, 0xe);
    *made = &lists[device->number];
    **made = (struct list){device->number, wish->mode == MODE_SYNCHRONOUS};
    return SUCCESS;
}

EXPORT int zeMemAllocDevice(void *in, const struct head *wish, size_t bytes, size_t alignment,
                            struct device *device, void **at)
{
    (void)alignment;
    BEGIN_WITH(in);
    BEGIN_FOR(wish, 0x15);
    return result_of(fake_allocate(ON_DEVICE, device->number, bytes, at));
}

EXPORT int zeMemAllocHost(void *in, const struct head *wish, size_t bytes, size_t alignment, void **at)
{
    (void)alignment;
    BEGIN_WITH(in);
    BEGIN_FOR(wish, 0x16);
    return result_of(fake_allocate(PINNED, 0, bytes, at));
}

EXPORT int zeMemAllocShared(void *in, const struct head *wish, const struct head *host_wish,
                            size_t bytes, size_t alignment, struct device *device, void **at)
{
    (void)alignment;
    BEGIN_WITH(in);
    BEGIN_FOR(wish, 0x15);
    BEGIN_FOR(host_wish, 0x16);
    return result_of(fake_allocate(MANAGED, device->number, bytes, at));
}

EXPORT int zeMemFree(void *in, void *at)
{
    BEGIN_WITH(in);
    return result_of(fake_release(at, -1));
}

EXPORT int zeMemGetAllocProperties(void *in, const void *at, struct allocation_properties *properties,
                                   struct device **device)
{
    BEGIN_WITH(in);
    BEGIN_FOR(properties, 0x17);
    struct block block;
    const int is_known = fake_find(at, &block);
    properties->type = !is_known                  ? 0
                       : block.kind == ON_DEVICE ? MEMORY_DEVICE
                       : block.kind == MANAGED   ? MEMORY_SHARED
                                                  : MEMORY_HOST;
    if (device)
        *device = is_known && block.kind != PINNED ? &devices[block.device + 1] : NULL;
    return SUCCESS;
}

EXPORT int zeMemGetAddressRange(void *in, const void *at, void **begin, size_t *bytes)
{
    BEGIN_WITH(in);
    struct block block = {.at = NULL};
    const int is_known = fake_find(at, &block);
    if (begin)
        *begin = block.at;
    if (bytes)
        *bytes = block.bytes;
    return is_known ? SUCCESS : INVALID_ARGUMENT;
}

EXPORT int zeCommandListAppendMemoryCopy(struct list *list, void *to, const void *from, size_t bytes,
                                         void *signal, uint32_t waits, void *const *wait_for)
{
    (void)signal, (void)waits, (void)wait_for;
    BEGIN_WITH(list);
    const enum fake_outcome outcome = fake_copy(to, from, bytes, list->device, NULL, list->is_synchronous);
    if (list->is_synchronous)
        fake_wait(NULL);
    return result_of(outcome);
}
