/* The order of a rank's calls, in a file of its own, as many as HOCKNEY_RECORD_TRACE allows. The file
   grows by a chunk whose blocks are reserved before it is written: a full disk ends the trace, not the
   program. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder.h"

enum { CHUNK_ACTS = 65536, CHUNK_BYTES = CHUNK_ACTS * (int)sizeof(struct act) };
/* Waits and polls that follow each other this closely are one: 10 us at 1 GHz and more. */
enum { CLOSE_TICKS = 10000 };

struct trace_header *traced;
static struct act *chunk; /* NULL: the trace has ended */
static struct act *last;
static uint64_t limit;
static char path[4096];
static ino_t inode; /* of the file that has this path, unless somebody moved it */
static uint32_t requests;

/* The file stays closed: the program may close all descriptors, and open a file of its own in their place. */
static int open_again(void)
{
    struct stat found;
    const int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor >= 0 && (fstat(descriptor, &found) != 0 || found.st_ino != inode)) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

static void *map_part(int descriptor, off_t from, size_t bytes)
{
    if (descriptor < 0 || !may_write((size_t)from + bytes) ||
        posix_fallocate(descriptor, from, (off_t)bytes) != 0)
        return NULL;
    void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, from);
    return found == MAP_FAILED ? NULL : found;
}

static void map_chunk(uint64_t number)
{
    if (chunk)
        munmap(chunk, CHUNK_BYTES);
    const int descriptor = open_again();
    chunk = map_part(descriptor, TRACE_HEADER_BYTES + (off_t)number * CHUNK_BYTES, CHUNK_BYTES);
    last = NULL;
    if (descriptor >= 0)
        close(descriptor);
}

static struct trace_header *map_header(void)
{
    struct stat made;
    const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0 || fstat(descriptor, &made) != 0)
        return NULL;
    inode = made.st_ino;
    struct trace_header *found = map_part(descriptor, 0, TRACE_HEADER_BYTES);
    close(descriptor);
    return found;
}

void begin_trace(const struct header *header, const char *directory, const char *name)
{
    const char *allowed = getenv("HOCKNEY_RECORD_TRACE");
    limit = allowed ? strtoull(allowed, NULL, 10) : 0;
    if (!limit || snprintf(path, sizeof path, "%s/order.%s", directory, name) >= (int)sizeof path)
        return;
    struct trace_header *found = map_header();
    if (found)
        map_chunk(0);
    if (!found || !chunk) {
        leave_note("there is no room for the order of calls of all ranks");
        return;
    }
    traced = found;
    *traced = (struct trace_header){.magic = "hocktrc", .version = TRACE_VERSION,
                                    .act_bytes = sizeof(struct act), .job = header->job,
                                    .rank = header->rank, .ranks = header->ranks};
}

static void add(const struct act *act)
{
    const uint64_t place = traced->acts;
    if (chunk && place && place % CHUNK_ACTS == 0)
        map_chunk(place / CHUNK_ACTS);
    if (!chunk || place >= limit || traced->left_out) {
        traced->left_out++; /* what follows a gap is no use */
        return;
    }
    last = &chunk[place % CHUNK_ACTS];
    *last = *act;
    traced->acts++;
}

void trace_act(enum what what, const struct operation *operation, int tag, uint32_t request,
               uint64_t enter, uint64_t exit)
{
    const struct act act = {.enter = enter, .exit = exit, .bytes = operation->bytes,
                            .members = members_of(operation->group), .peer = operation->peer,
                            .tag = tag, .request = request,
                            .call = operation->started ? operation->started : operation->call,
                            .what = (uint8_t)what};
    add(&act);
}

void trace_other(uint64_t enter, uint64_t exit)
{
    if (last && last->what == OTHER && enter - last->exit < CLOSE_TICKS) {
        last->exit = exit;
        return;
    }
    add(&(struct act){.enter = enter, .exit = exit, .peer = NO_PEER, .what = OTHER});
}

uint32_t next_request(void)
{
    return ++requests;
}
