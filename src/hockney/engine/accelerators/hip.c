/* AMD's accelerators by HIP, whose device is that of the calling thread. The prototypes and numbers are those of
   ROCm's hip_runtime_api.h, from version 5 on. */

#include "../accelerator.h"
#include "../symbols.h"

enum { MEMCPY_DEFAULT = 4, ATTACH_GLOBAL = 1, VERSION_5 = 50000000, VERSION_6 = 60000000 };
enum { ATTRIBUTE_MANAGED_MEMORY = 24, NO_DEVICE = 100 };
/* Values of enum hipMemoryType; version 6 made place for memory that it does not know, 0. */
enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_MANAGED = 3, TYPE_HOST_BEFORE_6 = 0, TYPE_DEVICE_BEFORE_6 = 1 };

/* The same in all versions but for the numbers of the types. */
struct pointer_attributes {
    int type, device;
    void *on_device, *on_host;
    int is_managed;
    unsigned flags;
};

static struct {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*count)(int *count);
    int (*name)(char *name, int room, int device);
    int (*uuid)(unsigned char *uuid, int device);
    int (*pci)(char *id, int room, int device);
    int (*bytes)(size_t *bytes, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*can_access)(int *can, int device, int other);
    int (*set_device)(int device);
    int (*allocate)(void **at, size_t bytes);
    int (*release)(void *at);
    int (*allocate_managed)(void **at, size_t bytes, unsigned flags);
    int (*allocate_host)(void **at, size_t bytes, unsigned flags);
    int (*release_host)(void *at);
    int (*copy)(void *to, const void *from, size_t bytes, int kind);
    int (*synchronize)(void);
    int (*memory_info)(size_t *available, size_t *all);
    int (*pointer)(struct pointer_attributes *attributes, const void *at);
    int (*last_error)(void);
    const char *(*error_text)(int code);
} hip;
static int version;

static const struct symbol symbols[] = {
    {"hipInit", &hip.init, 0},
    {"hipRuntimeGetVersion", &hip.version, 0},
    {"hipGetDeviceCount", &hip.count, 0},
    {"hipDeviceGetName", &hip.name, 0},
    {"hipDeviceGetUuid", &hip.uuid, 1},
    {"hipDeviceGetPCIBusId", &hip.pci, 0},
    {"hipDeviceTotalMem", &hip.bytes, 0},
    {"hipDeviceGetAttribute", &hip.attribute, 0},
    {"hipDeviceCanAccessPeer", &hip.can_access, 0},
    {"hipSetDevice", &hip.set_device, 0},
    {"hipMalloc", &hip.allocate, 0},
    {"hipFree", &hip.release, 0},
    {"hipMallocManaged", &hip.allocate_managed, 0},
    {"hipHostMalloc", &hip.allocate_host, 0},
    {"hipHostFree", &hip.release_host, 0},
    {"hipMemcpy", &hip.copy, 0},
    {"hipDeviceSynchronize", &hip.synchronize, 0},
    {"hipMemGetInfo", &hip.memory_info, 0},
    {"hipPointerGetAttributes", &hip.pointer, 0},
    {"hipGetLastError", &hip.last_error, 0},
    {"hipGetErrorString", &hip.error_text, 0},
};

/* NULL, or what the library says of a code. */
static const char *said(int code, const char *call)
{
    static char words[256];
    if (code == 0)
        return NULL;
    snprintf(words, sizeof words, "%s: %s (%d)", call, hip.error_text(code), code);
    return words;
}

/* The unversioned name comes with the packages of developers only. */
static const char *open_library(int *count)
{
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                        "libamdhip64.so"};
    static char words[128];
    void *library = NULL;
    size_t i = 0;
    while (i < sizeof names / sizeof names[0] && !(library = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL)))
        i++;
    if (library == NULL)
        return "no libamdhip64.so";
    const char *wrong = load_symbols(library, names[i], symbols, sizeof symbols / sizeof symbols[0]);
    if (wrong != NULL)
        return wrong;
    const int begun = hip.init(0);
    if (begun == NO_DEVICE)
        return "no device";
    wrong = said(begun, "hipInit");
    if (wrong == NULL)
        wrong = said(hip.version(&version), "hipRuntimeGetVersion");
    if (wrong == NULL && version < VERSION_5) {
        snprintf(words, sizeof words, "HIP %d.%d, 5.0 is needed", version / 10000000,
                 version % 10000000 / 100000);
        return words;
    }
    if (wrong == NULL)
        wrong = said(hip.count(count), "hipGetDeviceCount");
    return wrong != NULL ? wrong : *count < 1 ? "no device" : NULL;
}

static void version_of(char *text, size_t room)
{
    snprintf(text, room, "%d.%d", version / 10000000, version % 10000000 / 100000);
}

static const char *describe(int number, struct device *device)
{
    size_t bytes = 0;
    *device = (struct device){.managed = -1};
    const char *wrong = said(hip.name(device->name, sizeof device->name, number), "hipDeviceGetName");
    if (wrong == NULL)
        wrong = said(hip.pci(device->pci, sizeof device->pci, number), "hipDeviceGetPCIBusId");
    if (wrong == NULL)
        wrong = said(hip.bytes(&bytes, number), "hipDeviceTotalMem");
    if (wrong == NULL)
        wrong = said(hip.attribute(&device->managed, ATTRIBUTE_MANAGED_MEMORY, number),
                     "hipDeviceGetAttribute");
    /* Not all devices have one. */
    if (wrong == NULL && (hip.uuid == NULL || hip.uuid(device->uuid, number) != 0))
        memset(device->uuid, 0, sizeof device->uuid);
    device->bytes = (double)bytes;
    return wrong;
}

static const char *peer_access(int number, int other, int *is_possible)
{
    return said(hip.can_access(is_possible, number, other), "hipDeviceCanAccessPeer");
}

/* The context is made by the first call that needs one: this. */
static const char *enter(int number)
{
    const char *wrong = said(hip.set_device(number), "hipSetDevice");
    return wrong != NULL ? wrong : said(hip.release(NULL), "hipFree");
}

static const char *allocate_memory(enum memory memory, size_t bytes, void **at)
{
    if (memory == MEMORY_PINNED)
        return said(hip.allocate_host(at, bytes, 0), "hipHostMalloc");
    return memory == MEMORY_MANAGED
               ? said(hip.allocate_managed(at, bytes, ATTACH_GLOBAL), "hipMallocManaged")
               : said(hip.allocate(at, bytes), "hipMalloc");
}

static const char *release_memory(enum memory memory, void *at)
{
    return memory == MEMORY_PINNED ? said(hip.release_host(at), "hipHostFree")
                                   : said(hip.release(at), "hipFree");
}

static const char *copy(void *to, const void *from, size_t bytes)
{
    return said(hip.copy(to, from, bytes, MEMCPY_DEFAULT), "hipMemcpy");
}

static const char *wait_for_all(void) { return said(hip.synchronize(), "hipDeviceSynchronize"); }

static const char *available(double *bytes)
{
    size_t left = 0, all = 0;
    const char *wrong = said(hip.memory_info(&left, &all), "hipMemGetInfo");
    *bytes = (double)left;
    return wrong;
}

/* Version 5 calls an address invalid where it did not allocate the memory, and keeps that as the last error of
   the thread, which others would find. */
static const char *kind_of(const void *at, enum memory *memory)
{
    struct pointer_attributes found = {.type = 0};
    const int is_new = version >= VERSION_6;
    *memory = MEMORY_HOST;
    if (hip.pointer(&found, at) != 0) {
        hip.last_error();
        return NULL;
    }
    if (found.is_managed || (is_new && found.type == TYPE_MANAGED))
        *memory = MEMORY_MANAGED;
    else if (found.type == (is_new ? TYPE_DEVICE : TYPE_DEVICE_BEFORE_6))
        *memory = MEMORY_DEVICE;
    else if (found.type == (is_new ? TYPE_HOST : TYPE_HOST_BEFORE_6))
        *memory = MEMORY_PINNED;
    return NULL;
}

static const struct accelerator accelerator_hip = {
    .name = "ROCm",
    .open = open_library,
    .version = version_of,
    .describe = describe,
    .peer_access = peer_access,
    .enter = enter,
    .allocate = allocate_memory,
    .release = release_memory,
    .copy = copy,
    .wait = wait_for_all,
    .available = available,
    .kind_of = kind_of,
};
ACCELERATOR(accelerator_hip);
