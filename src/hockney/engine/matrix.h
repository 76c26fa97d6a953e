/* Times of many pairs, a line for thousands of them: what one line a pair would hold takes thirty times
   the space. */
#ifndef HOCKNEY_MATRIX_H
#define HOCKNEY_MATRIX_H

#include <stdint.h>

#include "options.h"
#include "pairing.h"

/* Whole visits that were made, one after the other, and are not written yet. */
struct matrix {
    const struct options *options;
    int64_t visit;        /* the first of them, in the order of the pass */
    int visits;
    int count, room;      /* pairs */
    int begun;            /* pairs of the visit that is being made */
    struct pair *pairs;
    double *ns;           /* [sizes][room] */
};

/* With room for a visit of so many pairs, and for many of one. On the first rank. */
struct matrix *matrix_open(const struct options *options, int pairs);
void matrix_close(struct matrix *matrix);

/* One pair's time in the visit that is being made, for size number `size`; the pairs come in the same
   order for each size. */
void matrix_add(struct matrix *matrix, int size, int index, struct pair pair, double ns);
/* All sizes of visit `number` are measured. */
void matrix_end_visit(struct matrix *matrix, int64_t number);
int matrix_is_full(const struct matrix *matrix, int pairs);
/* Writes all whole visits as one record. */
void matrix_write(struct matrix *matrix, double at_s);

#endif
