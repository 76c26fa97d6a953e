/* Finds the program's MPI library. Programs load it at their start, interpreters later. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"

static void *library;          /* a handle of the MPI library: found by the first thread that calls it */
static uintptr_t first_byte, bytes; /* where its code is */

struct search {
    uintptr_t of, low, high;
};

static int see_object(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    struct search *search = data;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        const uintptr_t start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        low = start < low ? start : low;
        high = start + object->dlpi_phdr[i].p_memsz > high ? start + object->dlpi_phdr[i].p_memsz : high;
    }
    if (search->of < low || search->of >= high)
        return 0;
    search->low = low;
    search->high = high;
    return 1;
}

/* The first object but our own that has the library's functions. */
static int see_name(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    if (!object->dlpi_name || !strstr(object->dlpi_name, "mpi"))
        return 0;
    void *handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return 0;
    Dl_info own, found;
    void *symbol = dlsym(handle, "PMPI_Init_thread");
    if (symbol && dladdr(&library, &own) && dladdr(symbol, &found) &&
        own.dli_fbase != found.dli_fbase) {
        *(void **)data = handle;
        return 1;
    }
    dlclose(handle);
    return 0;
}

static void find_library(void)
{
    if (library)
        return;
    void *symbol = dlsym(RTLD_NEXT, "PMPI_Init_thread");
    if (symbol) {
        library = RTLD_NEXT;
    } else {
        dl_iterate_phdr(see_name, &library);
        symbol = library ? dlsym(library, "PMPI_Init_thread") : NULL;
    }
    struct search search = {.of = (uintptr_t)symbol};
    if (symbol && dl_iterate_phdr(see_object, &search)) {
        first_byte = search.low;
        bytes = search.high - search.low;
    }
}

void *find_real(const char *name)
{
    find_library();
    return library ? dlsym(library, name) : NULL;
}

static void *needed(const char *name)
{
    void *found = find_real(name);
    if (!found) {
        fprintf(stderr, "hockney: the program calls %s, which its MPI library does not have\n", name);
        abort();
    }
    return found;
}

any_function *real_of(const char *name)
{
    void *found = needed(name);
    any_function *function;
    memcpy(&function, &found, sizeof function);
    return function;
}

/* The library calls itself through the names that programs call, too. */
int is_from_library(const void *caller)
{
    return (uintptr_t)caller - first_byte < bytes;
}

/* Where handles are addresses of the library's own data, naming one would bind us to that library. */
#if defined(OPEN_MPI)
static void *data_of(const char *name)
{
    /* A program may have a copy of the library's data, which is then that of all. */
    void *known = dlsym(RTLD_DEFAULT, name);
    return known ? known : needed(name);
}
#define HANDLE_OF(FUNCTION, TYPE, NAME, SYMBOL)                                                    \
    TYPE FUNCTION(void)                                                                            \
    {                                                                                              \
        static _Atomic(TYPE) known;                                                                \
        TYPE found = atomic_load_explicit(&known, memory_order_relaxed);                           \
        if (!found)                                                                                \
            atomic_store_explicit(&known, found = (TYPE)data_of(SYMBOL), memory_order_relaxed);    \
        return found;                                                                              \
    }
#else
#define HANDLE_OF(FUNCTION, TYPE, NAME, SYMBOL)                                                    \
    TYPE FUNCTION(void)                                                                            \
    {                                                                                              \
        return NAME;                                                                               \
    }
#endif

HANDLE_OF(world, MPI_Comm, MPI_COMM_WORLD, "ompi_mpi_comm_world")
HANDLE_OF(byte_type, MPI_Datatype, MPI_BYTE, "ompi_mpi_byte")
HANDLE_OF(null_type, MPI_Datatype, MPI_DATATYPE_NULL, "ompi_mpi_datatype_null")
HANDLE_OF(message_of_nobody, MPI_Message, MPI_MESSAGE_NO_PROC, "ompi_message_no_proc")
