#include "arrival.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "list.h"
#include "order.h"

const char *const arrival_names[] = {"none",       "ascending", "descending", "random", "first-late",
                                     "last-late", "half-late", "listed",     NULL};

static int arrival_named(const char *name, size_t length)
{
    for (int i = 0; arrival_names[i] != NULL; i++)
        if (strlen(arrival_names[i]) == length && strncmp(arrival_names[i], name, length) == 0)
            return i;
    return -1;
}

void arrivals_read(struct arrivals *arrivals, const char *text)
{
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        const int named = arrival_named(at, length);
        if (named < 0)
            fail(EXIT_ASKED_WRONGLY, "--arrival %.*s: none, ascending, descending, random, first-late, "
                                     "last-late, half-late or listed", (int)length, at);
        if (arrivals->count == MOST_ARRIVALS)
            fail(EXIT_ASKED_WRONGLY, "--arrival: more than %d patterns", MOST_ARRIVALS);
        arrivals->list[arrivals->count++] = (enum arrival)named;
        at += length;
        if (*at == '\0')
            return;
    }
}

/* The number at place `rank` of the list, which has one for each rank. */
static double listed_fraction(const char *list, int rank, int ranks)
{
    char *content = *list == '@' ? list_content("--fractions", list + 1) : NULL;
    const char *at = content != NULL ? content : list;
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
    }
    return 0.0;
}
