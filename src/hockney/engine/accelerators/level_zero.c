/* Intel's accelerators by oneAPI Level Zero, with a context of our own. The prototypes, structures and numbers
   are those of ze_api.h. */
#include <stdint.h>

#include "../accelerator.h"
#include "../symbols.h"

enum { MOST_DRIVERS = 8, MOST_DEVICES = 64, NAME_BYTES = 256, GPU_ONLY = 1, DEVICE_TYPE_GPU = 1 };
enum { CAN_READ_AND_WRITE = 1, MODE_SYNCHRONOUS = 1 };
/* Kinds of structures, which their first member names. */
enum {
    DEVICE_PROPERTIES = 0x3,
    MEMORY_PROPERTIES = 0x7,
    ACCESS_PROPERTIES = 0x8,
    CONTEXT = 0xd,
    QUEUE = 0xe,
    DEVICE_ALLOCATION = 0x15,
    HOST_ALLOCATION = 0x16,
    ALLOCATION_PROPERTIES = 0x17,
    PCI_PROPERTIES = 0x10008,
};
enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_SHARED = 3 };
#define NOT_INITIALIZED 0x78000001u

struct device_properties {
    int structure;
    void *next;
    int type;
    uint32_t vendor, device, flags, subdevice, clock_rate;
    uint64_t most_bytes;
    uint32_t contexts, priorities, threads, width, units, slices, groups;
    uint64_t timer;
    uint32_t timestamp_bits, kernel_timestamp_bits;
    unsigned char uuid[UUID_BYTES];
    char name[NAME_BYTES];
};

struct memory_properties {
    int structure;
    void *next;
    uint32_t flags, clock_rate, width;
    uint64_t bytes;
    char name[NAME_BYTES];
};

struct access_properties {
    int structure;
    void *next;
    uint32_t host, device, shared, shared_by_several, system;
};

struct pci_properties {
    int structure;
    void *next;
    uint32_t domain, bus, device, function;
    int32_t generation, lanes;
    int64_t rate;
};

struct context_wish {
    int structure;
    const void *next;
    uint32_t flags;
};

struct queue_wish {
    int structure;
    const void *next;
    uint32_t ordinal, index, flags;
    int mode, priority;
};

struct device_allocation {
    int structure;
    const void *next;
    uint32_t flags, ordinal;
};

struct host_allocation {
    int structure;
    const void *next;
    uint32_t flags;
};

struct allocation_properties {
    int structure;
    void *next;
    int type;
    uint64_t id, page_bytes;
};

typedef struct driver_handle *driver_handle;
typedef struct device_handle *device_handle;
typedef struct context_handle *context_handle;
typedef struct list_handle *list_handle;

static struct {
    unsigned (*init)(uint32_t flags);
    unsigned (*drivers)(uint32_t *count, driver_handle *drivers);
    unsigned (*version)(driver_handle driver, uint32_t *version);
    unsigned (*devices)(driver_handle driver, uint32_t *count, device_handle *devices);
    unsigned (*properties)(device_handle device, struct device_properties *properties);
    unsigned (*memory)(device_handle device, uint32_t *count, struct memory_properties *properties);
    unsigned (*access)(device_handle device, struct access_properties *properties);
    unsigned (*pci)(device_handle device, struct pci_properties *properties);
    unsigned (*can_access)(device_handle device, device_handle other, unsigned char *can);
    unsigned (*context)(driver_handle driver, const struct context_wish *wish, context_handle *context);
    unsigned (*list)(context_handle context, device_handle device, const struct queue_wish *wish,
                     list_handle *list);
    unsigned (*allocate)(context_handle context, const struct device_allocation *wish, size_t bytes,
                         size_t alignment, device_handle device, void **at);
    unsigned (*allocate_host)(context_handle context, const struct host_allocation *wish, size_t bytes,
                              size_t alignment, void **at);
    unsigned (*allocate_shared)(context_handle context, const struct device_allocation *wish,
                                const struct host_allocation *host_wish, size_t bytes,
                                size_t alignment, device_handle device, void **at);
    unsigned (*release)(context_handle context, void *at);
    unsigned (*pointer)(context_handle context, const void *at, struct allocation_properties *properties,
                        device_handle *device);
    unsigned (*copy)(list_handle list, void *to, const void *from, size_t bytes, void *signal,
                     uint32_t waits, void *const *wait_for);
} ze;

static const struct symbol symbols[] = {
    {"zeInit", &ze.init, 0},
    {"zeDriverGet", &ze.drivers, 0},
    {"zeDriverGetApiVersion", &ze.version, 0},
    {"zeDeviceGet", &ze.devices, 0},
    {"zeDeviceGetProperties", &ze.properties, 0},
    {"zeDeviceGetMemoryProperties", &ze.memory, 0},
    {"zeDeviceGetMemoryAccessProperties", &ze.access, 0},
    {"zeDevicePciGetPropertiesExt", &ze.pci, 1},
    {"zeDeviceCanAccessPeer", &ze.can_access, 0},
    {"zeContextCreate", &ze.context, 0},
    {"zeCommandListCreateImmediate", &ze.list, 0},
    {"zeMemAllocDevice", &ze.allocate, 0},
    {"zeMemAllocHost", &ze.allocate_host, 0},
    {"zeMemAllocShared", &ze.allocate_shared, 0},
    {"zeMemFree", &ze.release, 0},
    {"zeMemGetAllocProperties", &ze.pointer, 0},
    {"zeCommandListAppendMemoryCopy", &ze.copy, 0},
};

/* The accelerators of all drivers, and that which was entered. */
static struct found {
    driver_handle driver;
    device_handle device;
} found[MOST_DEVICES];
static int found_count;
static struct found current;
static context_handle context;
static list_handle list;

static const char *said(unsigned code, const char *call)
{
    static const struct {
        unsigned code;
        const char *text;
    } texts[] = {
        {0x70000001u, "device lost"},
        {0x70000002u, "out of host memory"},
        {0x70000003u, "out of device memory"},
        {0x70010000u, "not permitted"},
        {NOT_INITIALIZED, "not initialized"},
        {0x78000003u, "not supported"},
        {0x78000004u, "invalid argument"},
        {0x78000009u, "unsupported size"},
    };
    static char words[256];
    const char *text = "error";
    if (code == 0)
        return NULL;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].code == code)
            text = texts[i].text;
    snprintf(words, sizeof words, "%s: %s (0x%x)", call, text, code);
    return words;
}

static const char *add_devices(driver_handle driver)
{
    device_handle devices[MOST_DEVICES];
    uint32_t count = MOST_DEVICES;
    const char *wrong = said(ze.devices(driver, &count, devices), "zeDeviceGet");
    for (uint32_t i = 0; wrong == NULL && i < count && found_count < MOST_DEVICES; i++) {
        struct device_properties properties = {.structure = DEVICE_PROPERTIES};
        wrong = said(ze.properties(devices[i], &properties), "zeDeviceGetProperties");
        if (wrong == NULL && properties.type == DEVICE_TYPE_GPU)
            found[found_count++] = (struct found){driver, devices[i]};
    }
    return wrong;
}

static const char *open_library(int *count)
{
    static const char file[] = "libze_loader.so.1";
    void *library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL)
        return "no libze_loader.so.1";
    const char *wrong = load_symbols(library, file, symbols, sizeof symbols / sizeof symbols[0]);
    if (wrong != NULL)
        return wrong;
    /* What a loader says that finds no driver, or none with a device. */
    const unsigned begun = ze.init(GPU_ONLY);
    if (begun == NOT_INITIALIZED)
        return "no device";
    driver_handle drivers[MOST_DRIVERS];
    uint32_t driver_count = MOST_DRIVERS;
    wrong = said(begun, "zeInit");
    if (wrong == NULL)
        wrong = said(ze.drivers(&driver_count, drivers), "zeDriverGet");
    for (uint32_t i = 0; wrong == NULL && i < driver_count; i++)
        wrong = add_devices(drivers[i]);
    *count = found_count;
    return wrong != NULL ? wrong : found_count < 1 ? "no device" : NULL;
}

static void version_of(char *text, size_t room)
{
    uint32_t version = 0;
    if (ze.version(found[0].driver, &version) != 0)
        version = 0;
    snprintf(text, room, "%u.%u", version >> 16, version & 0xffff);
}

/* A device may have memories of several kinds. */
static const char *bytes_of(device_handle device, double *bytes)
{
    enum { MOST = 8 };
    struct memory_properties memories[MOST];
    uint32_t count = MOST;
    for (int i = 0; i < MOST; i++)
        memories[i] = (struct memory_properties){.structure = MEMORY_PROPERTIES};
    const char *wrong = said(ze.memory(device, &count, memories), "zeDeviceGetMemoryProperties");
    *bytes = 0.0;
    for (uint32_t i = 0; wrong == NULL && i < count && i < MOST; i++)
        *bytes += (double)memories[i].bytes;
    return wrong;
}

static const char *describe(int number, struct device *device)
{
    const device_handle handle = found[number].device;
    struct device_properties properties = {.structure = DEVICE_PROPERTIES};
    struct access_properties access = {.structure = ACCESS_PROPERTIES};
    struct pci_properties pci = {.structure = PCI_PROPERTIES};
    *device = (struct device){.managed = -1};
    const char *wrong = said(ze.properties(handle, &properties), "zeDeviceGetProperties");
    if (wrong == NULL)
        wrong = said(ze.access(handle, &access), "zeDeviceGetMemoryAccessProperties");
    if (wrong == NULL)
        wrong = bytes_of(handle, &device->bytes);
    if (wrong != NULL)
        return wrong;
    snprintf(device->name, sizeof device->name, "%.*s", DEVICE_NAME - 1, properties.name);
    memcpy(device->uuid, properties.uuid, sizeof device->uuid);
    device->managed = (access.shared & CAN_READ_AND_WRITE) != 0;
    /* Loaders before 1.3 do not have it. */
    if (ze.pci != NULL && ze.pci(handle, &pci) == 0)
        snprintf(device->pci, sizeof device->pci, "%04x:%02x:%02x.%x", pci.domain & 0xffff,
                 pci.bus & 0xff, pci.device & 0xff, pci.function & 0xf);
    return NULL;
}

static const char *peer_access(int number, int other, int *is_possible)
{
    unsigned char can = 0;
    const char *wrong = said(ze.can_access(found[number].device, found[other].device, &can),
                             "zeDeviceCanAccessPeer");
    *is_possible = can;
    return wrong;
}

static const char *enter(int number)
{
    const struct context_wish wish = {.structure = CONTEXT};
    const struct queue_wish queue = {.structure = QUEUE, .mode = MODE_SYNCHRONOUS};
    current = found[number];
    const char *wrong = said(ze.context(current.driver, &wish, &context), "zeContextCreate");
    return wrong != NULL ? wrong
                         : said(ze.list(context, current.device, &queue, &list),
                                "zeCommandListCreateImmediate");
}

static const char *allocate_memory(enum memory memory, size_t bytes, void **at)
{
    const struct device_allocation wish = {.structure = DEVICE_ALLOCATION};
    const struct host_allocation host_wish = {.structure = HOST_ALLOCATION};
    switch (memory) {
    case MEMORY_PINNED:
        return said(ze.allocate_host(context, &host_wish, bytes, 0, at), "zeMemAllocHost");
    case MEMORY_MANAGED:
        return said(ze.allocate_shared(context, &wish, &host_wish, bytes, 0, current.device, at),
                    "zeMemAllocShared");
    default:
        return said(ze.allocate(context, &wish, bytes, 0, current.device, at), "zeMemAllocDevice");
    }
}

static const char *release_memory(enum memory memory, void *at)
{
    (void)memory;
    return said(ze.release(context, at), "zeMemFree");
}

/* The list is synchronous: over on return. */
static const char *copy(void *to, const void *from, size_t bytes)
{
    return said(ze.copy(list, to, from, bytes, NULL, 0, NULL), "zeCommandListAppendMemoryCopy");
}

/* Nothing is begun here that is not over, and what others begin has lists of their own. */
static const char *wait_for_all(void) { return NULL; }

/* The interface says how much there is, not how much is free. */
static const char *available(double *bytes) { return bytes_of(current.device, bytes); }

/* Before a device is entered nothing was allocated. */
static const char *kind_of(const void *at, enum memory *memory)
{
    struct allocation_properties properties = {.structure = ALLOCATION_PROPERTIES};
    device_handle device = NULL;
    *memory = MEMORY_HOST;
    if (context == NULL)
        return NULL;
    const char *wrong = said(ze.pointer(context, at, &properties, &device), "zeMemGetAllocProperties");
    if (wrong == NULL && properties.type != 0)
        *memory = properties.type == TYPE_DEVICE   ? MEMORY_DEVICE
                  : properties.type == TYPE_SHARED ? MEMORY_MANAGED
                                                   : MEMORY_PINNED;
    return wrong;
}

static const struct accelerator accelerator_level_zero = {
    .name = "Level Zero",
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
ACCELERATOR(accelerator_level_zero);
