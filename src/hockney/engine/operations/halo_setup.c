/* The neighbours of a rank, and where the messages that it exchanges with them lie. */
#include <limits.h>
#include <stdlib.h>

#include "../check.h"
#include "../tree.h"
#include "halo.h"

static MPI_Comm cartesian(const struct grid *grid, MPI_Comm comm)
{
    int periods[MOST_DIMENSIONS];
    MPI_Comm ordered;
    for (int i = 0; i < grid->dimensions; i++) /* nobody is its own neighbour */
        periods[i] = !grid->is_open && grid->sides[i] > 1;
    check(MPI_Cart_create(comm, grid->dimensions, grid->sides, periods, grid->reordered, &ordered),
          "MPI_Cart_create");
    return ordered;
}

/* A Cartesian topology has no edges and corners. */
static MPI_Comm graph(const struct grid *grid, int rank, MPI_Comm comm)
{
    const int directions = grid_directions(grid);
    int neighbors[MOST_NEIGHBORS], weights[MOST_NEIGHBORS], count = 0;
    MPI_Comm ordered;
    for (int i = 0; i < directions; i++) {
        const int neighbor = grid_neighbor(grid, rank, i);
        if (neighbor == MPI_PROC_NULL)
            continue;
        weights[count] = 1; /* what Open MPI has for MPI_UNWEIGHTED is no array, and GCC warns of it */
        neighbors[count++] = neighbor;
    }
    check(MPI_Dist_graph_create_adjacent(comm, count, neighbors, weights, count, neighbors, weights,
                                         MPI_INFO_NULL, grid->reordered, &ordered),
          "MPI_Dist_graph_create_adjacent");
    return ordered;
}

/* On the first rank of the launch: its neighbours, as the launch counts ranks. */
static void find_partners(struct halo *halo, MPI_Comm comm)
{
    MPI_Group ours, theirs;
    check(MPI_Comm_group(halo->comm, &ours), "MPI_Comm_group");
    check(MPI_Comm_group(comm, &theirs), "MPI_Comm_group");
    for (int i = 0; i < halo->grid->dimensions; i++) {
        const int peer = halo->peers[2 * i + 1];
        int partner = 0;
        if (peer != MPI_PROC_NULL)
            check(MPI_Group_translate_ranks(ours, 1, &peer, theirs, &partner),
                  "MPI_Group_translate_ranks");
        for (int j = 0; j < i; j++)
            partner = halo->partners[j] == partner ? 0 : partner;
        halo->partners[i] = partner;
    }
    check(MPI_Group_free(&ours), "MPI_Group_free");
    check(MPI_Group_free(&theirs), "MPI_Group_free");
}

static int count_moved(const struct halo *halo, int rank, MPI_Comm comm)
{
    double moved = halo->rank != rank;
    tree_reduce(&moved, (struct tree_layout){.added = 1}, comm);
    return (int)moved;
}

struct halo *halo_open(const struct grid *grid, MPI_Comm comm, int with_topology)
{
    struct halo *halo = allocate(sizeof *halo);
    int rank;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    *halo = (struct halo){
        .grid = grid,
        .comm = comm,
        .has_topology = with_topology || grid->reordered,
        .directions = grid_directions(grid),
    };
    if (halo->has_topology)
        halo->comm = grid->reach == 1 ? cartesian(grid, comm) : graph(grid, rank, comm);
    return_errors(halo->comm);
    check(MPI_Comm_rank(halo->comm, &halo->rank), "MPI_Comm_rank");
    for (int i = 0; i < halo->directions; i++) {
        halo->peers[i] = grid_neighbor(grid, halo->rank, i);
        if (halo->peers[i] != MPI_PROC_NULL)
            halo->ways[halo->neighbors++] = i;
    }
    halo->moved = count_moved(halo, rank, comm);
    if (rank == 0)
        find_partners(halo, comm);
    tree_bcast(halo->partners, sizeof halo->partners, comm);
    return halo;
}

void halo_close(struct halo *halo)
{
    if (halo->has_topology)
        check(MPI_Comm_free(&halo->comm), "MPI_Comm_free");
    free(halo);
}

double halo_footprint(int directions, size_t bytes, enum packing packing)
{
    const double packed = (double)directions * (double)bytes, columns = packed * (LINE / ELEMENT);
    return packing == PACKING_NONE ? packed
           : packing == PACKING_BY_DATATYPE ? columns
                                       : packed + columns;
}

MPI_Datatype halo_column_type(size_t bytes)
{
    MPI_Datatype column, whole;
    check(MPI_Type_vector((int)(bytes / ELEMENT), 1, LINE / ELEMENT, MPI_DOUBLE, &column),
          "MPI_Type_vector");
    check(MPI_Type_create_resized(column, 0, (MPI_Aint)(bytes * (LINE / ELEMENT)), &whole),
          "MPI_Type_create_resized");
    check(MPI_Type_commit(&whole), "MPI_Type_commit");
    check(MPI_Type_free(&column), "MPI_Type_free");
    return whole;
}

/* Displacements are int: past that they count blocks. */
static MPI_Datatype block_type(size_t bytes)
{
    struct message block;
    message_set_type(&block, bytes, 1);
    return block.type;
}

static void place_messages(struct halo *halo, const struct context *context)
{
    const size_t bytes = halo->bytes = context->bytes, columns = bytes * (LINE / ELEMENT);
    const size_t all = (size_t)halo->directions * bytes;
    halo->is_column = halo->packing == PACKING_BY_DATATYPE && bytes > 0;
    halo->owns_type = halo->is_column || (all > INT_MAX && bytes <= INT_MAX);
    halo->first = halo->is_column ? COLUMN : 0;
    halo->pitch = halo->is_column ? columns : bytes;
    halo->array = all + COLUMN;
    halo->array_pitch = halo->packing == PACKING_BY_HAND ? columns : 0;
    halo->type = halo->is_column   ? halo_column_type(bytes)
                 : halo->owns_type ? block_type(bytes)
                                   : context->out.type;
    halo->count = halo->owns_type ? 1 : context->out.count;
}

int halo_prepare(struct context *context, int by_topology)
{
    struct halo *halo = context->halo;
    const int left_out = by_topology && halo->grid->reach > 1; /* absent neighbours: they come last */
    int slot = 0;
    place_messages(halo, context);
    for (int absent = 0; absent <= left_out; absent++)
        for (int i = 0; i < halo->directions; i++)
            if (!left_out || absent == (halo->peers[i] == MPI_PROC_NULL))
                halo->slots[i] = slot++;
    /* Displacements are in units of the type. */
    const size_t of_slot = halo->type == MPI_BYTE ? halo->bytes : 1;
    for (int i = 0; i < halo->directions; i++) {
        halo->counts[i] = halo->count;
        halo->displacements[i] = (int)((size_t)i * of_slot);
        halo->places[i] = (MPI_Aint)((size_t)i * halo->pitch);
        halo->types[i] = halo->type;
    }
    return MPI_SUCCESS;
}

int halo_finish(struct context *context)
{
    return context->halo->owns_type ? MPI_Type_free(&context->halo->type) : MPI_SUCCESS;
}

int halo_free_requests(struct context *context)
{
    struct halo *halo = context->halo;
    int code = halo_finish(context);
    for (int i = 0; i < 2 * halo->neighbors && code == MPI_SUCCESS; i++)
        code = MPI_Request_free(&halo->requests[i]);
    return code;
}
