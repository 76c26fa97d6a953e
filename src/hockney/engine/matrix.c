#include "matrix.h"

#include <stdlib.h>

#include "check.h"
#include "records.h"

/* Pairs in a line, unless one visit has more: a line of two sizes is shorter than 128 KiB. */
enum { PAIRS_IN_A_LINE = 4096 };

struct matrix *matrix_open(const struct options *options, int pairs)
{
    struct matrix *matrix = allocate(sizeof *matrix);
    const int room = pairs > PAIRS_IN_A_LINE ? pairs : PAIRS_IN_A_LINE;
    *matrix = (struct matrix){.options = options, .room = room};
    matrix->pairs = allocate((size_t)room * sizeof *matrix->pairs);
    matrix->ns = allocate((size_t)room * (size_t)options->size_count * sizeof *matrix->ns);
    return matrix;
}

void matrix_close(struct matrix *matrix)
{
    if (matrix == NULL)
        return;
    free(matrix->pairs);
    free(matrix->ns);
    free(matrix);
}

void matrix_add(struct matrix *matrix, int size, int index, struct pair pair, double ns)
{
    const int at = matrix->count + index;
    matrix->pairs[at] = pair;
    matrix->ns[(size_t)size * (size_t)matrix->room + (size_t)at] = ns;
    matrix->begun = index + 1;
}

void matrix_end_visit(struct matrix *matrix, int64_t number)
{
    if (matrix->visits == 0)
        matrix->visit = number;
    matrix->visits++;
    matrix->count += matrix->begun;
    matrix->begun = 0;
}

int matrix_is_full(const struct matrix *matrix, int pairs)
{
    return matrix->count + pairs > matrix->room;
}

void matrix_write(struct matrix *matrix, double at_s)
{
    if (matrix->visits == 0)
        return;
    record_pair_times(&(struct pair_times_facts){
        .pass = matrix->options->pass,
        .visit = matrix->visit,
        .visits = matrix->visits,
        .operation = matrix->options->operation->name,
        .sizes = matrix->options->sizes,
        .size_count = matrix->options->size_count,
        .pairs = matrix->pairs,
        .count = matrix->count,
        .ns = matrix->ns,
        .stride = matrix->room,
        .at_s = at_s,
    });
    matrix->visits = matrix->count = 0;
}
