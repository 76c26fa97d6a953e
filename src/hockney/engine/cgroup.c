#include "cgroup.h"

#include <stdio.h>
#include <string.h>

#include "faults.h"

enum { LONGEST_PATH = 4096 };

/* `group` is a path below `root`, which may be another one than this process sees: in a container the root
   is its own group. */
static void visit_levels(const char *root, const char *group, int is_second,
                         void (*visit)(const char *directory, int is_second, void *data), void *data)
{
    char directory[2 * LONGEST_PATH];
    snprintf(directory, sizeof directory, "%s%s", root, group);
    const size_t shortest = strlen(root);
    for (;;) {
        visit(directory, is_second, data);
        char *slash = strrchr(directory, '/');
        if (slash == NULL || (size_t)(slash - directory) < shortest)
            return;
        *slash = '\0';
    }
}

/* `list`, up to a colon, has names with commas between them: "cpu,cpuacct". */
static int lists(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (;;) {
        const size_t next = strcspn(list, ",:");
        if (next == length && strncmp(list, name, length) == 0)
            return 1;
        if (list[next] != ',')
            return 0;
        list += next + 1;
    }
}

/* A line of /proc/self/cgroup is HIERARCHY:CONTROLLERS:PATH; version 2 has no controllers. */
void cgroup_each(const char *controller,
                 void (*visit)(const char *directory, int is_second, void *data), void *data)
{
    char line[LONGEST_PATH], path[LONGEST_PATH], root[LONGEST_PATH];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", fault_system_root());
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *controllers = strchr(line, ':');
        const char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        const int is_second = group == controllers + 1;
        if (!is_second && !lists(controllers + 1, controller))
            continue;
        snprintf(root, sizeof root, "%s/sys/fs/cgroup%s%s", fault_system_root(), is_second ? "" : "/",
                 is_second ? "" : controller);
        visit_levels(root, strcmp(group + 1, "/") == 0 ? "" : group + 1, is_second, visit, data);
    }
    if (file != NULL)
        fclose(file);
}

static void add_throttling(const char *directory, int is_second, void *data)
{
    struct throttling *sum = data;
    char line[128], path[2 * LONGEST_PATH + 16];
    double value;
    snprintf(path, sizeof path, "%s/cpu.stat", directory);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "nr_throttled %lf", &value) == 1)
            sum->times = (sum->times < 0.0 ? 0.0 : sum->times) + value;
        if (is_second ? sscanf(line, "throttled_usec %lf", &value) == 1
                      : sscanf(line, "throttled_time %lf", &value) == 1)
            sum->seconds = (sum->seconds < 0.0 ? 0.0 : sum->seconds) + value * (is_second ? 1e-6 : 1e-9);
    }
    if (file != NULL)
        fclose(file);
}

struct throttling cgroup_throttling(void)
{
    struct throttling sum = {-1.0, -1.0};
    cgroup_each("cpu", add_throttling, &sum);
    return sum;
}
