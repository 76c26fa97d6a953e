#include "pairing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"

static void add_pair(struct pairing *pairing, int first, int second)
{
    pairing->first[pairing->pairs] = first;
    pairing->second[pairing->pairs++] = second;
}

static void add_shuffled(struct pairing *pairing, uint64_t seed)
{
    int *order = allocate((size_t)pairing->ranks * sizeof *order);
    uint64_t state = random_state(seed);
    for (int i = 0; i < pairing->ranks; i++)
        order[i] = i;
    random_shuffle(order, pairing->ranks, &state);
    for (int i = 0; i + 1 < pairing->ranks; i += 2)
        add_pair(pairing, order[i], order[i + 1]);
    free(order);
}

static int rank_at(const char **at, const char *words, int ranks)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        fail(EXIT_ASKED_WRONGLY, "--pairing %s: expected a rank at '%s'", words, *at);
    const long rank = strtol(*at, &end, 10);
    if (rank >= ranks)
        fail(EXIT_ASKED_WRONGLY, "--pairing %s: there is no rank %ld in a world of %d", words, rank,
             ranks);
    *at = end;
    return (int)rank;
}

static void add_listed(struct pairing *pairing, const char *words)
{
    char *taken = allocate((size_t)pairing->ranks);
    memset(taken, 0, (size_t)pairing->ranks);
    for (const char *at = words;;) {
        const int first = rank_at(&at, words, pairing->ranks);
        if (*at++ != '-')
            fail(EXIT_ASKED_WRONGLY, "--pairing %s: pairs are written 0-2,1-3", words);
        const int second = rank_at(&at, words, pairing->ranks);
        if (first == second || taken[first]++ || taken[second]++)
            fail(EXIT_ASKED_WRONGLY, "--pairing %s: a rank is in more than one pair", words);
        add_pair(pairing, first, second);
        if (*at == '\0')
            break;
        if (*at++ != ',')
            fail(EXIT_ASKED_WRONGLY, "--pairing %s: unexpected '%s'", words, at - 1);
    }
    free(taken);
}

void pairing_of_list(struct pairing *pairing, const char *words, int ranks, uint64_t seed,
                     const int *active, int count)
{
    static int usual[2] = {1, 0};
    const int half = ranks / 2, listed = isdigit((unsigned char)*words);
    if (ranks % 2 != 0 && !listed)
        fail(EXIT_ASKED_WRONGLY, "--pairing %s: %d ranks do not make pairs", words, ranks);
    *pairing = (struct pairing){.ranks = ranks};
    pairing->first = allocate((size_t)half * sizeof(int));
    pairing->second = allocate((size_t)half * sizeof(int));
    if (listed)
        add_listed(pairing, words);
    else if (strcmp(words, "random") == 0)
        add_shuffled(pairing, seed);
    else
        for (int i = 0; i < half; i++)
            strcmp(words, "halves") == 0 ? add_pair(pairing, i, i + half)
                                         : add_pair(pairing, 2 * i, 2 * i + 1);
    usual[1] = pairing->pairs;
    pairing->active = count > 0 ? active : usual;
    pairing->arrangements = count > 0 ? count : pairing->pairs > 1 ? 2 : 1;
    for (int i = 0; i < pairing->arrangements; i++)
        if (pairing->active[i] < 1 || pairing->active[i] > pairing->pairs)
            fail(EXIT_ASKED_WRONGLY, "--pairs-active %d: there are %d pairs", pairing->active[i],
                 pairing->pairs);
}

void pairing_of_all(struct pairing *pairing, int ranks, int parallel)
{
    *pairing = (struct pairing){.ranks = ranks};
    pairing->at_once = parallel ? ranks + ranks % 2 - 1 : 0;
    pairing->arrangements = parallel ? pairing->at_once + ranks - 1 : ranks * (ranks - 1) / 2;
}

void pairing_free(struct pairing *pairing)
{
    free(pairing->first);
    free(pairing->second);
}

/* Of all two-rank subsets in order, the one with this number. */
static int partner_in_turn(int ranks, int number, int rank, int *leads)
{
    int first = 0;
    for (; number >= ranks - 1 - first; first++)
        number -= ranks - 1 - first;
    const int second = first + 1 + number;
    *leads = rank == first;
    return rank == first ? second : rank == second ? first : -1;
}

/* The circle method: one rank stays, the others move on by one place a round. An odd rank out meets
   nobody. */
static int partner_in_circle(int ranks, int round, int rank, int *leads)
{
    const int seats = ranks + ranks % 2, moving = seats - 1;
    int partner;
    if (rank == moving)
        partner = round % moving;
    else if (rank == round % moving)
        partner = moving;
    else
        partner = ((2 * round - rank) % moving + moving) % moving;
    *leads = rank < partner;
    return partner < ranks ? partner : -1;
}

int pairing_partner(const struct pairing *pairing, int arrangement, int rank, int *leads)
{
    *leads = 0;
    if (pairing->first == NULL)
        return arrangement < pairing->at_once
                   ? partner_in_circle(pairing->ranks, arrangement, rank, leads)
                   : partner_in_turn(pairing->ranks, arrangement - pairing->at_once, rank, leads);
    for (int i = 0; i < pairing->active[arrangement]; i++)
        if (rank == pairing->first[i] || rank == pairing->second[i]) {
            *leads = rank == pairing->first[i];
            return *leads ? pairing->second[i] : pairing->first[i];
        }
    return -1;
}

int pairing_speakers(const struct pairing *pairing, int arrangement)
{
    if (pairing->first != NULL)
        return 2 * pairing->active[arrangement];
    return arrangement < pairing->at_once ? 2 * (pairing->ranks / 2) : 2;
}
