#include "areas.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "devices.h"
#include "simulated.h"

enum { CHUNK = 1 << 20 };

static size_t whole_pages(size_t span)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (span / page + 1) * page;
}

static char *host_memory(size_t bytes, int filled)
{
    char *base = aligned_alloc((size_t)sysconf(_SC_PAGESIZE), bytes);
    if (base == NULL)
        fail(EXIT_WENT_WRONG, "no memory for a buffer of %zu bytes", bytes);
    return memset(base, filled, bytes);
}

static void fill_device(char *base, size_t bytes, int filled)
{
    char *chunk = host_memory(CHUNK, filled);
    for (size_t at = 0; at < bytes; at += CHUNK)
        devices_copy(base + at, chunk, bytes - at < CHUNK ? bytes - at : CHUNK);
    free(chunk);
}

struct area area_of(enum memory memory, double bytes, int filled, int is_read)
{
    const size_t span = (size_t)bytes, rounded = whole_pages(span);
#ifdef SMPI_H
    enum { LEAST_SHARED = 1 << 15 };
    if (!is_read && span >= LEAST_SHARED)
        return (struct area){.base = SMPI_SHARED_MALLOC(span), .span = span};
#endif
    (void)is_read;
    if (memory == MEMORY_HOST)
        return (struct area){.base = host_memory(rounded, filled), .span = span};
    struct area area = {.base = devices_allocate(memory, rounded), .span = span, .memory = memory};
    if (memory == MEMORY_DEVICE)
        fill_device(area.base, rounded, filled);
    else
        memset(area.base, filled, rounded);
    return area;
}

struct area area_of_many(double bytes, int filled, int count)
{
    struct area area = area_of(MEMORY_DEVICE, bytes, filled, 1);
    area.places = allocate((size_t)count * sizeof *area.places);
    area.place_count = count;
    for (int i = 1; i < count; i++)
        area.places[i] = (ptrdiff_t)((uintptr_t)area_of(MEMORY_DEVICE, bytes, filled, 1).base - (uintptr_t)area.base);
    return area;
}

static size_t count_of(const struct area *area) { return area->places != NULL ? (size_t)area->place_count : 1; }

static char *allocation(const struct area *area, size_t i)
{
    return area->places != NULL ? (char *)((uintptr_t)area->base + (uintptr_t)area->places[i]) : area->base;
}

void area_release(struct area *area)
{
    free(area->mirror);
    free(area->mirror_places);
    for (size_t i = 1; i < count_of(area); i++)
        devices_release(area->memory, allocation(area, i));
    free(area->places);
    if (area->memory == MEMORY_HOST)
        free(area->base);
    else
        devices_release(area->memory, area->base);
    *area = (struct area){0};
}

void area_mirror(struct area *area)
{
    if (area->memory != MEMORY_DEVICE)
        return;
    const size_t pitch = whole_pages(area->span);
    area->mirror = host_memory(count_of(area) * pitch, 0);
    if (area->places == NULL)
        return;
    area->mirror_places = allocate(count_of(area) * sizeof *area->mirror_places);
    for (size_t i = 0; i < count_of(area); i++)
        area->mirror_places[i] = (ptrdiff_t)(i * pitch);
}

void area_put(const struct area *area, size_t bytes)
{
    for (size_t i = 0; area->mirror != NULL && i < count_of(area); i++)
        devices_copy(allocation(area, i), area->mirror + i * whole_pages(area->span), bytes);
}

void area_get(const struct area *area, size_t bytes)
{
    for (size_t i = 0; area->mirror != NULL && i < count_of(area); i++)
        devices_copy(area->mirror + i * whole_pages(area->span), allocation(area, i), bytes);
}
