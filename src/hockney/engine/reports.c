#include "reports.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tree.h"

enum { TAG_REPORT = 9 };

void reports_open(struct reports *reports, MPI_Comm comm, int room)
{
    *reports = (struct reports){.comm = comm, .room = room};
    ranks_of(comm, &reports->rank, &reports->ranks);
    reports->bytes = sizeof(struct report) + (size_t)room * sizeof(double);
    reports->mine = allocate(reports->bytes);
    if (reports->rank == 0)
        reports->all = allocate(reports->bytes * (size_t)reports->ranks);
}

void reports_close(struct reports *reports)
{
    free(reports->mine);
    free(reports->all);
}

static void receive_from(struct reports *reports, int rank)
{
    char *place = reports->all + (size_t)rank * reports->bytes;
    if (rank == 0)
        memcpy(place, reports->mine, reports->bytes);
    else
        check(MPI_Recv(place, (int)reports->bytes, MPI_BYTE, rank, TAG_REPORT, reports->comm,
                       MPI_STATUS_IGNORE),
              "MPI_Recv");
}

/* Where some are silent, the others speak to the first rank themselves: a tree would need all. */
void reports_gather(struct reports *reports, const struct pairing *pairing, int64_t arrangement,
                    int speaks)
{
    const int pairs = pairing_count(pairing, arrangement);
    if (2 * pairs == reports->ranks) {
        tree_gather(reports->mine, reports->all, (int)reports->bytes, reports->comm);
        return;
    }
    if (reports->rank > 0 && speaks)
        check(MPI_Send(reports->mine, (int)reports->bytes, MPI_BYTE, 0, TAG_REPORT, reports->comm),
              "MPI_Send");
    for (int i = 0; i < pairs && reports->rank == 0; i++) {
        const struct pair pair = pairing_pair(pairing, arrangement, i);
        receive_from(reports, pair.first);
        receive_from(reports, pair.second);
    }
}

const struct report *report_of(const struct reports *reports, int rank)
{
    return (const struct report *)(const void *)(reports->all + (size_t)rank * reports->bytes);
}
