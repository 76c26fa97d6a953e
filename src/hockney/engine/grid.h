/* Ranks on a grid, row by row, who is whose neighbour, and how messages between them are packed. */
#ifndef HOCKNEY_GRID_H
#define HOCKNEY_GRID_H

enum { MOST_DIMENSIONS = 3, MOST_NEIGHBORS = 26 };

struct grid {
    int dimensions, sides[MOST_DIMENSIONS];
    int is_open;   /* no neighbours across its ends */
    int reach;     /* in how many dimensions a neighbour may be one step away: 1 are faces, 2 with
                      edges, 3 with corners */
    int reordered; /* the library may give ranks other places */
    int parts;     /* of a partitioned message */
};

/* Names of the neighbours that a rank has, by `reach` - 1; ends with NULL. */
extern const char *const neighbors_names[];

/* How the messages of a halo, columns of an array, get there: they are packed by hand, or MPI takes them
   by a datatype; or they need neither, as each is contiguous. */
enum packing { PACKING_NONE, PACKING_BY_HAND, PACKING_BY_DATATYPE };

/* Their names, by number; ends with NULL. */
extern const char *const packings_names[];

/* Reads sides such as "4x2"; ends the program where they are none. */
void grid_read(struct grid *grid, const char *text);

int grid_ranks(const struct grid *grid);

/* How many directions neighbours may be in. Those along one dimension come first, as MPI counts
   neighbours on a Cartesian topology; direction d ^ 1 leads back from direction d. */
int grid_directions(const struct grid *grid);

/* The neighbour of `rank` in a direction, or MPI_PROC_NULL: beyond an open end, and where the grid
   has one rank alone in that dimension. */
int grid_neighbor(const struct grid *grid, int rank, int direction);

#endif
