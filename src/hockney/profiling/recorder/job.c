/* Which ranks belong together, without asking them: what one launcher starts at once has the same in its
   environment, or ancestors that were started with the same arguments. Where neither is so, hockney takes ranks
   for one job that are of one size and lived at the same time (profiling/collect.py). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"

enum { MOST_ANCESTORS = 16 };

static uint64_t mixed(uint64_t sum, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ (unsigned char)text[i]) * 1099511628211u;
    return sum;
}

static long parent_of(long process)
{
    char path[64], line[128];
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", process);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "PPid: %ld", &parent) != 1)
        ;
    if (file)
        fclose(file);
    return parent;
}

static size_t read_arguments(long process, char *to, size_t bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/cmdline", process);
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(to, 1, bytes - 1, file) : 0;
    to[length] = '\0';
    if (file)
        fclose(file);
    return length;
}

/* The proxies of MPICH's and Intel's launcher: each host has one, and all have the port of their mpiexec and
   the number of the group that was started, or spawned. */
static uint64_t mixed_arguments(uint64_t sum, const char *arguments, size_t length)
{
    static const char *const options[] = {"--control-port", "--pgid"};
    int found = 0;
    for (const char *at = arguments; at < arguments + length; at += strlen(at) + 1)
        for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
            if (strcmp(at, options[i]) == 0 && at + strlen(at) + 1 < arguments + length) {
                const char *value = at + strlen(at) + 1;
                sum = mixed(sum, value, strlen(value) + 1);
                found = 1;
            }
    return found ? sum : 0;
}

static uint64_t job_of_ancestors(uint64_t sum)
{
    char arguments[4096];
    long process = getppid();
    for (int i = 0; i < MOST_ANCESTORS && process > 1; i++, process = parent_of(process)) {
        const size_t length = read_arguments(process, arguments, sizeof arguments);
        const uint64_t found = mixed_arguments(sum, arguments, length);
        if (found)
            return found;
    }
    return sum;
}

uint64_t job_of_launcher(void)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID",
                                        "SLURM_STEP_ID"};
    const uint64_t nothing = 14695981039346656037u;
    uint64_t sum = nothing;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value)
            sum = mixed(sum, value, strlen(value) + 1);
    }
    return job_of_ancestors(sum);
}
