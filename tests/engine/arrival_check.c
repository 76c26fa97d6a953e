/* Prints how late each of N ranks is by the list of --fractions: its arguments are the list, or @FILE, and N. */
#include <stdio.h>
#include <stdlib.h>

#include "arrival.h"

int main(int argc, char **argv)
{
    const struct arrivals arrivals = {.fractions = argv[1]};
    const int ranks = argc > 2 ? atoi(argv[2]) : 0;
    double *fractions = arrival_fractions(&arrivals, LISTED, ranks, 1);
    for (int rank = 0; rank < ranks; rank++)
        printf("%g\n", fractions[rank]);
    free(fractions);
    return 0;
}
