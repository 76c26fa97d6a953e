/* Elements of reductions, accumulates and atomic operations: the types of numbers that MPI adds up. */
#ifndef HOCKNEY_ELEMENTS_H
#define HOCKNEY_ELEMENTS_H

#include <mpi.h>
#include <stddef.h>

struct element {
    const char *name;
    size_t bytes;
    int is_integer, reduces;
    double precision;           /* whole numbers up to this are exact, alone and added up in any order */
    double largest;             /* what it holds at most */
    MPI_Datatype (*type)(void); /* not a constant under every MPI; MPI_DATATYPE_NULL where it has none */
    /* Element `i` of an array, as a number that the type holds exactly. */
    void (*store)(void *array, size_t i, double value);
    double (*load)(const void *array, size_t i);
};

/* What a rank adds at most where sums are checked. */
enum { LARGEST_ADDED = 23 };

/* By its name, or NULL; the names, with commas between. */
const struct element *element_named(const char *name);
extern const char element_names[];

/* Ends the program where the library cannot add up elements of this type, or they cannot hold the largest sum; to
   be called after MPI_Init. */
void element_check(const struct element *element, double largest_sum);

/* How far a sum of `count` numbers, in whatever order, may lie from the true `sum`, none being negative: (count - 1)
   roundings of half a unit in the last place each (Higham, Accuracy and Stability of Numerical Algorithms, 4.2). */
double element_tolerance(const struct element *element, int count, double sum);

#endif
