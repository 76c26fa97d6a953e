#include "arrival.h"

#include <stdlib.h>

#include "check.h"
#include "list.h"
#include "order.h"
#include "values.h"

const char *const arrival_names[] = {"none",       "ascending", "descending", "random", "first-late",
                                     "last-late", "half-late", "listed",     NULL};

void arrivals_read(struct arrivals *arrivals, const char *text)
{
    int chosen[ARRIVALS];
    arrivals->count = value_choices(text, "--arrival", arrival_names, chosen);
    for (int i = 0; i < arrivals->count; i++)
        arrivals->list[i] = (enum arrival)chosen[i];
}

/* The list has one number for each rank. */
static void read_fractions(const char *list, double *fractions, int ranks)
{
    char *content = list_of("--fractions", list);
    const char *at = content;
    for (int rank = 0; rank < ranks; rank++) {
        char *end;
        fractions[rank] = strtod(at, &end);
        if (end == at || !(fractions[rank] >= 0.0 && fractions[rank] <= 1.0) ||
            (rank + 1 < ranks && *end != ','))
            fail(EXIT_ASKED_WRONGLY, "--fractions: %d numbers from 0 to 1 with commas between them are "
                                     "needed, one for each rank", ranks);
        at = end + 1;
    }
    free(content);
}

/* By every pattern that is not listed. */
static double fraction_of(enum arrival arrival, int rank, int ranks, const struct permutation *order)
{
    const int last = ranks - 1;
    switch (arrival) {
    case ASCENDING: return (double)rank / last;
    case DESCENDING: return (double)(last - rank) / last;
    case RANDOM: return (double)permutation_at(order, rank) / (double)last;
    case FIRST_LATE: return rank == 0;
    case LAST_LATE: return rank == last;
    case HALF_LATE: return rank >= ranks / 2;
    case ARRIVAL_NONE:
    case LISTED:
    case ARRIVALS: break;
    }
    return 0.0;
}

double *arrival_fractions(const struct arrivals *arrivals, enum arrival arrival, int ranks, uint64_t seed)
{
    double *fractions = allocate((size_t)ranks * sizeof *fractions);
    uint64_t state = random_state(seed);
    const struct permutation order = permutation_of(ranks, &state);
    if (arrival == LISTED && ranks > 1)
        read_fractions(arrivals->fractions, fractions, ranks);
    else
        for (int rank = 0; rank < ranks; rank++)
            fractions[rank] = ranks > 1 ? fraction_of(arrival, rank, ranks, &order) : 0.0;
    return fractions;
}
