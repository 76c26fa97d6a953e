#include "pairing.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "circle.h"
#include "grouping.h"
#include "list.h"
#include "order.h"

static void add_pair(struct pairing *pairing, int first, int second)
{
    pairing->number[first] = pairing->number[second] = pairing->pairs;
    pairing->list[pairing->pairs++] = (struct pair){first, second};
}

static void add_shuffled(struct pairing *pairing, uint64_t seed)
{
    int *order = allocate((size_t)pairing->ranks * sizeof *order);
    uint64_t state = random_state(seed);
    shuffled_numbers(order, pairing->ranks, &state);
    for (int i = 0; i + 1 < pairing->ranks; i += 2)
        add_pair(pairing, order[i], order[i + 1]);
    free(order);
}

static void skip_space(const char **at)
{
    while (isspace((unsigned char)**at))
        ++*at;
}

static int rank_at(const char **at, int ranks)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        fail(EXIT_ASKED_WRONGLY, "--pairing: expected a rank at '%.20s'", *at);
    const long rank = strtol(*at, &end, 10);
    if (rank >= ranks)
        fail(EXIT_ASKED_WRONGLY, "--pairing: there is no rank %ld in a world of %d", rank, ranks);
    *at = end;
    return (int)rank;
}

static void add_listed(struct pairing *pairing, const char *at)
{
    for (skip_space(&at);;) {
        const int first = rank_at(&at, pairing->ranks);
        if (*at++ != '-')
            fail(EXIT_ASKED_WRONGLY, "--pairing: pairs are written 0-2,1-3");
        const int second = rank_at(&at, pairing->ranks);
        if (first == second || pairing->number[first] >= 0 || pairing->number[second] >= 0)
            fail(EXIT_ASKED_WRONGLY, "--pairing: rank %d or %d is in more than one pair", first,
                 second);
        add_pair(pairing, first, second);
        skip_space(&at);
        if (*at == '\0')
            break;
        if (*at == ',')
            at++;
        skip_space(&at);
    }
}

static void add_pairs(struct pairing *pairing, const char *words, uint64_t seed)
{
    const int half = pairing->ranks / 2, is_list = isdigit((unsigned char)*words) || *words == '@';
    if (pairing->ranks % 2 != 0 && !is_list)
        fail(EXIT_ASKED_WRONGLY, "--pairing %s: %d ranks do not make pairs", words, pairing->ranks);
    if (is_list) {
        char *list = list_of("--pairing", words);
        add_listed(pairing, list);
        free(list);
    } else if (strcmp(words, "random") == 0) {
        add_shuffled(pairing, seed);
    } else {
        const int halves = strcmp(words, "halves") == 0;
        if (!halves && strcmp(words, "neighbours") != 0)
            fail(EXIT_ASKED_WRONGLY,
                 "--pairing %.40s: halves, neighbours, random, a list such as 0-2,1-3, or @FILE",
                 words);
        for (int i = 0; i < half; i++)
            halves ? add_pair(pairing, i, i + half) : add_pair(pairing, 2 * i, 2 * i + 1);
    }
}

void pairing_of_list(struct pairing *pairing, const char *words, int ranks, uint64_t seed,
                     const int *active, int count)
{
    *pairing = (struct pairing){.ranks = ranks};
    pairing->list = allocate((size_t)(ranks / 2 + 1) * sizeof *pairing->list);
    pairing->number = allocate((size_t)ranks * sizeof *pairing->number);
    for (int rank = 0; rank < ranks; rank++)
        pairing->number[rank] = -1;
    add_pairs(pairing, words, seed);
    const int one_and_all[2] = {1, pairing->pairs};
    if (count == 0) {
        active = one_and_all;
        count = pairing->pairs > 1 ? 2 : 1;
    }
    pairing->arrangements = count;
    pairing->active = allocate((size_t)count * sizeof *pairing->active);
    memcpy(pairing->active, active, (size_t)count * sizeof *active);
    for (int i = 0; i < count; i++)
        if (active[i] < 1 || active[i] > pairing->pairs)
            fail(EXIT_ASKED_WRONGLY, "--pairs-active %d: not from 1 to %d, the number of pairs",
                 active[i], pairing->pairs);
}

void pairing_of_all(struct pairing *pairing, int ranks, int parallel)
{
    *pairing = (struct pairing){.ranks = ranks};
    pairing->at_once = parallel ? circle_rounds(ranks) : 0;
    pairing->arrangements = parallel ? pairing->at_once + ranks - 1
                                     : (int64_t)ranks * (ranks - 1) / 2;
}

void pairing_of_pass(struct pairing *pairing, int ranks, int parallel)
{
    pairing_of_all(pairing, ranks, parallel);
    if (parallel)
        pairing->arrangements = pairing->at_once;
}

void pairing_of_groups(struct pairing *pairing, struct grouping *grouping)
{
    *pairing = (struct pairing){.ranks = grouping->ranks, .grouping = grouping};
    pairing->list = allocate((size_t)(grouping->ranks / 2 + 1) * sizeof *pairing->list);
    pairing->arrangements = grouping->arrangements;
}

void pairing_enter(struct pairing *pairing, int64_t arrangement)
{
    if (pairing->grouping == NULL)
        return;
    pairing->pairs = 0;
    for (int rank = 0; rank < pairing->ranks; rank++) {
        const int partner = grouping_partner(pairing->grouping, (int)arrangement, rank);
        if (partner > rank)
            pairing->list[pairing->pairs++] = (struct pair){rank, partner};
    }
}

void pairing_free(struct pairing *pairing)
{
    free(pairing->list);
    free(pairing->number);
    free(pairing->active);
    grouping_close(pairing->grouping);
}

/* How many pairs come before those whose first rank is `first`, all pairs being in order. */
static int64_t pairs_before(int64_t ranks, int64_t first)
{
    return first * ranks - first * (first + 1) / 2;
}

/* The pair with this number in the order (0,1) (0,2) ... (1,2) ... */
static struct pair pair_in_order(int ranks, int64_t number)
{
    const double twice = 2.0 * ranks - 1.0;
    int64_t first = (int64_t)((twice - sqrt(fmax(twice * twice - 8.0 * (double)number, 0.0))) / 2.0);
    while (first > 0 && pairs_before(ranks, first) > number) /* the root is rounded */
        first--;
    while (pairs_before(ranks, first + 1) <= number)
        first++;
    return (struct pair){(int)first, (int)(first + 1 + number - pairs_before(ranks, first))};
}

/* Pair number `index` of those that meet in a round. */
static struct pair pair_in_circle(int ranks, int round, int index)
{
    const int moving = circle_rounds(ranks), step = index + ranks % 2;
    const int one = step == 0 ? moving : (round + step) % moving;
    const int other = circle_partner(ranks, round, one);
    return one < other ? (struct pair){one, other} : (struct pair){other, one};
}

int pairing_count(const struct pairing *pairing, int64_t arrangement)
{
    if (pairing->grouping != NULL)
        return pairing->pairs;
    if (pairing->list != NULL)
        return pairing->active[arrangement];
    return arrangement < pairing->at_once ? pairing->ranks / 2 : 1;
}

struct pair pairing_pair(const struct pairing *pairing, int64_t arrangement, int index)
{
    if (pairing->list != NULL)
        return pairing->list[index];
    return arrangement < pairing->at_once
               ? pair_in_circle(pairing->ranks, (int)arrangement, index)
               : pair_in_order(pairing->ranks, arrangement - pairing->at_once);
}

static int partner_in(struct pair pair, int rank, int *leads)
{
    *leads = rank == pair.first;
    return *leads ? pair.second : rank == pair.second ? pair.first : -1;
}

int pairing_partner(const struct pairing *pairing, int64_t arrangement, int rank, int *leads)
{
    *leads = 0;
    if (pairing->grouping != NULL) {
        const int partner = grouping_partner(pairing->grouping, (int)arrangement, rank);
        *leads = rank < partner;
        return partner;
    }
    if (pairing->list != NULL) {
        const int number = pairing->number[rank];
        return number < 0 || number >= pairing->active[arrangement]
                   ? -1
                   : partner_in(pairing->list[number], rank, leads);
    }
    if (arrangement >= pairing->at_once)
        return partner_in(pairing_pair(pairing, arrangement, 0), rank, leads);
    const int partner = circle_partner(pairing->ranks, (int)arrangement, rank);
    *leads = rank < partner;
    return partner;
}
