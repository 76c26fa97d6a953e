#include "probe.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "affinity.h"
#include "cgroup.h"
#include "check.h"
#include "clock.h"
#include "order.h"

/* There and back on each pair of lines, before it is timed and timed: 96 in all, 10 us within one L3
   and 50 us between two. The clock's cost is subtracted, as it is a tenth of so few. */
enum { PASSES_WARM = 1, PASSES_TIMED = 2, PASSES = PASSES_WARM + PASSES_TIMED };

/* About 3 us of dependent multiplications. */
enum { WORK_STEPS = 2000 };

/* Reading /proc/stat costs more with every CPU of the node: at most this share of the time. */
static const double LARGEST_SHARE = 0.01;

/* A rank that was asked to end and is stuck in a call of MPI ends after so many seconds. */
enum { GRACE_S = 10 };

/* The probe's times that are kept for its quantiles: more looks replace the oldest. */
enum { PROBES_KEPT = 1024 };

struct look {
    double wall_s, cpu_s, waited_s;
    long switches;
    int pu;
};

struct watch {
    struct look last;
    int stat_file, wait_file;
    int64_t stat_read_at, stat_cost;
    double last_steal_s;
    struct noise total;
    struct throttling throttled_before;
    double probes[PROBES_KEPT];
    long looks;
};

/* A signal handler has nowhere else to put it. */
static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
    (void)number;
    interrupted = 1;
    alarm(GRACE_S);
}

struct watch *watch_start(void)
{
    struct watch *watch = allocate(sizeof *watch);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    /* A write of records that waits for its reader goes on, or all records would end in an error. */
    action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    watch->last.pu = -1;
    watch->last_steal_s = -1.0;
    watch->stat_file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
    watch->wait_file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    watch_look(watch);
    watch->total = (struct noise){0};
    watch->looks = 0;
    watch->throttled_before = cgroup_throttling();
    return watch;
}

int watch_interrupted(void) { return interrupted != 0; }

void watch_end(struct watch *watch)
{
    if (watch->stat_file >= 0)
        close(watch->stat_file);
    if (watch->wait_file >= 0)
        close(watch->wait_file);
    free(watch);
}

/* Steal time of one PU since boot in seconds, or -1. The eighth number of its line. */
static double read_steal(const struct watch *watch, int pu)
{
    char text[1 << 16];
    const ssize_t length =
        watch->stat_file < 0 ? -1 : pread(watch->stat_file, text, sizeof text - 1, 0);
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
static double read_waited(const struct watch *watch)
{
    char text[96];
    unsigned long long ran_ns, waited_ns;
    const ssize_t length =
        watch->wait_file < 0 ? -1 : pread(watch->wait_file, text, sizeof text - 1, 0);
    if (length <= 0)
        return -1.0;
    text[length] = '\0';
    return sscanf(text, "%llu %llu", &ran_ns, &waited_ns) == 2 ? (double)waited_ns * 1e-9 : -1.0;
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

/* Steal since the last reading, or -1 where it is not due, unknown, or was another PU's. */
static double steal_since(struct watch *watch, int pu)
{
    const int64_t now = clock_ns();
    if (watch->stat_read_at != 0 &&
        (double)watch->stat_cost > LARGEST_SHARE * (double)(now - watch->stat_read_at))
        return -1.0;
    const double steal_s = read_steal(watch, pu), before = watch->last_steal_s;
    watch->last_steal_s = steal_s;
    watch->stat_read_at = clock_ns();
    watch->stat_cost = watch->stat_read_at - now;
    return steal_s >= 0.0 && before >= 0.0 && pu == watch->last.pu ? steal_s - before : -1.0;
}

/* Nothing is added to an unknown sum (-1), and an unknown value adds nothing. */
static void add(double *total, double value, int is_first)
{
    if (is_first || value >= 0.0)
        *total = (is_first || *total < 0.0 ? 0.0 : *total) + value;
}

static void add_look(struct watch *watch, const struct noise *noise)
{
    struct noise *total = &watch->total;
    const int is_first = watch->looks == 0;
    add(&total->wall_s, noise->wall_s, is_first);
    add(&total->cpu_s, noise->cpu_s, is_first);
    add(&total->waited_s, noise->waited_s, is_first);
    add(&total->steal_s, noise->steal_s, is_first);
    add(&total->switches, noise->switches, is_first);
    add(&total->migrations, noise->migrations, is_first);
    watch->probes[watch->looks++ % PROBES_KEPT] = noise->probe_s;
}

struct noise watch_look(struct watch *watch)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    const struct look last = watch->last, now = {
        .wall_s = (double)clock_ns() * 1e-9,
        .cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime),
        .waited_s = read_waited(watch),
        .switches = usage.ru_nivcsw,
        .pu = affinity_current_pu(),
    };
    const struct noise noise = {
        .wall_s = now.wall_s - last.wall_s,
        .cpu_s = now.cpu_s - last.cpu_s,
        .waited_s = now.waited_s < 0.0 ? -1.0 : now.waited_s - last.waited_s,
        .steal_s = steal_since(watch, now.pu),
        .switches = (double)(now.switches - last.switches),
        .migrations = now.pu < 0 ? -1.0 : last.pu >= 0 && now.pu != last.pu,
        .probe_s = fixed_work(),
        .interrupted = (double)interrupted,
    };
    watch->last = now;
    add_look(watch, &noise);
    return noise;
}

struct noise watch_total(const struct watch *watch)
{
    const int kept = watch->looks < PROBES_KEPT ? (int)watch->looks : PROBES_KEPT;
    struct noise total = watch->total;
    const struct throttling before = watch->throttled_before, now = cgroup_throttling();
    total.throttled = before.times < 0.0 ? -1.0 : now.times - before.times;
    total.throttled_s = before.seconds < 0.0 ? -1.0 : now.seconds - before.seconds;
    total.probe_s = total.probe_low_s = total.probe_high_s = -1.0;
    if (kept > 0) {
        double sorted[PROBES_KEPT];
        memcpy(sorted, watch->probes, (size_t)kept * sizeof *sorted);
        sort_doubles(sorted, kept);
        total.probe_s = sorted[kept / 2];
        total.probe_low_s = sorted[kept / 10];
        total.probe_high_s = sorted[kept - 1 - kept / 10];
    }
    return total;
}

void probe_handover(struct shared *shared, int rank, double clock_cost_ns, double *ns)
{
    const uint64_t first = shared->probes++ * PASSES + 1;
    for (int page = 0; page < PROBED_PAGES; page++) {
        struct line *pair = shared->probed[page];
        shared_pass(pair, rank, first, first + PASSES_WARM);
        const int64_t start = clock_ns();
        shared_pass(pair, rank, first + PASSES_WARM, first + PASSES);
        const double took_ns = (double)(clock_ns() - start) - clock_cost_ns;
        ns[page] = fmax(took_ns, 0.0) / (2.0 * (double)PASSES_TIMED);
    }
}
