/* A library of accelerators, opened at run time: one file for each in accelerators/. Nothing else knows
   any of them. */
#ifndef HOCKNEY_ACCELERATOR_H
#define HOCKNEY_ACCELERATOR_H

#include <stddef.h>

#include "gather.h"

/* Where message buffers lie: in memory of the host; in such that an accelerator reaches without a copy of
   its driver's; in pages that move between both; on the accelerator. */
enum memory { MEMORY_HOST, MEMORY_PINNED, MEMORY_MANAGED, MEMORY_DEVICE, MEMORIES };

/* Their names, by number; ends with NULL. */
extern const char *const memory_names[];

enum { UUID_BYTES = 16, DEVICE_NAME = 128, PCI_ID = 16 };

/* One device of a node. */
struct device {
    char name[DEVICE_NAME];
    char pci[PCI_ID];               /* "0000:3b:00.0", of describe() in any case; empty: unknown */
    unsigned char uuid[UUID_BYTES]; /* all 0: unknown */
    double bytes;                   /* of its memory */
    int managed;                    /* whether it has managed memory */
};

/* Every function that may fail returns NULL, or why it did, in words that end a sentence: "cuMemAlloc_v2:
   out of memory". Devices count from 0, as the library counts those that it may see. */
struct accelerator {
    const char *name;                /* of the interface: "CUDA" */
    const char *(*open)(int *count); /* the library, and how many devices there are, at least one */
    void (*version)(char *text, size_t room); /* of the driver: "12.4" */
    const char *(*describe)(int number, struct device *device);
    const char *(*peer_access)(int number, int other, int *is_possible);
    const char *(*enter)(int number); /* makes the device, and a context of it, those of this thread */
    const char *(*allocate)(enum memory memory, size_t bytes, void **at);
    const char *(*release)(enum memory memory, void *at);
    /* From any memory to any. Over on return from and to pinned memory; behind wait() for any other. */
    const char *(*copy)(void *to, const void *from, size_t bytes);
    const char *(*wait)(void); /* until all that was begun on the device is over */
    const char *(*available)(double *bytes); /* free memory of the device that was entered */
    const char *(*kind_of)(const void *at, enum memory *memory);
};

/* Makes a library one that may be opened. */
#define ACCELERATOR(one)                                                                           \
    static const struct accelerator *const listed_##one GATHERED(accelerators) = &(one)

#endif
