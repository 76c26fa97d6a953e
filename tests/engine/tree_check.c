/* Reduces, broadcasts and gathers along the tree on subsets of the world of every size, and compares
   with what the library's collectives give. The first rank prints how many sizes were right. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

enum { LARGEST = 3, LOCATED = 2, ADDED = 4, COUNT = LARGEST + 2 * LOCATED + ADDED, BYTES = 13 };

static void expect(int is_right, const char *what, int ranks)
{
    if (is_right)
        return;
    fprintf(stderr, "%s is wrong for %d ranks\n", what, ranks);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The largest of them is not the first rank's or the last one's. */
static double value_of(int rank, int i) { return (double)((rank * 7 + i * 3) % 11) + 0.5 * i; }

static void check_reduce(MPI_Comm comm, int rank, int ranks)
{
    double values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = value_of(rank, i);
    for (int i = 0; i < LOCATED; i++)
        values[LARGEST + 2 * i + 1] = rank;
    tree_reduce(values, (struct tree_layout){LARGEST, LOCATED, ADDED}, comm);
    for (int i = 0; i < COUNT && rank == 0; i++) {
        const int is_place = i >= LARGEST && i < LARGEST + 2 * LOCATED && (i - LARGEST) % 2 == 1;
        double largest = -1.0, sum = 0.0;
        for (int other = 0; other < ranks; other++) {
            largest = value_of(other, i) > largest ? value_of(other, i) : largest;
            sum += value_of(other, i);
        }
        if (is_place)
            expect(value_of((int)values[i], i - 1) == values[i - 1], "a place", ranks);
        else
            expect(values[i] == (i < LARGEST + 2 * LOCATED ? largest : sum), "a reduction", ranks);
    }
    tree_reduce(NULL, (struct tree_layout){0}, comm);
}

static void check_bcast_and_gather(MPI_Comm comm, int rank, int ranks)
{
    char text[BYTES] = "", own[BYTES], *all = rank == 0 ? malloc((size_t)ranks * BYTES) : NULL;
    if (rank == 0)
        snprintf(text, sizeof text, "of %d", ranks);
    tree_bcast(text, sizeof text, comm);
    snprintf(own, sizeof own, "%s: %d", text, rank);
    tree_gather(own, all, BYTES, comm);
    for (int other = 0; other < ranks && rank == 0; other++) {
        char expected[BYTES];
        snprintf(expected, sizeof expected, "of %d: %d", ranks, other);
        expect(strcmp(all + other * BYTES, expected) == 0, "a broadcast or gather", ranks);
    }
    free(all);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int some = 1; some <= ranks; some++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank < some ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm == MPI_COMM_NULL)
            continue;
        check_reduce(comm, rank, some);
        check_bcast_and_gather(comm, rank, some);
        MPI_Comm_free(&comm);
    }
    if (rank == 0)
        printf("%d\n", ranks);
    MPI_Finalize();
    return 0;
}
