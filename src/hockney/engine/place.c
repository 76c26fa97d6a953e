#include "place.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { MOST_PUS = CPU_SETSIZE };

struct pu {
    int pu, core, l2, l3, numa, package;
    int sibling; /* 0 for the first PU of its core, 1 for the second ... */
    int turn;    /* position among the PUs of its own group, for round-robin over groups */
};

int place_local_rank(void)
{
    static const char *const names[] = {
        "MPI_LOCALRANKID",  "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "PALS_LOCAL_RANKID",
        "FLUX_TASK_LOCAL_ID", "JSM_NAMESPACE_LOCAL_RANK",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && *value != '\0')
            return atoi(value);
    }
    return -1;
}

/* The first number in a file of /sys, or -1. */
static int read_number(const char *format, int pu, int index)
{
    char path[160], text[64];
    snprintf(path, sizeof path, format, pu, index);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    const int found = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    return found ? atoi(text) : -1;
}

/* The cache of the highest level that the PU has. */
static int last_cache_index(int pu)
{
    int best = -1, highest = 0;
    for (int index = 0; index < 8; index++) {
        const int level = read_number("/sys/devices/system/cpu/cpu%d/cache/index%d/level", pu, index);
        if (level > highest) {
            highest = level;
            best = index;
        }
    }
    return best;
}

/* The second-level cache that the PU has. */
static int second_cache_index(int pu)
{
    for (int index = 0; index < 8; index++)
        if (read_number("/sys/devices/system/cpu/cpu%d/cache/index%d/level", pu, index) == 2)
            return index;
    return -1;
}

/* A cache goes by the first PU that shares it: ids are missing on older kernels. */
static int cache_name(int pu, int index)
{
    return index < 0 ? -1
                     : read_number("/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", pu,
                                   index);
}

static int numa_node(int pu)
{
    char path[96];
    for (int node = 0; node < 1024; node++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/node%d", pu, node);
        if (access(path, F_OK) == 0)
            return node;
    }
    return -1;
}

static struct pu describe(int pu)
{
    return (struct pu){
        .pu = pu,
        .core = read_number("/sys/devices/system/cpu/cpu%d/topology/core_id", pu, 0),
        .package = read_number("/sys/devices/system/cpu/cpu%d/topology/physical_package_id", pu, 0),
        .l2 = cache_name(pu, second_cache_index(pu)),
        .l3 = cache_name(pu, last_cache_index(pu)),
        .numa = numa_node(pu),
    };
}

unsigned long place_last_cache_bytes(int pu)
{
    const int last = pu < 0 ? -1 : last_cache_index(pu);
    const int kib = last < 0 ? -1 : read_number("/sys/devices/system/cpu/cpu%d/cache/index%d/size",
                                                pu, last);
    return kib < 0 ? 0 : (unsigned long)kib * 1024;
}

static int nearest_first(const void *left, const void *right)
{
    const struct pu *a = left, *b = right;
    if (a->sibling != b->sibling)
        return a->sibling - b->sibling;
    if (a->package != b->package)
        return a->package - b->package;
    if (a->numa != b->numa)
        return a->numa - b->numa;
    if (a->l3 != b->l3)
        return a->l3 - b->l3;
    return a->pu - b->pu;
}

static int by_turn(const void *left, const void *right)
{
    const struct pu *a = left, *b = right;
    return a->turn != b->turn ? a->turn - b->turn : nearest_first(left, right);
}

/* Which group a PU belongs to when neighbouring ranks shall be in different groups. */
static int group_of(const struct pu *pu, const char *policy)
{
    if (strcmp(policy, "socket") == 0)
        return pu->package;
    if (strcmp(policy, "numa") == 0)
        return pu->numa;
    return pu->package >= 0 && pu->l3 >= 0 ? pu->package * MOST_PUS + pu->l3 : pu->l3;
}

/* All allowed PUs in the order in which local ranks take them; returns how many. */
static int order_pus(const cpu_set_t *allowed, const char *policy, struct pu *pus)
{
    int count = 0;
    for (int pu = 0; pu < MOST_PUS; pu++) {
        if (!CPU_ISSET(pu, allowed))
            continue;
        pus[count] = describe(pu);
        for (int i = 0; i < count; i++)
            if (pus[i].core == pus[count].core && pus[i].package == pus[count].package)
                pus[count].sibling++;
        count++;
    }
    qsort(pus, (size_t)count, sizeof *pus, nearest_first);
    if (strcmp(policy, "core") == 0 || strcmp(policy, "node") == 0)
        return count;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            pus[i].turn += group_of(&pus[i], policy) == group_of(&pus[j], policy);
    qsort(pus, (size_t)count, sizeof *pus, by_turn);
    return count;
}

/* The wanted entry of a list such as "0,3" or "4-7"; -1, with the reason, where there is none. */
static int entry_of(const char *list, int wanted, struct place *place)
{
    int index = 0;
    for (const char *at = list; *at != '\0';) {
        char *end;
        const long first = strtol(at, &end, 10);
        long last = first;
        if (end == at || first < 0)
            break;
        if (*end == '-') {
            at = end + 1;
            last = strtol(at, &end, 10);
            if (end == at || last < first)
                break;
        }
        if (wanted - index <= last - first)
            return (int)(first + wanted - index);
        index += (int)(last - first + 1);
        if (*end == '\0') {
            snprintf(place->wrong, sizeof place->wrong,
                     "--cpus %.64s names too few CPUs: %d, and this node has a rank number %d", list,
                     index, wanted);
            return -1;
        }
        if (*end != ',')
            break;
        at = end + 1;
    }
    snprintf(place->wrong, sizeof place->wrong,
             "--cpus %.64s: not a list of CPU numbers such as 0,3 or 0-3", list);
    return -1;
}

void place_pin(struct place *place, const char *policy, const char *cpus, int local_rank)
{
    cpu_set_t allowed, wanted;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    place->allowed = CPU_COUNT(&allowed);
    if (cpus == NULL && strcmp(policy, "none") == 0)
        return;

    int pu;
    if (cpus != NULL) {
        pu = entry_of(cpus, local_rank, place);
        if (pu >= MOST_PUS || (pu >= 0 && !CPU_ISSET(pu, &allowed)))
            snprintf(place->wrong, sizeof place->wrong,
                     "--cpus %.64s: this process may not run on CPU %d", cpus, pu);
        if (place->wrong[0] != '\0')
            return;
    } else {
        struct pu *pus = allocate(sizeof *pus * MOST_PUS);
        const int count = order_pus(&allowed, policy, pus);
        pu = count > 0 ? pus[local_rank % count].pu : 0;
        free(pus);
    }
    CPU_ZERO(&wanted);
    CPU_SET(pu, &wanted);
    if (sched_setaffinity(0, sizeof wanted, &wanted) != 0)
        snprintf(place->refused, sizeof place->refused, "CPU %d: %s", pu, strerror(errno));
}

#if defined(SMPI_H)
/* A simulated rank is on a host of the platform, and on no PU of this machine. */
void place_observe(struct place *place)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length;
    check(MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
    snprintf(place->host, sizeof place->host, "%.*s", length, name);
    place->package = place->numa = place->l3 = place->l2 = place->core = place->pu = -1;
}
#else
void place_observe(struct place *place)
{
    cpu_set_t now;
    CPU_ZERO(&now);
    place->pinned = sched_getaffinity(0, sizeof now, &now) == 0 && CPU_COUNT(&now) == 1;
    const struct pu pu = describe(sched_getcpu());
    place->pu = pu.pu;
    place->core = pu.core;
    place->l2 = pu.l2;
    place->l3 = pu.l3;
    place->numa = pu.numa;
    place->package = pu.package;
    if (gethostname(place->host, sizeof place->host) != 0)
        snprintf(place->host, sizeof place->host, "unknown");
    place->host[sizeof place->host - 1] = '\0';
    const char *topology = getenv("SLURM_TOPOLOGY_ADDR");
    if (topology != NULL)
        snprintf(place->topology, sizeof place->topology, "%s", topology);
}
#endif
