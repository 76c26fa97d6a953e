/* One accelerator by its interface: accelerator_check DEVICE [reads]. It is the only one that is linked with
   this. With "reads" the CPU reaches all memory, and looks itself for what was copied there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accelerator.h"

GATHERS(const struct accelerator *const, accelerators);

enum { BYTES = 100000, PLACE = 4096 };

static int wrong, reads;

static void expect(int is_right, const char *what)
{
    if (!is_right)
        printf("wrong: %s\n", what);
    wrong += !is_right;
}

static void succeeds(const char *why_not, const char *what)
{
    if (why_not)
        printf("%s: %s\n", what, why_not);
    wrong += why_not != NULL;
}

static void describe_all(const struct accelerator *one, int count)
{
    char version[64];
    one->version(version, sizeof version);
    printf("%s %s, %d devices\n", one->name, version, count);
    for (int i = 0; i < count; i++) {
        struct device device;
        int can = -1;
        succeeds(one->describe(i, &device), "describe");
        succeeds(one->peer_access(i, count - 1 - i, &can), "peer_access");
        printf("%s, %s, uuid %02x..%02x, %.0f bytes, managed %d, peer %d\n", device.name, device.pci,
               device.uuid[0], device.uuid[15], device.bytes, device.managed, can);
    }
}

static void *memory_of(const struct accelerator *one, enum memory memory)
{
    void *at = NULL;
    enum memory found = MEMORIES;
    if (memory == MEMORY_HOST)
        at = malloc(BYTES);
    else
        succeeds(one->allocate(memory, BYTES, &at), "allocate");
    if (!at)
        return NULL;
    succeeds(one->kind_of((char *)at + PLACE, &found), "kind_of");
    expect(found == memory, "the kind of a memory");
    return at;
}

/* From the host to one memory, from there to another, and back. */
static void copy_through(const struct accelerator *one, void *first, void *second)
{
    static unsigned char out[BYTES], in[BYTES];
    for (size_t i = 0; i < BYTES; i++)
        out[i] = (unsigned char)(rand() >> 3);
    memset(in, 0, sizeof in);
    succeeds(one->copy(first, out, BYTES), "copy");
    succeeds(one->wait(), "wait");
    if (reads)
        expect(memcmp(first, out, BYTES) == 0, "the content of a memory after a wait");
    succeeds(one->copy((char *)second + PLACE, (char *)first + PLACE, BYTES - PLACE), "copy");
    succeeds(one->wait(), "wait");
    succeeds(one->copy(in, second, BYTES), "copy");
    expect(memcmp(in + PLACE, out + PLACE, BYTES - PLACE) == 0, "the content of a memory");
}

int main(int count, char **words)
{
    const struct accelerator *one = *gathered_accelerators;
    void *at[MEMORIES], *spare = NULL;
    double before = 0.0, after = 0.0;
    int devices = 0;
    reads = count > 2;
    const char *why_not = one->open(&devices);
    expect(gathered_accelerators_end - gathered_accelerators == 1, "one accelerator");
    if (why_not) {
        printf("not opened: %s\n", why_not);
        return 1;
    }
    describe_all(one, devices);
    succeeds(one->enter(count > 1 ? atoi(words[1]) : 0), "enter");
    succeeds(one->available(&before), "available");
    for (enum memory memory = MEMORY_HOST; memory < MEMORIES; memory++)
        at[memory] = memory_of(one, memory);
    succeeds(one->available(&after), "available");
    printf("%.0f bytes taken\n", before - after);
    for (enum memory first = MEMORY_HOST; first < MEMORIES; first++)
        for (enum memory second = MEMORY_HOST; second < MEMORIES; second++)
            if (at[first] && at[second])
                copy_through(one, at[first], at[second]);
    if (at[MEMORY_DEVICE])
        printf("too much: %s\n", one->copy(at[MEMORY_DEVICE], at[MEMORY_HOST], 2 * BYTES));
    for (enum memory memory = MEMORY_PINNED; memory < MEMORIES; memory++)
        if (at[memory])
            succeeds(one->release(memory, at[memory]), "release");
    printf("too large: %s\n", one->allocate(MEMORY_DEVICE, (size_t)1 << 50, &spare));
    printf("no memory: %s\n", one->release(MEMORY_DEVICE, at[MEMORY_HOST]));
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
