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

/* The number at place `rank` of the list, which has one for each rank. */
static double listed_fraction(const char *list, int rank, int ranks)
{
    char *content = list_of("--fractions", list);
    const char *at = content;
    double found = -1.0;
    for (int i = 0; i < ranks; i++) {
        char *end;
        const double fraction = strtod(at, &end);
        if (end == at || !(fraction >= 0.0 && fraction <= 1.0) || (i + 1 < ranks && *end != ','))
            fail(EXIT_ASKED_WRONGLY, "--fractions: %d numbers from 0 to 1 with commas between them are "
                                     "needed, one for each rank", ranks);
        if (i == rank)
            found = fraction;
        at = end + 1;
    }
    free(content);
    return found;
}

static double random_fraction(int rank, int ranks, uint64_t seed)
{
    uint64_t state = random_state(seed);
    const struct permutation order = permutation_of(ranks, &state);
    return (double)permutation_at(&order, rank) / (double)(ranks - 1);
}

double arrival_fraction(const struct arrivals *arrivals, enum arrival arrival, int rank, int ranks,
                        uint64_t seed)
{
    const int last = ranks - 1;
    if (last == 0)
        return 0.0;
    switch (arrival) {
    case ARRIVAL_NONE: return 0.0;
    case ASCENDING: return (double)rank / last;
    case DESCENDING: return (double)(last - rank) / last;
    case RANDOM: return random_fraction(rank, ranks, seed);
    case FIRST_LATE: return rank == 0;
    case LAST_LATE: return rank == last;
    case HALF_LATE: return rank >= ranks / 2;
    case LISTED: return listed_fraction(arrivals->fractions, rank, ranks);
    case ARRIVALS: break;
    }
    return 0.0;
}
