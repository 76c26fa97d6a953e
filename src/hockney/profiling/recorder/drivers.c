/* Drivers of accelerators, among the libraries that the program has loaded: nothing is loaded here. Each is
   asked what memory an address is. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "recorder.h"

enum { LIBRARY_BYTES = 4096 };

/* CUDA and HIP number attributes alike (CU_POINTER_ATTRIBUTE_*, HIP_POINTER_ATTRIBUTE_*), and say 0 of what
   they do not know. */
enum { MEMORY_TYPE = 2, IS_MANAGED = 8, RANGE_START = 11, RANGE_SIZE = 12 };
/* Of memory on a device: CU_MEMORYTYPE_DEVICE and hipMemoryTypeDevice. */
enum { DEVICE_TYPE = 2, DEVICE_TYPE_BEFORE_HIP_6 = 1, HIP_6 = 60000000 };
static int (*attributes_of)(unsigned count, const int *attributes, void **values, uintptr_t at);
static int device_type;

static void ask_for_attributes(uintptr_t at, struct allocation *found)
{
    static const int attributes[] = {MEMORY_TYPE, IS_MANAGED, RANGE_START, RANGE_SIZE};
    unsigned type = 0, is_managed = 0;
    void *values[] = {&type, &is_managed, &found->begin, &found->bytes};
    /* Drivers before CUDA 10.2 know no ranges. */
    if (attributes_of(4, attributes, values, at) && attributes_of(2, attributes, values, at))
        return;
    if (is_managed)
        found->memory = MANAGED_MEMORY;
    else if (type == (unsigned)device_type)
        found->memory = DEVICE_MEMORY;
    else if (type || found->bytes)
        found->memory = PINNED_MEMORY;
}

/* Level Zero: ze_memory_allocation_properties_t, ze_context_desc_t. The allocations of a driver are known in
   all of its contexts, so that one of our own will do. */
enum { CONTEXT = 0xd, ALLOCATION_PROPERTIES = 0x17 };
struct allocation_properties {
    int structure;
    void *next;
    int type;
    uint64_t id, page_bytes;
};
struct context_wish {
    int structure;
    const void *next;
    uint32_t flags;
};
static struct {
    int (*drivers)(uint32_t *count, void **drivers);
    int (*context)(void *driver, const struct context_wish *wish, void **context);
    int (*properties)(void *context, const void *at, struct allocation_properties *found, void **device);
    int (*range)(void *context, const void *at, uintptr_t *begin, size_t *bytes);
} ze;

static void *context_of_ours(void)
{
    static _Atomic(void *) known;
    void *context = atomic_load(&known), *driver = NULL;
    uint32_t count = 1;
    const struct context_wish wish = {.structure = CONTEXT};
    /* Before the program initializes it there is no driver. */
    if (!context && ze.drivers(&count, &driver) == 0 && count &&
        ze.context(driver, &wish, &context) == 0)
        atomic_store(&known, context);
    return context;
}

static void ask_level_zero(uintptr_t at, struct allocation *found)
{
    static const uint8_t memories[] = {HOST_MEMORY, PINNED_MEMORY, DEVICE_MEMORY, MANAGED_MEMORY};
    struct allocation_properties properties = {.structure = ALLOCATION_PROPERTIES};
    void *context = context_of_ours();
    if (!context || ze.properties(context, (const void *)at, &properties, NULL) != 0 ||
        properties.type < 1 || properties.type >= (int)sizeof memories)
        return;
    found->memory = memories[properties.type];
    if (ze.range(context, (const void *)at, &found->begin, &found->bytes) != 0)
        found->bytes = 0;
}

/* Whether the library has a function. */
static int load(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static int begin_cuda(void *library)
{
    device_type = DEVICE_TYPE;
    return load(library, "cuPointerGetAttributes", &attributes_of);
}

static int begin_hip(void *library)
{
    int version = 0;
    int (*version_of)(int *);
    if (!load(library, "hipDrvPointerGetAttributes", &attributes_of) ||
        !load(library, "hipRuntimeGetVersion", &version_of) || version_of(&version) != 0)
        return 0;
    device_type = version < HIP_6 ? DEVICE_TYPE_BEFORE_HIP_6 : DEVICE_TYPE;
    return 1;
}

static int begin_level_zero(void *library)
{
    return load(library, "zeDriverGet", &ze.drivers) && load(library, "zeContextCreate", &ze.context) &&
           load(library, "zeMemGetAllocProperties", &ze.properties) &&
           load(library, "zeMemGetAddressRange", &ze.range);
}

struct driver {
    const char *library;
    int (*begin)(void *library);
    void (*ask)(uintptr_t at, struct allocation *found);
};
static const struct driver drivers[] = {
    {"libcuda.so", begin_cuda, ask_for_attributes},
    {"libamdhip64.so", begin_hip, ask_for_attributes},
    {"libze_loader.so", begin_level_zero, ask_level_zero},
};

atomic_int may_have_accelerator = 1;
static _Atomic(const struct driver *) asked; /* NULL: there is none */

struct search {
    unsigned long long seen; /* as many libraries as there were when we looked last */
    const struct driver *driver;
    char library[LIBRARY_BYTES];
};

/* Ends at the first object where no library has come since. */
static int see_object(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    struct search *search = data;
    if (object->dlpi_adds == search->seen)
        return 1;
    for (size_t i = 0; object->dlpi_name && i < sizeof drivers / sizeof drivers[0]; i++)
        if (strstr(object->dlpi_name, drivers[i].library) &&
            strlen(object->dlpi_name) < sizeof search->library) {
            search->driver = &drivers[i];
            strcpy(search->library, object->dlpi_name);
            return 1;
        }
    return 0;
}

static int count_libraries(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    *(unsigned long long *)data = object->dlpi_adds;
    return 1;
}

/* Without the lock: the loader has one of its own, under which a library that is loaded may call MPI. */
static void look_for_driver(void)
{
    static atomic_flag is_looking = ATOMIC_FLAG_INIT;
    static unsigned long long seen;
    if (atomic_flag_test_and_set(&is_looking))
        return;
    atomic_store(&may_have_accelerator, 0);
    struct search search = {.seen = seen, .driver = NULL};
    dl_iterate_phdr(count_libraries, &seen);
    dl_iterate_phdr(see_object, &search);
    void *library = search.driver ? dlopen(search.library, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library && search.driver->begin(library)) {
        atomic_store(&asked, search.driver);
        atomic_store(&may_have_accelerator, 1);
    } else if (library) {
        dlclose(library);
    }
    atomic_flag_clear(&is_looking);
}

int has_driver(void)
{
    if (!atomic_load(&asked))
        look_for_driver();
    return atomic_load(&asked) != NULL;
}

struct allocation ask_driver(uintptr_t at)
{
    struct allocation found = {.memory = HOST_MEMORY};
    atomic_load(&asked)->ask(at, &found);
    return found;
}
