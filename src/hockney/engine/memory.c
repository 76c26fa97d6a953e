#include "memory.h"

#include <math.h>
#include <stdio.h>

#include "cgroup.h"
#include "check.h"
#include "line.h"
#include "simulated.h"

enum { LONGEST_PATH = 8192 };

/* The number in a file such as memory.max, or HUGE_VAL: "max" is no limit. */
static double number_in(const char *directory, const char *name)
{
    char path[LONGEST_PATH + 64];
    char line[64];
    double value;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return line_read(path, line, sizeof line) && sscanf(line, "%lf", &value) == 1 ? value : HUGE_VAL;
}

/* What a limit of a control group leaves. */
static double left_by(const char *directory, const char *limit, const char *usage)
{
    const double most = number_in(directory, limit), used = number_in(directory, usage);
    return isfinite(most) && isfinite(used) ? fmax(most - used, 0.0) : HUGE_VAL;
}

static void take_least(const char *directory, int is_second, void *data)
{
    double *least = data;
    *least = fmin(*least, is_second ? left_by(directory, "memory.max", "memory.current")
                                    : left_by(directory, "memory.limit_in_bytes", "memory.usage_in_bytes"));
}

/* The least that the limits of the group of this process and of all groups above it leave. */
static double left_by_control_groups(void)
{
    double least = HUGE_VAL;
    cgroup_each("memory", take_least, &least);
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
