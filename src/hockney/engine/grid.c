#include "grid.h"

#include <ctype.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

const char *const neighbors_names[] = {"faces", "edges", "corners", NULL};
const char *const packings_names[] = {"none", "hand", "datatype", NULL};

int grid_ranks(const struct grid *grid)
{
    int ranks = 1;
    for (int i = 0; i < grid->dimensions; i++)
        ranks *= grid->sides[i];
    return ranks;
}

/* The offset of number `code`: a digit of 0, 1, 2 for each dimension is -1, 0, 1 there. Returns in how
   many dimensions it is not 0; negative where another one leads the same way back. */
static int offset_of(const struct grid *grid, int code, int *offset)
{
    int changed = 0, first = 0;
    for (int i = grid->dimensions - 1; i >= 0; i--, code /= 3) {
        offset[i] = code % 3 - 1;
        changed += offset[i] != 0;
        first = offset[i] != 0 ? offset[i] : first;
    }
    return first < 0 ? changed : -changed;
}

/* The offset of a direction; returns 0 where there is none of that number. */
static int direction_of(const struct grid *grid, int direction, int *offset)
{
    int codes = 1, number = 0;
    for (int i = 0; i < grid->dimensions; i++)
        codes *= 3;
    for (int changed = 1; changed <= grid->reach && changed <= grid->dimensions; changed++)
        for (int code = 0; code < codes; code++) {
            if (offset_of(grid, code, offset) != changed)
                continue;
            if (number == direction / 2) {
                for (int i = 0; direction % 2 && i < grid->dimensions; i++)
                    offset[i] = -offset[i];
                return 1;
            }
            number++;
        }
    return 0;
}

int grid_directions(const struct grid *grid)
{
    int offset[MOST_DIMENSIONS], directions = 0;
    while (direction_of(grid, directions, offset))
        directions++;
    return directions;
}

int grid_neighbor(const struct grid *grid, int rank, int direction)
{
    int offset[MOST_DIMENSIONS], neighbor = 0, stride = 1;
    if (!direction_of(grid, direction, offset))
        return MPI_PROC_NULL;
    for (int i = grid->dimensions - 1; i >= 0; i--) {
        const int side = grid->sides[i], at = rank / stride % side + offset[i];
        if ((at < 0 || at >= side) && (grid->is_open || side == 1))
            return MPI_PROC_NULL;
        neighbor += (at + side) % side * stride;
        stride *= side;
    }
    return neighbor;
}

void grid_read(struct grid *grid, const char *text)
{
    enum { LONGEST_SIDE = 1 << 20, MOST_RANKS = 1 << 30 };
    int64_t ranks = 1;
    grid->dimensions = 0;
    for (const char *at = text;; at++) {
        char *end = NULL;
        const long side = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : 0;
        if (grid->dimensions == MOST_DIMENSIONS || side < 1 || side > LONGEST_SIDE ||
            (ranks *= side) > MOST_RANKS || (*end != 'x' && *end != '\0'))
            fail(EXIT_ASKED_WRONGLY, "--grid %s: one to three sides from 1 up, such as 4x2", text);
        grid->sides[grid->dimensions++] = (int)side;
        at = end;
        if (*at == '\0')
            return;
    }
}
