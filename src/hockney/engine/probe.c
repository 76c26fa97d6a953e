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
static struct look {
    double wall_s, cpu_s, waited_s;
    long switches;
    int pu;
} last = {.pu = -1};
static int wait_file = -1;

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
    wait_file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
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

/* Seconds that this thread was ready to run but not running, since it began; or -1. */
static double read_waited(void)
{
    char text[96];
    unsigned long long ran_ns, waited_ns;
    const ssize_t length = wait_file < 0 ? -1 : pread(wait_file, text, sizeof text - 1, 0);
    if (length <= 0)
        return -1.0;
    text[length] = '\0';
    return sscanf(text, "%llu %llu", &ran_ns, &waited_ns) == 2 ? (double)waited_ns * 1e-9 : -1.0;
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

/* Steal since the last reading, or -1 where it is not due, unknown, or was another PU's. */
static double steal_since(int pu)
{
    const int64_t now = clock_ns();
    if (stat_read_at != 0 && (double)stat_cost > LARGEST_SHARE * (double)(now - stat_read_at))
        return -1.0;
    const double steal_s = read_steal(pu), before = last_steal_s;
    last_steal_s = steal_s;
    stat_read_at = clock_ns();
    stat_cost = stat_read_at - now;
    return steal_s >= 0.0 && before >= 0.0 && pu == last.pu ? steal_s - before : -1.0;
}

struct noise noise_look(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    const struct look now = {
        .wall_s = (double)clock_ns() * 1e-9,
        .cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime),
        .waited_s = read_waited(),
        .switches = usage.ru_nivcsw,
        .pu = sched_getcpu(),
    };
    const struct noise noise = {
        .wall_s = now.wall_s - last.wall_s,
        .cpu_s = now.cpu_s - last.cpu_s,
        .waited_s = now.waited_s < 0.0 ? -1.0 : now.waited_s - last.waited_s,
        .steal_s = steal_since(now.pu),
        .switches = (double)(now.switches - last.switches),
        .migrations = last.pu >= 0 && now.pu != last.pu,
        .probe_s = fixed_work(),
        .interrupted = interrupted,
    };
    last = now;
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
