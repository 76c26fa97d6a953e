/* Where buffers lie, by the driver of an accelerator where the program has loaded one. Programs without one
   pay a branch for each message, and now and then a look whether a library has come.

   An answer holds for the whole allocation, and is asked for again after so many uses and so long a time,
   for nobody tells us what the program frees: a buffer that is freed, and whose address is then something
   else, is taken for what it was for at most REUSED messages. */
#include "recorder.h"

enum { RANGES = 64, SLOTS = 1024, REUSED = 64, PAGE_BYTES = 4096 };
/* Ticks after which an answer is asked for again; a few milliseconds. */
#define AGED ((uint64_t)1 << 24)

/* Addresses from begin to end: of an allocation, or of a page where the driver knows none. */
struct range {
    uintptr_t begin, end;
    uint64_t asked; /* when */
    uint32_t uses;
    uint8_t memory, is_allocation;
};

static struct range ranges[RANGES];
static uint8_t slots[SLOTS]; /* by address: the range in which it was found last */
static unsigned next_range;

static int has(const struct range *range, uintptr_t at, uint64_t bytes, uint64_t now)
{
    return at >= range->begin && at < range->end &&
           (!range->is_allocation || bytes <= range->end - at) && range->uses < REUSED &&
           now - range->asked < AGED;
}

static uint8_t *slot_of(uintptr_t at)
{
    return &slots[(at >> 8) * 0x9e3779b97f4a7c15u >> 54];
}

/* With the lock held: the range that has an address; NULL where the driver is to be asked. */
static struct range *known_range(uintptr_t at, uint64_t bytes, uint64_t now)
{
    uint8_t *slot = slot_of(at);
    if (has(&ranges[*slot], at, bytes, now))
        return &ranges[*slot];
    for (unsigned i = 0; i < RANGES; i++)
        if (has(&ranges[i], at, bytes, now)) {
            *slot = (uint8_t)i;
            return &ranges[i];
        }
    return NULL;
}

static void keep(const struct range *range, uintptr_t at)
{
    const unsigned place = next_range++ % RANGES;
    for (unsigned i = 0; i < RANGES; i++) /* what lay there before is gone */
        if (ranges[i].begin < range->end && ranges[i].end > range->begin)
            ranges[i].end = ranges[i].begin;
    ranges[place] = *range;
    *slot_of(at) = (uint8_t)place;
}

static struct range range_of(uintptr_t at)
{
    const struct allocation found = ask_driver(at);
    const int is_allocation = found.bytes && at - found.begin < found.bytes;
    const uintptr_t page = at & ~(uintptr_t)(PAGE_BYTES - 1);
    return (struct range){.begin = is_allocation ? found.begin : page,
                          .end = is_allocation ? found.begin + found.bytes : page + PAGE_BYTES,
                          .asked = ticks(), .memory = (uint8_t)found.memory,
                          .is_allocation = (uint8_t)is_allocation};
}

enum memory find_memory(const void *of, uint64_t bytes)
{
    const uintptr_t at = (uintptr_t)of;
    if (!has_driver() || !of)
        return NO_MEMORY;
    lock_recorder();
    struct range *known = known_range(at, bytes, ticks());
    const enum memory memory = known ? (enum memory)known->memory : NO_MEMORY;
    if (known)
        known->uses++;
    unlock_recorder();
    if (memory != NO_MEMORY)
        return memory;
    const struct range range = range_of(at);
    lock_recorder();
    keep(&range, at);
    unlock_recorder();
    return (enum memory)range.memory;
}
