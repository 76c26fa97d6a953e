/* CUDA by its driver interface, with the device's primary context, which users of the runtime share. The
   prototypes and numbers are those of NVIDIA's cuda.h. */

#include "../accelerator.h"
#include "../symbols.h"

typedef unsigned long long device_address;

enum { PORTABLE = 1, ATTACH_GLOBAL = 1, LEAST_DRIVER = 11000 };
enum { ATTRIBUTE_MANAGED_MEMORY = 83 };
enum { POINTER_MEMORY_TYPE = 2, POINTER_IS_MANAGED = 8, MEMORY_TYPE_HOST = 1 };

static struct {
    int (*init)(unsigned flags);
    int (*driver_version)(int *version);
    int (*count)(int *count);
    int (*device)(int *device, int number);
    int (*name)(char *name, int room, int device);
    int (*uuid)(unsigned char *uuid, int device);
    int (*pci)(char *id, int room, int device);
    int (*bytes)(size_t *bytes, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*can_access)(int *can, int device, int other);
    int (*retain)(void **context, int device);
    int (*set_current)(void *context);
    int (*allocate)(device_address *at, size_t bytes);
    int (*release)(device_address at);
    int (*allocate_managed)(device_address *at, size_t bytes, unsigned flags);
    int (*allocate_host)(void **at, size_t bytes, unsigned flags);
    int (*release_host)(void *at);
    int (*copy)(device_address to, device_address from, size_t bytes);
    int (*synchronize)(void);
    int (*memory_info)(size_t *available, size_t *all);
    int (*pointer_attribute)(void *value, int attribute, device_address at);
    int (*error_text)(int code, const char **text);
} cuda;

static const struct symbol symbols[] = {
    {"cuInit", &cuda.init, 0},
    {"cuDriverGetVersion", &cuda.driver_version, 0},
    {"cuDeviceGetCount", &cuda.count, 0},
    {"cuDeviceGet", &cuda.device, 0},
    {"cuDeviceGetName", &cuda.name, 0},
    {"cuDeviceGetUuid", &cuda.uuid, 0},
    {"cuDeviceGetPCIBusId", &cuda.pci, 0},
    {"cuDeviceTotalMem_v2", &cuda.bytes, 0},
    {"cuDeviceGetAttribute", &cuda.attribute, 0},
    {"cuDeviceCanAccessPeer", &cuda.can_access, 0},
    {"cuDevicePrimaryCtxRetain", &cuda.retain, 0},
    {"cuCtxSetCurrent", &cuda.set_current, 0},
    {"cuMemAlloc_v2", &cuda.allocate, 0},
    {"cuMemFree_v2", &cuda.release, 0},
    {"cuMemAllocManaged", &cuda.allocate_managed, 0},
    {"cuMemHostAlloc", &cuda.allocate_host, 0},
    {"cuMemFreeHost", &cuda.release_host, 0},
    {"cuMemcpy", &cuda.copy, 0},
    {"cuCtxSynchronize", &cuda.synchronize, 0},
    {"cuMemGetInfo_v2", &cuda.memory_info, 0},
    {"cuPointerGetAttribute", &cuda.pointer_attribute, 0},
    {"cuGetErrorString", &cuda.error_text, 0},
};

/* NULL, or what the driver says of a code. */
static const char *said(int code, const char *call)
{
    static char words[256];
    const char *text = NULL;
    if (code == 0)
        return NULL;
    if (cuda.error_text == NULL || cuda.error_text(code, &text) != 0 || text == NULL)
        text = "unknown error";
    snprintf(words, sizeof words, "%s: %s (%d)", call, text, code);
    return words;
}

static const char *open_library(int *count)
{
    static const char file[] = "libcuda.so.1";
    static char words[128];
    void *const library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    int version = 0;
    if (library == NULL)
        return "no libcuda.so.1";
    const char *wrong = load_symbols(library, file, symbols, sizeof symbols / sizeof symbols[0]);
    if (wrong == NULL)
        wrong = said(cuda.init(0), "cuInit");
    if (wrong == NULL)
        wrong = said(cuda.driver_version(&version), "cuDriverGetVersion");
    if (wrong == NULL && version < LEAST_DRIVER) {
        snprintf(words, sizeof words, "the driver is for CUDA %d.%d, %d.0 is needed", version / 1000,
                 version % 1000 / 10, LEAST_DRIVER / 1000);
        return words;
    }
    if (wrong == NULL)
        wrong = said(cuda.count(count), "cuDeviceGetCount");
    return wrong != NULL ? wrong : *count < 1 ? "no device" : NULL;
}

static void version_of(char *text, size_t room)
{
    int version = 0;
    if (cuda.driver_version(&version) != 0)
        version = 0;
    snprintf(text, room, "%d.%d", version / 1000, version % 1000 / 10);
}

static const char *describe(int number, struct device *device)
{
    int id, managed = 0;
    size_t bytes = 0;
    *device = (struct device){0};
    const char *wrong = said(cuda.device(&id, number), "cuDeviceGet");
    if (wrong == NULL)
        wrong = said(cuda.name(device->name, sizeof device->name, id), "cuDeviceGetName");
    if (wrong == NULL)
        wrong = said(cuda.pci(device->pci, sizeof device->pci, id), "cuDeviceGetPCIBusId");
    if (wrong == NULL)
        wrong = said(cuda.uuid(device->uuid, id), "cuDeviceGetUuid");
    if (wrong == NULL)
        wrong = said(cuda.bytes(&bytes, id), "cuDeviceTotalMem_v2");
    if (wrong == NULL)
        wrong = said(cuda.attribute(&managed, ATTRIBUTE_MANAGED_MEMORY, id), "cuDeviceGetAttribute");
    device->bytes = (double)bytes;
    device->managed = managed;
    return wrong;
}

static const char *peer_access(int number, int other, int *is_possible)
{
    int from, to;
    const char *wrong = said(cuda.device(&from, number), "cuDeviceGet");
    if (wrong == NULL)
        wrong = said(cuda.device(&to, other), "cuDeviceGet");
    return wrong != NULL ? wrong : said(cuda.can_access(is_possible, from, to), "cuDeviceCanAccessPeer");
}

static const char *enter(int number)
{
    int id;
    void *context = NULL;
    const char *wrong = said(cuda.device(&id, number), "cuDeviceGet");
    if (wrong == NULL)
        wrong = said(cuda.retain(&context, id), "cuDevicePrimaryCtxRetain");
    return wrong != NULL ? wrong : said(cuda.set_current(context), "cuCtxSetCurrent");
}

static const char *allocate_memory(enum memory memory, size_t bytes, void **at)
{
    device_address address = 0;
    if (memory == MEMORY_PINNED)
        return said(cuda.allocate_host(at, bytes, PORTABLE), "cuMemHostAlloc");
    const char *wrong =
        memory == MEMORY_MANAGED
            ? said(cuda.allocate_managed(&address, bytes, ATTACH_GLOBAL), "cuMemAllocManaged")
            : said(cuda.allocate(&address, bytes), "cuMemAlloc_v2");
    *at = (void *)(size_t)address;
    return wrong;
}

static const char *release_memory(enum memory memory, void *at)
{
    return memory == MEMORY_PINNED ? said(cuda.release_host(at), "cuMemFreeHost")
                                   : said(cuda.release((size_t)at), "cuMemFree_v2");
}

static const char *copy(void *to, const void *from, size_t bytes)
{
    return said(cuda.copy((size_t)to, (size_t)from, bytes), "cuMemcpy");
}

static const char *wait_for_all(void) { return said(cuda.synchronize(), "cuCtxSynchronize"); }

static const char *available(double *bytes)
{
    size_t left = 0, all = 0;
    const char *wrong = said(cuda.memory_info(&left, &all), "cuMemGetInfo_v2");
    *bytes = (double)left;
    return wrong;
}

/* The driver does not know memory that it did not allocate: that is the host's. */
static const char *kind_of(const void *at, enum memory *memory)
{
    unsigned type = 0, managed = 0;
    *memory = MEMORY_HOST;
    if (cuda.pointer_attribute(&type, POINTER_MEMORY_TYPE, (size_t)at) != 0)
        return NULL;
    const char *wrong = said(cuda.pointer_attribute(&managed, POINTER_IS_MANAGED, (size_t)at),
                             "cuPointerGetAttribute");
    *memory = managed ? MEMORY_MANAGED : type == MEMORY_TYPE_HOST ? MEMORY_PINNED : MEMORY_DEVICE;
    return wrong;
}

static const struct accelerator accelerator_cuda = {
    .name = "CUDA",
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
ACCELERATOR(accelerator_cuda);
