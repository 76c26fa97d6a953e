#include "shared.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "node.h"
#include "order.h"

/* As a page of most machines; where pages are larger, a few pairs share one. */
enum { PAGE_BYTES = 4096, PAGE_LINES = PAGE_BYTES / (int)sizeof(struct line) };

/* All that the two ranks' parts come after: a page with the lines, and those of the probe. */
static const size_t HEAD_BYTES = (size_t)PAGE_BYTES * (1 + PROBED_PAGES);

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

struct shared *shared_open(MPI_Comm comm, size_t span, uint64_t seed)
{
    int rank, ranks;
    check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    if (node_of(comm).ranks < ranks)
        return NULL;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    struct shared *shared = allocate(sizeof *shared);
    const MPI_Aint head = rank == 0 ? (MPI_Aint)HEAD_BYTES : 0;
    char *mine;
    check(MPI_Win_allocate_shared(head + (MPI_Aint)span, 1, MPI_INFO_NULL, comm, &mine,
                                  &shared->window),
          "MPI_Win_allocate_shared");
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
