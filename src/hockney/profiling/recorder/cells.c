/* The table of calls: as many cells as a file has, in the order in which they were first used, so that
   few pages of the file are written, each of which costs microseconds. Their keys are found by a table of
   our own. What is new when there are few cells left goes into coarser ones, and at last into the sum of
   lost calls. */
#include <string.h>

#include "recorder.h"

enum { COARSE_FROM = CELLS / 4 * 3, COARSER_FROM = CELLS / 8 * 7, FULL = CELLS - CELLS / 64 };
/* Calls after which the clocks are compared again. Before, it is done after each power of two, so that
   times are known of a rank that is killed early. */
enum { COMPARED_EVERY = 1024, LONG_TICKS = 1 << 24 };
#define NO_CELL UINT32_MAX
enum { PLACES = 2 * CELLS };

static uint16_t places[PLACES]; /* by key: the number of its cell, from 1 on; 0 where there is none */
static uint32_t cells;          /* in use; that of the file may have been overwritten by the program */
static uint16_t region; /* the current one */
static uint16_t regions[16];
static int regions_entered;
static unsigned calls_seen;
uint32_t keys;

uint16_t add_name(struct call *call)
{
    lock_recorder();
    struct header *header = &recorded->header;
    uint16_t found = 0;
    while (found < header->names && strcmp(recorded->names[found], call->name) != 0)
        found++;
    if (found == header->names && found < NAMES) {
        copy_text(recorded->names[found], call->name, NAME_BYTES);
        header->names++;
    }
    unlock_recorder();
    atomic_store_explicit(&call->number, (uint16_t)(found + 1), memory_order_relaxed);
    return (uint16_t)(found + 1);
}

static uint64_t power_above(uint64_t bytes)
{
    return bytes < 2 ? bytes : (uint64_t)1 << (64 - __builtin_clzll(bytes - 1));
}

static uint32_t place_of(const struct cell *key)
{
    uint64_t mixed = key->bytes * 0x9e3779b97f4a7c15u;
    mixed ^= ((uint64_t)(uint32_t)key->peer << 32 | (uint64_t)key->call << 16 | key->group) *
             0xc2b2ae3d27d4eb4fu;
    mixed ^= ((uint64_t)key->region << 32 | (uint64_t)key->started << 16 |
              (uint64_t)key->datatype << 8 | (uint64_t)key->memory << 2 | key->coarse) *
             0x165667b19e3779f9u;
    return (uint32_t)(mixed >> 40) & (PLACES - 1);
}

static int is_same(const struct cell *a, const struct cell *b)
{
    return a->bytes == b->bytes && a->peer == b->peer && a->call == b->call &&
           a->group == b->group && a->region == b->region && a->started == b->started &&
           a->datatype == b->datatype && a->memory == b->memory && a->coarse == b->coarse;
}

/* The place that has the number of a key's cell, or the free one where it would be. */
static uint16_t *find(const struct cell *key)
{
    uint32_t place = place_of(key);
    while (places[place] && !is_same(&recorded->cells[places[place] - 1], key))
        place = (place + 1) & (PLACES - 1);
    return &places[place];
}

static uint32_t add_cell(uint16_t *place, const struct cell *key)
{
    recorded->cells[cells] = *key;
    *place = (uint16_t)++cells;
    recorded->header.cells = cells;
    return cells - 1;
}

static uint32_t cell_of(const struct operation *operation)
{
    struct cell key = {.bytes = operation->bytes, .peer = operation->peer, .call = operation->call,
                       .group = operation->group, .region = region, .started = operation->started,
                       .datatype = operation->datatype, .memory = operation->memory};
    uint16_t *place = find(&key);
    if (*place)
        return *place - 1u;
    if (cells >= COARSE_FROM) {
        key.bytes = power_above(key.bytes);
        key.coarse = COARSE_BYTES;
        if (cells >= COARSER_FROM && key.peer >= 0) {
            key.peer = SEVERAL_PEERS;
            key.coarse |= COARSE_PEER;
        }
        place = find(&key);
        if (*place)
            return *place - 1u;
        if (cells >= FULL)
            return NO_CELL;
    }
    return add_cell(place, &key);
}

void forget_cells(void)
{
    memset(places, 0, sizeof places);
    cells = 0;
    calls_seen = 0;
    keys++;
}

static void compare_clocks(uint64_t now)
{
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    struct header *header = &recorded->header;
    header->last_ns = (uint64_t)clock.tv_sec * 1000000000u + (uint64_t)clock.tv_nsec;
    header->last_ticks = header->ended_ticks = now;
    /* A library may have been loaded meanwhile. */
    atomic_store_explicit(&may_have_accelerator, 1, memory_order_relaxed);
}

int bin_of(uint64_t spent)
{
    const int bin = 63 - __builtin_clzll(spent | 1) - 4; /* from 16 ticks on */
    return bin < 0 ? 0 : bin < BINS ? bin : BINS - 1;
}

uint32_t count(const struct operation *operation, uint64_t spent)
{
    const uint32_t place = cell_of(operation);
    calls_seen++;
    /* After a call of some milliseconds, too: the next one may be the rank's end. */
    if (calls_seen % COMPARED_EVERY == 0 || (calls_seen & (calls_seen - 1)) == 0 || spent > LONG_TICKS)
        compare_clocks(ticks());
    if (place == NO_CELL) {
        recorded->header.lost_calls++;
        recorded->header.lost_ticks += spent;
        recorded->header.lost_bytes += operation->bytes;
        return place;
    }
    struct cell *cell = &recorded->cells[place];
    cell->count++;
    cell->bytes_sum += operation->bytes;
    cell->ticks += spent;
    if (operation->buffer)
        cell->buffers |= (uint64_t)1 << (HANDLE(operation->buffer) * 0x9e3779b97f4a7c15u >> 58);
    if (spent > cell->most_ticks)
        cell->most_ticks = spent;
    cell->bins[bin_of(spent)]++;
    return place;
}

void count_completion(uint32_t cell, uint64_t spent)
{
    if (cell < CELLS)
        recorded->cells[cell].completion_ticks += spent;
    else
        recorded->header.lost_ticks += spent;
}

/* Regions beyond those that the file holds, or entered too deep, belong to the one around them. */
void enter_region(const char *name)
{
    struct header *header = &recorded->header;
    const int most = (int)(sizeof regions / sizeof regions[0]);
    if (regions_entered < most)
        regions[regions_entered] = region;
    if (regions_entered++ >= most)
        return;
    uint32_t found = 1;
    while (found < header->regions && strcmp(recorded->regions[found], name) != 0)
        found++;
    if (found == REGIONS)
        return;
    if (found == header->regions) {
        copy_text(recorded->regions[found], name, REGION_BYTES);
        header->regions++;
    }
    region = (uint16_t)found;
    keys++;
}

void leave_region(void)
{
    const int most = (int)(sizeof regions / sizeof regions[0]);
    if (regions_entered > 0 && --regions_entered < most)
        region = regions[regions_entered];
    keys++;
}
