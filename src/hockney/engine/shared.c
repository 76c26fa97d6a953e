#include "shared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "check.h"
#include "clock.h"
#include "node.h"
#include "order.h"
#include "window_faults.h"

/* As a page of most machines; where pages are larger, a few pairs share one. */
enum { PAGE_BYTES = 4096, PAGE_LINES = PAGE_BYTES / (int)sizeof(struct line) };

/* All that the two ranks' parts come after: a page with the lines, and those of the probe. */
static const size_t HEAD_BYTES = (size_t)PAGE_BYTES * (1 + PROBED_PAGES);

/* A library that refuses one rank a window may leave the others in the call for ever (Open MPI, where
   /dev/shm is too small). */
static const int64_t PATIENCE_NS = 5000000000;

/* Open MPI keeps a little more there than what it is asked for. */
static const double RESERVE_BYTES = 32768.0;

/* One pair a page, each further on in its page than the one before: addresses that differ in all
   the bits that may pick the slice of a cache. */
static void find_probed(struct shared *shared, uint64_t seed)
{
    uint64_t random = random_state(seed);
    for (int page = 0; page < PROBED_PAGES; page++)
        shared->probed[page] = shared->lines + (page + 1) * PAGE_LINES + 2 * page % PAGE_LINES;
    shuffle(shared->probed, PROBED_PAGES, (int)sizeof *shared->probed, &random);
}

/* On the first rank, which so decides where the pages are. */
static void clear(struct shared *shared)
{
    for (int line = 0; line < LINES; line++)
        atomic_store(&shared->lines[line].value, 0);
    for (int page = 0; page < PROBED_PAGES; page++)
        for (int line = 0; line < 2; line++)
            atomic_store(&shared->probed[page][line].value, 0);
}

int window_all_made(int code, MPI_Comm comm)
{
    const int failed = code != MPI_SUCCESS || fault_refuses_window(comm);
    const int64_t until = clock_ns() + PATIENCE_NS;
    int any_failed = 0, answered = 0;
    MPI_Request request;
    check(MPI_Iallreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, comm, &request), "MPI_Iallreduce");
    while (code != MPI_SUCCESS && !answered) {
        check(MPI_Test(&request, &answered, MPI_STATUS_IGNORE), "MPI_Test");
        if (!answered && clock_ns() > until)
            check(code, "the allocation of a window, in which the other ranks hang");
    }
    if (!answered)
        check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    return !any_failed;
}

void window_refusal(int code, char *text)
{
    if (code != MPI_SUCCESS)
        error_text(code, text);
    else
        snprintf(text, MPI_MAX_ERROR_STRING, "another rank was refused");
}

/* Collective: whether /dev/shm, where windows are made, has room for one on every rank, so that none is
   asked for in vain; it has where nothing is known. */
static int has_room(double needed, char *refusal, MPI_Comm comm)
{
    struct statvfs found;
    double least = HUGE_VAL;
    if (statvfs("/dev/shm", &found) == 0)
        least = (double)found.f_bavail * (double)found.f_frsize;
    check(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, comm), "MPI_Allreduce");
    if (least < needed)
        snprintf(refusal, MPI_MAX_ERROR_STRING, "/dev/shm has %.0f KiB free, it needs %.0f KiB",
                 least / 1024.0, needed / 1024.0);
    return least >= needed;
}

struct shared *shared_open(MPI_Comm comm, size_t span, uint64_t seed, char *refusal)
{
    int rank, ranks;
    refusal[0] = '\0';
    check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    if (node_of(comm).ranks < ranks)
        return NULL;
    if (!has_room((double)HEAD_BYTES + 2.0 * (double)span + RESERVE_BYTES, refusal, comm))
        return NULL;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    struct shared *shared = allocate(sizeof *shared);
    const MPI_Aint head = rank == 0 ? (MPI_Aint)HEAD_BYTES : 0;
    char *mine;
    const int code = MPI_Win_allocate_shared(head + (MPI_Aint)span, 1, MPI_INFO_NULL, comm, &mine,
                                             &shared->window);
    if (!window_all_made(code, comm)) { /* a window that only one rank has cannot be freed */
        window_refusal(code, refusal);
        free(shared);
        return NULL;
    }
    for (int owner = 0; owner < 2; owner++) {
        MPI_Aint size;
        int unit;
        check(MPI_Win_shared_query(shared->window, owner, &size, &unit, &shared->part[owner]),
              "MPI_Win_shared_query");
    }
    shared->lines = (struct line *)(void *)shared->part[0];
    shared->part[0] += HEAD_BYTES;
    shared->span = span;
    find_probed(shared, seed);
    if (rank == 0)
        clear(shared);
    if (span > 0)
        memset(shared->part[rank], rank + 1, span);
    check(MPI_Barrier(comm), "MPI_Barrier");
    return shared;
}

void shared_close(struct shared *shared)
{
    if (shared == NULL)
        return;
    check(MPI_Win_free(&shared->window), "MPI_Win_free");
    free(shared);
}
