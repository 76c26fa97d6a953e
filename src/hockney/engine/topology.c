#include "topology.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "cpu_list.h"
#include "faults.h"
#include "line.h"

/* A file of /sys is at most a page. */
enum { LINE_BYTES = 4096, MOST_CACHES = 8, ROOM_AT_LEAST = 64 };

struct known_pu {
    struct pu pu;
    int has_core, has_caches; /* already read */
};

/* Reads the first line of a file of /sys/devices/system; 0 if it is missing. */
static int read_line(char line[LINE_BYTES], const char *format, ...)
{
    char name[128], path[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s/sys/devices/system/%s", fault_system_root(), name);
    return line_read(path, line, LINE_BYTES);
}

static void make_room(struct topology *topology, int pu)
{
    int count = topology->count > 0 ? topology->count : ROOM_AT_LEAST;
    while (count <= pu)
        count *= 2;
    if (count == topology->count)
        return;
    struct known_pu *pus = allocate((size_t)count * sizeof *pus);
    for (int i = 0; i < count; i++)
        pus[i] = i < topology->count
                     ? topology->pus[i]
                     : (struct known_pu){.pu = {i, -1, -1, -1, -1, -1, -1}};
    free(topology->pus);
    topology->pus = pus;
    topology->count = count;
}

/* Each node lists its PUs: two files for a node, where a search from the PUs would try every node
   for every PU. */
static void read_numa_nodes(struct topology *topology)
{
    char nodes[LINE_BYTES], pus[LINE_BYTES];
    int node, last_node, pu, last_pu;
    if (!read_line(nodes, "node/online"))
        return;
    for (const char *at = nodes; cpu_list_next(&at, &node, &last_node) > 0;)
        for (; node <= last_node; node++) {
            if (!read_line(pus, "node/node%d/cpulist", node))
                continue;
            for (const char *in = pus; cpu_list_next(&in, &pu, &last_pu) > 0;)
                for (make_room(topology, last_pu); pu <= last_pu; pu++)
                    topology->pus[pu].pu.numa = node;
        }
}

static void read_core(struct known_pu *known)
{
    char line[LINE_BYTES];
    const int pu = known->pu.pu;
    known->has_core = 1;
    if (read_line(line, "cpu/cpu%d/topology/core_id", pu))
        known->pu.core = atoi(line);
    if (read_line(line, "cpu/cpu%d/topology/physical_package_id", pu))
        known->pu.package = atoi(line);
}

/* The first PU that shares a cache, or -1. */
static int first_sharer(char line[LINE_BYTES], int pu, int index)
{
    const char *at = line;
    int first, last;
    if (index < 0 || !read_line(line, "cpu/cpu%d/cache/index%d/shared_cpu_list", pu, index))
        return -1;
    return cpu_list_next(&at, &first, &last) > 0 ? first : -1;
}

/* PUs that share the second-level cache share the outer levels too, so one PU is read for all. */
static void read_caches(struct topology *topology, int pu)
{
    char line[LINE_BYTES];
    int second = -1, outermost = -1, highest = 0, first, last;
    for (int index = 0; index < MOST_CACHES; index++) {
        if (!read_line(line, "cpu/cpu%d/cache/index%d/level", pu, index))
            break;
        const int level = atoi(line);
        if (level == 2 && second < 0)
            second = index;
        if (level > highest) {
            highest = level;
            outermost = index;
        }
    }
    const int l3 = first_sharer(line, pu, outermost), l2 = first_sharer(line, pu, second);
    char own[32];
    snprintf(own, sizeof own, "%d", pu);
    for (const char *at = l2 < 0 ? own : line; cpu_list_next(&at, &first, &last) > 0;)
        for (make_room(topology, last); first <= last; first++) {
            struct known_pu *known = &topology->pus[first];
            known->pu.l2 = l2;
            known->pu.l3 = l3;
            known->pu.cache_index = outermost;
            known->has_caches = 1;
        }
}

struct pu topology_pu(struct topology *topology, int pu)
{
    if (pu < 0)
        return (struct pu){-1, -1, -1, -1, -1, -1, -1};
    const int is_new = topology->count == 0;
    make_room(topology, pu);
    if (is_new)
        read_numa_nodes(topology);
    if (!topology->pus[pu].has_core)
        read_core(&topology->pus[pu]);
    if (!topology->pus[pu].has_caches)
        read_caches(topology, pu);
    return topology->pus[pu].pu;
}

unsigned long topology_last_cache_bytes(const struct pu *pu)
{
    char line[LINE_BYTES];
    if (pu->cache_index < 0 ||
        !read_line(line, "cpu/cpu%d/cache/index%d/size", pu->pu, pu->cache_index))
        return 0;
    const int kib = atoi(line);
    return kib > 0 ? (unsigned long)kib * 1024 : 0;
}

void topology_free(struct topology *topology)
{
    free(topology->pus);
    *topology = (struct topology){0};
}
