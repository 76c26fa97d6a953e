#include "probe.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"

/* 100 there and back: 10 us within one L3, 50 us between two. Fewer would see the clock. */
enum { HANDOVERS_WARM = 4, HANDOVERS_BLOCK = 20, HANDOVERS_BLOCKS = 5 };

/* About 3 us of dependent multiplications. */
enum { WORK_STEPS = 2000 };

/* Reading /proc/stat costs more with every CPU of the node: at most this share of the time. */
static const double LARGEST_SHARE = 0.01;

static volatile sig_atomic_t interrupted;
static int stat_file = -1;
static int64_t stat_read_at, stat_cost;
static double last_steal_s = -1.0;
static long last_switches = -1;
static int last_pu = -1;

static void note_signal(int number)
{
    (void)number;
    interrupted = 1;
}

void noise_start(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    stat_file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    noise_look();
}

/* Steal time of one PU since boot in seconds, or -1. The eighth number of its line. */
static double read_steal(int pu)
{
    static char text[1 << 16];
    const ssize_t length = stat_file < 0 ? -1 : pread(stat_file, text, sizeof text - 1, 0);
    if (length <= 0)
        return -1.0;
    text[length] = '\0';
    char key[24];
    snprintf(key, sizeof key, "\ncpu%d ", pu);
    const char *line = strstr(text, key);
    long long ticks[8] = {0};
    if (line == NULL ||
        sscanf(line + strlen(key), "%lld %lld %lld %lld %lld %lld %lld %lld", &ticks[0], &ticks[1],
               &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]) != 8)
        return -1.0;
    return (double)ticks[7] / (double)sysconf(_SC_CLK_TCK);
}

static double fixed_work(void)
{
    volatile uint64_t sink;
    uint64_t value = 88172645463325252u;
    const int64_t start = clock_ns();
    for (int step = 0; step < WORK_STEPS; step++)
        value = value * 6364136223846793005u + 1442695040888963407u;
    sink = value;
    (void)sink;
    return (double)(clock_ns() - start) * 1e-9;
}

struct noise noise_look(void)
{
    struct noise noise = {.steal_s = -1.0, .switches = -1.0, .interrupted = interrupted};
    const int pu = sched_getcpu();
    noise.migrations = last_pu >= 0 && pu != last_pu;
    last_pu = pu;

    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        if (last_switches >= 0)
            noise.switches = (double)(usage.ru_nivcsw - last_switches);
        last_switches = usage.ru_nivcsw;
    }
    const int64_t now = clock_ns();
    if (stat_read_at == 0 || (double)stat_cost < LARGEST_SHARE * (double)(now - stat_read_at)) {
        const double steal_s = read_steal(pu);
        if (steal_s >= 0.0 && last_steal_s >= 0.0 && !noise.migrations)
            noise.steal_s = steal_s - last_steal_s;
        last_steal_s = steal_s;
        stat_read_at = clock_ns();
        stat_cost = stat_read_at - now;
    }
    noise.probe_s = fixed_work();
    return noise;
}

double probe_handover(struct shared *shared, int rank)
{
    double blocks[HANDOVERS_BLOCKS];
    shared_handovers(shared, rank, HANDOVERS_WARM);
    for (int block = 0; block < HANDOVERS_BLOCKS; block++) {
        const int64_t start = clock_ns();
        shared_handovers(shared, rank, HANDOVERS_BLOCK);
        blocks[block] = (double)(clock_ns() - start) / (2.0 * HANDOVERS_BLOCK);
    }
    /* The median block, by insertion: an interrupt spoils one block, not the probe. */
    for (int i = 1; i < HANDOVERS_BLOCKS; i++)
        for (int j = i; j > 0 && blocks[j] < blocks[j - 1]; j--) {
            const double larger = blocks[j - 1];
            blocks[j - 1] = blocks[j];
            blocks[j] = larger;
        }
    return blocks[HANDOVERS_BLOCKS / 2];
}
