/* The control groups of this process, on all their levels. */
#ifndef HOCKNEY_CGROUP_H
#define HOCKNEY_CGROUP_H

/* Calls `visit` for the group of this process that has a controller ("cpu") and for all groups above it.
   `is_second`: whether the files of `directory` are those of version 2, which has one tree for all. */
void cgroup_each(const char *controller,
                 void (*visit)(const char *directory, int is_second, void *data), void *data);

/* How often and how long quotas of CPU time have stopped the processes of these groups, on all CPUs
   together; -1 where no group counts it. */
struct throttling {
    double times, seconds;
};
struct throttling cgroup_throttling(void);

#endif
