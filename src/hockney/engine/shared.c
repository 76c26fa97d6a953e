#include "shared.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "node.h"

struct shared *shared_open(MPI_Comm comm, size_t span)
{
    int rank, ranks;
    check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    if (node_of(comm).ranks < ranks)
        return NULL;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    struct shared *shared = allocate(sizeof *shared);
    const MPI_Aint head = rank == 0 ? (MPI_Aint)(sizeof(struct line) * LINES) : 0;
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
    shared->part[0] += sizeof(struct line) * LINES;
    shared->span = span;
    if (rank == 0)
        for (int line = 0; line < LINES; line++)
            atomic_store(&shared->lines[line].value, 0);
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
