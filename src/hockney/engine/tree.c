#include "tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "simulated.h"

enum { TAG_TREE = 7 };

struct tree {
    MPI_Comm comm;
    int rank, ranks;
};

static struct tree tree_of(MPI_Comm comm)
{
    struct tree tree = {.comm = comm};
    ranks_of(comm, &tree.rank, &tree.ranks);
    return tree;
}

/* Below this distance are a rank's children, at it its parent: the lowest bit of its number. */
static int distance_to_parent(const struct tree *tree)
{
    int distance = 1;
    while (distance < tree->ranks && (tree->rank & distance) == 0)
        distance *= 2;
    return distance;
}

static void pass(const struct tree *tree, const void *data, int count, MPI_Datatype type, int to)
{
    /* SimGrid searches all messages that were sent before their receive is posted, which is slow. */
    if (IS_SIMULATED)
        check(MPI_Ssend(data, count, type, to, TAG_TREE, tree->comm), "MPI_Ssend");
    else
        check(MPI_Send(data, count, type, to, TAG_TREE, tree->comm), "MPI_Send");
}

static void take(const struct tree *tree, void *data, int count, MPI_Datatype type, int from)
{
    check(MPI_Recv(data, count, type, from, TAG_TREE, tree->comm, MPI_STATUS_IGNORE), "MPI_Recv");
}

static void combine(double *into, const double *other, struct tree_layout layout)
{
    for (int i = 0; i < layout.largest; i++, into++, other++)
        *into = fmax(*into, *other);
    for (int i = 0; i < layout.located; i++, into += 2, other += 2)
        if (other[0] > into[0])
            memcpy(into, other, 2 * sizeof *into);
    for (int i = 0; i < layout.added; i++, into++, other++)
        *into += *other;
}

void tree_reduce(double *values, struct tree_layout layout, MPI_Comm comm)
{
    const struct tree tree = tree_of(comm);
    const int count = layout.largest + 2 * layout.located + layout.added;
    const int last = distance_to_parent(&tree);
    double *other = allocate((size_t)count * sizeof *other);
    for (int distance = 1; distance < last && tree.rank + distance < tree.ranks; distance *= 2) {
        take(&tree, other, count, MPI_DOUBLE, tree.rank + distance);
        combine(values, other, layout);
    }
    if (tree.rank > 0)
        pass(&tree, values, count, MPI_DOUBLE, tree.rank - last);
    free(other);
}

void tree_bcast(void *data, int bytes, MPI_Comm comm)
{
    const struct tree tree = tree_of(comm);
    int distance = distance_to_parent(&tree);
    if (tree.rank > 0)
        take(&tree, data, bytes, MPI_BYTE, tree.rank - distance);
    for (distance /= 2; distance > 0; distance /= 2) /* first to whom most others wait for */
        if (tree.rank + distance < tree.ranks)
            pass(&tree, data, bytes, MPI_BYTE, tree.rank + distance);
}

void tree_gather(const void *own, void *all, int bytes, MPI_Comm comm)
{
    const struct tree tree = tree_of(comm);
    const int last = distance_to_parent(&tree);
    const int below = last < tree.ranks - tree.rank ? last : tree.ranks - tree.rank;
    char *blocks = tree.rank == 0 ? all : allocate((size_t)below * (size_t)bytes);
    MPI_Datatype block; /* a count of bytes could be above 2^31 */
    check(MPI_Type_contiguous(bytes, MPI_BYTE, &block), "MPI_Type_contiguous");
    check(MPI_Type_commit(&block), "MPI_Type_commit");
    memcpy(blocks, own, (size_t)bytes);
    for (int distance = 1; distance < below; distance *= 2) {
        const int theirs = distance < below - distance ? distance : below - distance;
        take(&tree, blocks + (size_t)distance * (size_t)bytes, theirs, block,
                tree.rank + distance);
    }
    if (tree.rank > 0) {
        pass(&tree, blocks, below, block, tree.rank - last);
        free(blocks);
    }
    check(MPI_Type_free(&block), "MPI_Type_free");
}

void text_pass(const char *text, int to, int tag, MPI_Comm comm)
{
    check(MPI_Send(text, (int)strlen(text) + 1, MPI_CHAR, to, tag, comm), "MPI_Send");
}

char *text_take(int from, int tag, MPI_Comm comm)
{
    MPI_Status status;
    int length;
    check(MPI_Probe(from, tag, comm, &status), "MPI_Probe");
    check(MPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
    char *text = allocate((size_t)length);
    check(MPI_Recv(text, length, MPI_CHAR, from, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    return text;
}
