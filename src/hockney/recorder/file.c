/* The file of a rank, from MPI_Init to the end. It is mapped: what was recorded is in it however the
   program ends. All its blocks are reserved first, for a full disk must not end the program. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "recorder.h"

enum { MOST_FILES = 100 }; /* of one process: what it becomes by exec is recorded again */

struct file *recorded;
_Thread_local int depth;
int is_tsc, is_threaded;
atomic_flag busy = ATOMIC_FLAG_INIT;

static struct file *mapped; /* what `recorded` is while recording is switched on */
static int64_t cpu_wait_before; /* MPI_Init was done */
static struct file *ended; /* what was recorded until the last session ended */
static struct trace_header *traced_until_then;

void copy_text(char *to, const char *from, size_t bytes)
{
    const size_t length = strnlen(from, bytes - 1);
    memcpy(to, from, length);
    to[length] = '\0';
}

/* The first line of a small file of the system; of it what follows `before`, where that is given. */
static void read_line(const char *path, const char *before, char *to, size_t bytes)
{
    char line[1024];
    FILE *file = fopen(path, "re");
    to[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        if (before && strncmp(line, before, strlen(before)) != 0)
            continue;
        const char *start = before ? line + strlen(before) + strspn(line + strlen(before), ": \t") : line;
        line[strcspn(line, "\n")] = '\0';
        copy_text(to, start, bytes);
        break;
    }
    if (file)
        fclose(file);
}

static int has_even_ticks(void)
{
#if defined(__x86_64__)
    char source[32];
    read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", NULL, source,
              sizeof source);
    return strcmp(source, "tsc") == 0;
#else
    return 0;
#endif
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A file that is larger than a process may write ends the process. */
int may_write(size_t bytes)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur >= bytes;
}

static struct file *map_file(const char *path)
{
    errno = EFBIG;
    if (!may_write(sizeof(struct file)))
        return NULL;
    const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0)
        return NULL;
    void *found = MAP_FAILED;
    if (posix_fallocate(descriptor, 0, sizeof(struct file)) == 0)
        found = mmap(NULL, sizeof(struct file), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    return found == MAP_FAILED ? NULL : found;
}

static int rank_of_world(void)
{
    int (*get_rank)(MPI_Comm, int *) = REAL(MPI_Comm_rank);
    int rank = -1;
    get_rank(world(), &rank);
    return rank;
}

static int size_of_world(void)
{
    int (*get_size)(MPI_Comm, int *) = REAL(MPI_Comm_size);
    int size = 0;
    get_size(world(), &size);
    return size;
}

/* A number that tells this MPI_COMM_WORLD from any other of the same command. */
static uint64_t job_of_all(void)
{
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm) =
        REAL(MPI_Bcast);
    uint64_t job = now_ns() * 0x9e3779b97f4a7c15u + (uint64_t)getpid();
    bcast(&job, sizeof job, byte_type(), 0, world());
    return job;
}

static void describe_process(struct header *header)
{
    gethostname(header->host, sizeof header->host - 1);
    read_line("/proc/sys/kernel/random/boot_id", NULL, header->boot, sizeof header->boot);
    read_line("/proc/self/status", "Cpus_allowed_list", header->cpus, sizeof header->cpus);
    const ssize_t length = readlink("/proc/self/exe", header->program, sizeof header->program - 1);
    header->program[length > 0 ? length : 0] = '\0';
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int bytes;
    if (REAL(MPI_Get_library_version)(version, &bytes) == MPI_SUCCESS)
        copy_text(header->library, version, sizeof header->library);
    header->pid = getpid();
    header->cpu_first = header->cpu_last = sched_getcpu();
    char cache[96];
    snprintf(cache, sizeof cache, "/sys/devices/system/cpu/cpu%d/cache/index3/shared_cpu_list",
             header->cpu_first);
    read_line(cache, NULL, header->cache, sizeof header->cache);
}

static struct file *map_new_file(const char *directory, int rank, char *path, size_t bytes)
{
    struct file *found = NULL;
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    for (int i = 0; i < MOST_FILES && !found; i++) {
        snprintf(path, bytes, "%s/%d.%s.%ld.%d", directory, rank, host, (long)getpid(), i);
        found = map_file(path);
        if (!found && errno != EEXIST)
            break;
    }
    return found;
}

/* A child of fork is no rank, and has no other thread that could hold the lock. */
static void forget_in_child(void)
{
    recorded = mapped = ended = NULL;
    traced = NULL;
    unlock_recorder();
}

int is_recorded_here(void)
{
    return getenv(RECORD_DIRECTORY) != NULL && !mapped;
}

/* How long this thread was ready to run but did not, since it began; -1 where the kernel does not tell. */
static int64_t cpu_wait_ns(void)
{
    char line[96] = "";
    long long ran, waited;
    const int from = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return -1;
    const ssize_t length = read(from, line, sizeof line - 1);
    close(from);
    return length > 0 && sscanf(line, "%lld %lld", &ran, &waited) == 2 ? waited : -1;
}

int begin_recording_as(int rank, int ranks, uint64_t job, int thread_level)
{
    const char *directory = getenv(RECORD_DIRECTORY);
    char path[4096];
    is_tsc = has_even_ticks();
    struct file *file = map_new_file(directory, rank, path, sizeof path);
    if (!file) {
        fprintf(stderr, "hockney: rank %d cannot write %s: it is not recorded\n", rank, path);
        return 0;
    }
    is_threaded = thread_level == MPI_THREAD_MULTIPLE;
    struct header *header = &file->header;
    *header = (struct header){.magic = "hockney", .version = LAYOUT_VERSION, .bytes = sizeof *file,
                              .state = RECORDING, .thread_level = (uint32_t)thread_level, .job = job,
                              .rank = rank, .ranks = ranks};
    describe_process(header);
    header->first_ns = header->last_ns = now_ns();
    header->first_ticks = header->last_ticks = ticks();
    header->regions = 1; /* the region without a name */
    forget_cells();
    begin_trace(header, directory, strrchr(path, '/') + 1);
    mapped = recorded = file;
    pthread_atfork(NULL, NULL, forget_in_child);
    measure_cost();
    header->cpu_wait_ns = -1;
    cpu_wait_before = cpu_wait_ns();
    header->began_ticks = header->ended_ticks = ticks();
    return 1;
}

void begin_recording(int thread_level)
{
    if (is_recorded_here())
        begin_recording_as(rank_of_world(), size_of_world(), job_of_all(), thread_level);
}

void set_recording(int on)
{
    /* What was freed meanwhile may be in use again, for something else. */
    lock_recorder();
    if (on && mapped && !recorded)
        forget_all_handles();
    recorded = on ? mapped : NULL;
    keys++;
    unlock_recorder();
}

int resume_recording(void)
{
    if (!ended)
        return 0;
    mapped = ended;
    mapped->header.state = RECORDING;
    traced = traced_until_then;
    set_recording(1);
    return 1;
}

void end_recording(enum state state)
{
    struct file *file = mapped;
    if (!file)
        return;
    const uint64_t began = ticks();
    set_recording(1);
    if (state == FINALIZED)
        complete_all_requests();
    ended = file;
    traced_until_then = traced;
    recorded = mapped = NULL;
    traced = NULL;
    struct header *header = &file->header;
    header->last_ns = now_ns();
    header->last_ticks = ticks();
    header->ended_ticks = began;
    const int64_t cpu_wait = cpu_wait_ns();
    header->cpu_wait_ns = cpu_wait < 0 || cpu_wait_before < 0 ? -1 : cpu_wait - cpu_wait_before;
    header->cpu_last = sched_getcpu();
    header->state = state;
}
