#include "reports.h"

#include <stdlib.h>

#include "check.h"

void reports_open(struct reports *reports, MPI_Comm comm, int room)
{
    *reports = (struct reports){.comm = comm, .room = room};
    check(MPI_Comm_rank(comm, &reports->rank), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &reports->ranks), "MPI_Comm_size");
    reports->bytes = sizeof(struct report) + (size_t)room * sizeof(double);
    reports->mine = allocate(reports->bytes);
    check(MPI_Type_contiguous((int)reports->bytes, MPI_BYTE, &reports->type),
          "MPI_Type_contiguous");
    check(MPI_Type_commit(&reports->type), "MPI_Type_commit");
    if (reports->rank != 0)
        return;
    reports->all = allocate(reports->bytes * (size_t)reports->ranks);
    reports->counts = allocate((size_t)reports->ranks * sizeof(int));
    reports->displacements = allocate((size_t)reports->ranks * sizeof(int));
    for (int rank = 0; rank < reports->ranks; rank++)
        reports->displacements[rank] = rank;
}

void reports_close(struct reports *reports)
{
    check(MPI_Type_free(&reports->type), "MPI_Type_free");
    free(reports->mine);
    free(reports->all);
    free(reports->counts);
    free(reports->displacements);
}

static void count_speakers(struct reports *reports, const struct pairing *pairing,
                           int64_t arrangement, int value)
{
    for (int i = 0; i < pairing_count(pairing, arrangement); i++) {
        const struct pair pair = pairing_pair(pairing, arrangement, i);
        reports->counts[pair.first] = reports->counts[pair.second] = value;
    }
}

void reports_gather(struct reports *reports, const struct pairing *pairing, int64_t arrangement,
                    int speaks)
{
    if (2 * pairing_count(pairing, arrangement) == reports->ranks) {
        check(MPI_Gather(reports->mine, 1, reports->type, reports->all, 1, reports->type, 0,
                         reports->comm),
              "MPI_Gather");
        return;
    }
    if (reports->rank == 0)
        count_speakers(reports, pairing, arrangement, 1);
    check(MPI_Gatherv(reports->mine, speaks, reports->type, reports->all, reports->counts,
                      reports->displacements, reports->type, 0, reports->comm),
          "MPI_Gatherv");
    if (reports->rank == 0)
        count_speakers(reports, pairing, arrangement, 0);
}

const struct report *report_of(const struct reports *reports, int rank)
{
    return (const struct report *)(const void *)(reports->all + (size_t)rank * reports->bytes);
}
