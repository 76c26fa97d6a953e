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

enum { NOTE_BYTES = 4608 };

struct file *recorded;
atomic_int is_on;
_Thread_local int depth;
int is_tsc, is_threaded;
atomic_flag busy = ATOMIC_FLAG_INIT;

static int is_open; /* between MPI_Init and MPI_Finalize, or the first session and the last */
static int64_t cpu_wait_before; /* MPI_Init was done */

void wait_for_lock(void)
{
    enum { TURNS = 100 }; /* then whoever has it needs the CPU */
    for (unsigned turn = 1; atomic_flag_test_and_set_explicit(&busy, memory_order_acquire); turn++)
        if (turn % TURNS == 0)
            sched_yield();
}

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
    int reason = posix_fallocate(descriptor, 0, sizeof(struct file));
    if (!reason) {
        found = mmap(NULL, sizeof(struct file), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        reason = errno;
    }
    close(descriptor);
    if (found != MAP_FAILED)
        return found;
    unlink(path);
    errno = reason;
    return NULL;
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

int leave_note(const char *text)
{
    const char *directory = getenv(RECORD_DIRECTORY);
    char path[4096];
    if (!directory || snprintf(path, sizeof path, "%s/problem", directory) >= (int)sizeof path)
        return 0;
    const int note = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (note < 0)
        return errno == EEXIST;
    const ssize_t length = (ssize_t)strlen(text);
    const int is_whole = write(note, text, (size_t)length) == length;
    close(note);
    return is_whole;
}

/* A child of fork is no rank, and has no other thread that could hold the lock. */
static void forget_in_child(void)
{
    is_on = 0;
    is_open = 0;
    traced = NULL;
    unlock_recorder();
}

int is_recorded_here(void)
{
    return getenv(RECORD_DIRECTORY) != NULL && !is_open;
}

static int refuse(int rank, const char *path, int reason)
{
    char note[NOTE_BYTES];
    snprintf(note, sizeof note, "rank %d is not recorded: %s cannot be written: %s", rank, path,
             strerror(reason));
    leave_note(note);
    return 0;
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

/* Nothing is asked of the other ranks: some of them may run without us. */
int begin_recording_as(int rank, int ranks, int thread_level)
{
    const char *directory = getenv(RECORD_DIRECTORY);
    char path[4096];
    is_tsc = has_even_ticks();
    struct file *file = map_new_file(directory, rank, path, sizeof path);
    if (!file)
        return refuse(rank, path, errno);
    is_threaded = thread_level == MPI_THREAD_MULTIPLE;
    struct header *header = &file->header;
    *header = (struct header){.magic = "hockney", .version = LAYOUT_VERSION, .bytes = sizeof *file,
                              .state = RECORDING, .thread_level = (uint32_t)thread_level,
                              .job = job_of_launcher(), .rank = rank, .ranks = ranks};
    describe_process(header);
    header->first_ns = header->last_ns = now_ns();
    header->first_ticks = header->last_ticks = ticks();
    header->regions = 1; /* the region without a name */
    recorded = file;
    forget_cells();
    begin_trace(header, directory, strrchr(path, '/') + 1);
    pthread_atfork(NULL, NULL, forget_in_child);
    is_open = 1;
    is_on = 1;
    measure_cost();
    header->cpu_wait_ns = -1;
    cpu_wait_before = cpu_wait_ns();
    header->began_ticks = header->ended_ticks = ticks();
    return 1;
}

void begin_recording(int thread_level)
{
    if (is_recorded_here())
        begin_recording_as(rank_of_world(), size_of_world(), thread_level);
}

void set_recording(int on)
{
    lock_recorder();
    if (is_open && on != is_on) {
        if (on)
            forget_all_handles(); /* what was freed meanwhile may be in use again, for something else */
        is_on = on;
        keys++;
    }
    unlock_recorder();
}

int resume_recording(void)
{
    if (!recorded || recorded->header.pid != getpid())
        return 0;
    recorded->header.state = RECORDING;
    is_open = 1;
    set_recording(1);
    return 1;
}

/* Takes no lock where the program aborts: it may do so in a handler of a signal, while this thread has it. */
void end_recording(enum state state)
{
    if (!is_open)
        return;
    const uint64_t began = ticks();
    if (state == FINALIZED) {
        lock_recorder();
        complete_all_requests();
        unlock_recorder();
    }
    is_on = 0;
    is_open = 0;
    struct header *header = &recorded->header;
    header->last_ns = now_ns();
    header->last_ticks = ticks();
    header->ended_ticks = began;
    const int64_t cpu_wait = cpu_wait_ns();
    header->cpu_wait_ns = cpu_wait < 0 || cpu_wait_before < 0 ? -1 : cpu_wait - cpu_wait_before;
    header->cpu_last = sched_getcpu();
    header->state = state;
}
