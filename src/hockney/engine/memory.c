#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "faults.h"
#include "simulated.h"

enum { LONGEST_PATH = 4096 };

/* The number in a file such as memory.max, or HUGE_VAL: "max" is no limit. */
static double number_in(const char *directory, const char *name)
{
    char path[LONGEST_PATH + 64];
    double value = HUGE_VAL;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return HUGE_VAL;
    if (fscanf(file, "%lf", &value) != 1)
        value = HUGE_VAL;
    fclose(file);
    return value;
}

/* What a limit of a control group leaves. */
static double left_by(const char *directory, const char *limit, const char *usage)
{
    const double most = number_in(directory, limit), used = number_in(directory, usage);
    return isfinite(most) && isfinite(used) ? fmax(most - used, 0.0) : HUGE_VAL;
}

/* The least that the group's limit and those of all groups above it leave. `group` is its path below
   `root`, which may be another one than this process sees: in a container the root is its own group. */
static double left_by_groups(const char *root, const char *group, const char *limit, const char *usage)
{
    char directory[LONGEST_PATH];
    snprintf(directory, sizeof directory, "%s%s", root, group);
    const size_t shortest = strlen(root);
    double least = HUGE_VAL;
    for (;;) {
        least = fmin(least, left_by(directory, limit, usage));
        char *slash = strrchr(directory, '/');
        if (slash == NULL || (size_t)(slash - directory) < shortest)
            return least;
        *slash = '\0';
    }
}

/* The line of this process in /proc/self/cgroup is HIERARCHY:CONTROLLERS:PATH; version 2 has no controllers. */
static double left_by_control_groups(void)
{
    char line[LONGEST_PATH], path[LONGEST_PATH], root[LONGEST_PATH];
    double least = HUGE_VAL;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", fault_system_root());
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *controllers = strchr(line, ':');
        const char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        const int is_second = group == controllers + 1;
        const char *own = strcmp(group + 1, "/") == 0 ? "" : group + 1;
        snprintf(root, sizeof root, "%s/sys/fs/cgroup%s", fault_system_root(), is_second ? "" : "/memory");
        if (is_second)
            least = fmin(least, left_by_groups(root, own, "memory.max", "memory.current"));
        else if (strstr(controllers, "memory") != NULL)
            least = fmin(least, left_by_groups(root, own, "memory.limit_in_bytes", "memory.usage_in_bytes"));
    }
    if (file != NULL)
        fclose(file);
    return least;
}

static double left_by_kernel(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib > 0 ? (double)kib * 1024.0 : HUGE_VAL;
}

double memory_available(void) { return fmin(left_by_kernel(), left_by_control_groups()); }

void memory_agree(double *needed, double *available, MPI_Comm comm)
{
    MPI_Comm node;
    if (IS_SIMULATED) /* all ranks share this process's memory, and are judged one by one */
        return;
    check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    double own = *needed;
    check(MPI_Allreduce(&own, needed, 1, MPI_DOUBLE, MPI_SUM, node), "MPI_Allreduce");
    own = *available;
    check(MPI_Allreduce(&own, available, 1, MPI_DOUBLE, MPI_MIN, node), "MPI_Allreduce");
    check(MPI_Comm_free(&node), "MPI_Comm_free");
}
