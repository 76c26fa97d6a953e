/* What the fakes of accelerators' libraries share: devices that are none, and their memory. One of
   fake_cuda*.c, fake_hip.c and fake_level_zero.c is built with fake.c into a library of the real one's name.

   HOCKNEY_FAKE_CUDA, _HIP or _LEVEL_ZERO has words, separated by commas:
     plain          memory of a device is host memory, which anybody reaches (without another word)
     strict         its address is closed to the CPU (PROT_NONE); copies reach it by a second mapping
     async          copies and fills towards a device happen when they are waited for, and not before
     wrong-device   memory of one device is refused where another is the current one
     none           there is no device
     no-managed     managed memory is refused
     no-peer        no device reaches the memory of another
     no-ipc         memory is not shared with other processes (ipc: it is, as without another word)
     old            the driver is an old one
     memory=BYTES   so much is there on each device
     gone=CALLS     after so many calls the devices are lost
   HOCKNEY_FAKE_DEVICES has the PCI ids of the devices, separated by commas. */
#ifndef HOCKNEY_FAKE_H
#define HOCKNEY_FAKE_H

#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

enum { MOST_DEVICES = 16, PCI_ROOM = 16 };

struct fake {
    int is_strict, is_async, refuses_other_devices, has_managed, has_peers, has_ipc, is_old;
    long calls_left; /* -1: no end */
    size_t bytes;    /* of each device's memory */
    int devices;
    char pci[MOST_DEVICES][PCI_ROOM];
    size_t used[MOST_DEVICES];
};
extern struct fake fake;

/* Reads the environment once: the variable with the mode, and that with the devices. */
void fake_begin(const char *variable);
/* Counts a call; whether the devices are lost. */
int fake_is_gone(void);

enum fake_kind { ON_DEVICE, PINNED, MANAGED, REGISTERED };

struct block {
    char *at, *shadow; /* where it seems to be, and where copies find it */
    size_t bytes;      /* as asked for */
    int device, file;  /* file: -1 where it has none */
    enum fake_kind kind;
    int is_foreign;    /* another process's */
};

enum fake_outcome { FINE, NO_MEMORY, REFUSED, UNKNOWN_ADDRESS };

enum fake_outcome fake_allocate(enum fake_kind kind, int device, size_t bytes, void **at);
enum fake_outcome fake_register(void *at, size_t bytes, int device);
/* `device` is the current one, or -1 where that does not matter. Waits for everything. */
enum fake_outcome fake_release(void *at, int device);
/* The block that has an address; 0 where there is none. */
int fake_find(const void *at, struct block *found);

/* A copy of any memory to any, begun on a stream; NULL is the one that waits for all. Where `is_whole`,
   the host's side is done when it returns. */
enum fake_outcome fake_copy(void *to, const void *from, size_t bytes, int device, const void *stream,
                            int is_whole);
enum fake_outcome fake_fill(void *to, int value, size_t bytes, int device, const void *stream,
                            int is_whole);
/* What a stream has begun is over; NULL: everything. */
void fake_wait(const void *stream);
/* Whether something that it has begun is not over. */
int fake_is_busy(const void *stream);

/* What another process needs to reach a block. */
struct ticket {
    int32_t pid, file, device, unused;
    uint64_t bytes, offset;
};
enum fake_outcome fake_share(void *at, struct ticket *ticket);
enum fake_outcome fake_open_shared(const struct ticket *ticket, void **at);

#endif
