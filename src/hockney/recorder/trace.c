/* The order of a rank's calls, in a file of its own, as many as HOCKNEY_RECORD_TRACE allows. The file
   grows by a chunk whose blocks are reserved before it is written: a full disk ends the trace, not the
   program. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder.h"

enum { CHUNK_ACTS = 65536, CHUNK_BYTES = CHUNK_ACTS * (int)sizeof(struct act) };
/* Waits and polls that follow each other this closely are one: 10 us at 1 GHz and more. */
enum { CLOSE_TICKS = 10000 };

struct trace_header *traced;
static struct act *chunk; /* NULL: the trace has ended */
static struct act *last;
static uint64_t limit;
static int descriptor;
static uint32_t requests;

static int map_chunk(uint64_t number)
{
    const off_t from = TRACE_HEADER_BYTES + (off_t)number * CHUNK_BYTES;
    if (chunk)
        munmap(chunk, CHUNK_BYTES);
    chunk = last = NULL;
    if (!may_write((size_t)from + CHUNK_BYTES) || posix_fallocate(descriptor, from, CHUNK_BYTES) != 0)
        return 0;
    void *found = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                       descriptor, from);
    if (found == MAP_FAILED)
        return 0;
    chunk = found;
    return 1;
}

void begin_trace(const struct header *header, const char *directory, const char *name)
{
    const char *allowed = getenv("HOCKNEY_RECORD_TRACE");
    char path[4096];
    limit = allowed ? strtoull(allowed, NULL, 10) : 0;
    if (!limit)
        return;
    snprintf(path, sizeof path, "%s/order.%s", directory, name);
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0 || posix_fallocate(descriptor, 0, TRACE_HEADER_BYTES) != 0) {
        fprintf(stderr, "hockney: rank %d cannot write %s: %s\n", header->rank, path, strerror(errno));
        return;
    }
    void *found = mmap(NULL, TRACE_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (found == MAP_FAILED || !map_chunk(0))
        return;
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
                            .members = recorded->groups[operation->group].members,
                            .peer = operation->peer, .tag = tag, .request = request,
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
