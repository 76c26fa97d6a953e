/* Holds the engine's arrangements of pairs and its walk in random order against their definitions:
   `every RANKS`, `list WORDS RANKS`, `walk COUNT`. Ends with status 0 where all is right, else with a
   line that says what is not. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "order.h"
#include "pairing.h"

/* Of more arrangements than these only some are looked at, from both ends and between. */
enum { MOST_WHOLE = 5000, MOST_SEEN = 20000 };

static void expect(int is_right, const char *what, int64_t where)
{
    if (!is_right) {
        printf("%s, at %lld\n", what, (long long)where);
        exit(EXIT_WENT_WRONG);
    }
}

/* Both of a pair, and nobody else who is asked, know of each other. */
static void check_partners(const struct pairing *pairing, int64_t arrangement, struct pair pair)
{
    int leads;
    expect(pair.first >= 0 && pair.first < pairing->ranks, "no such rank", arrangement);
    expect(pair.second >= 0 && pair.second < pairing->ranks, "no such rank", arrangement);
    expect(pair.first != pair.second, "a rank with itself", arrangement);
    expect(pairing_partner(pairing, arrangement, pair.first, &leads) == pair.second && leads,
           "the first rank's partner", arrangement);
    expect(pairing_partner(pairing, arrangement, pair.second, &leads) == pair.first && !leads,
           "the second rank's partner", arrangement);
}

/* Number `index` of `count` looked at, of `all`: whole where there are few, else from both ends and
   between. */
static int64_t looked_at(int64_t index, int64_t count, int64_t all)
{
    if (count == all || index < count / 4)
        return index;
    if (index >= count - count / 4)
        return all - (count - index);
    return (int64_t)((double)index / (double)count * (double)all);
}

static void check_one_pair_at_a_time(int ranks)
{
    struct pairing pairing;
    pairing_of_all(&pairing, ranks, 0);
    const int64_t all = (int64_t)ranks * (ranks - 1) / 2, count = all < MOST_SEEN ? all : MOST_SEEN;
    expect(pairing.arrangements == all, "arrangements of one pair", pairing.arrangements);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = looked_at(i, count, all);
        const struct pair pair = pairing_pair(&pairing, at, 0);
        expect(pairing_count(&pairing, at) == 1, "pairs at once", at);
        check_partners(&pairing, at, pair);
        expect(pair.first < pair.second, "the lower rank is first", at);
        const int64_t before =
            (int64_t)pair.first * ranks - (int64_t)pair.first * (pair.first + 1) / 2;
        expect(before + pair.second - pair.first - 1 == at, "the order of the pairs", at);
        for (int rank = 0, leads; rank < ranks && ranks < 100; rank++)
            expect((pairing_partner(&pairing, at, rank, &leads) >= 0) ==
                       (rank == pair.first || rank == pair.second),
                   "who has no partner", at);
    }
    pairing_free(&pairing);
}

/* All pairs of an arrangement are disjoint, and all but an odd rank out are in one. */
static void check_disjoint(const struct pairing *pairing, int64_t arrangement, char *is_in)
{
    memset(is_in, 0, (size_t)pairing->ranks);
    expect(pairing_count(pairing, arrangement) == pairing->ranks / 2, "pairs at once", arrangement);
    for (int i = 0; i < pairing->ranks / 2; i++) {
        const struct pair pair = pairing_pair(pairing, arrangement, i);
        check_partners(pairing, arrangement, pair);
        expect(!is_in[pair.first] && !is_in[pair.second], "a rank in two pairs", arrangement);
        is_in[pair.first] = is_in[pair.second] = 1;
    }
    for (int rank = 0, leads; rank < pairing->ranks; rank++)
        expect(is_in[rank] || pairing_partner(pairing, arrangement, rank, &leads) < 0,
               "the odd rank out", arrangement);
}

/* Over all arrangements a rank meets each other one once. */
static void check_meets_all(const struct pairing *pairing, int64_t count, int rank, char *has_met)
{
    int met = 0, leads;
    memset(has_met, 0, (size_t)pairing->ranks);
    for (int64_t at = 0; at < count; at++) {
        const int partner = pairing_partner(pairing, at, rank, &leads);
        if (partner < 0)
            continue;
        expect(!has_met[partner], "a pair twice", at);
        has_met[partner] = 1;
        met++;
    }
    expect(met == pairing->ranks - 1, "ranks met", met);
}

static void check_pairs_at_once(int ranks)
{
    struct pairing pairing;
    char *seen = allocate((size_t)ranks);
    pairing_of_all(&pairing, ranks, 1);
    const int64_t all = ranks % 2 == 0 ? ranks - 1 : ranks, count = all < MOST_WHOLE ? all : 20;
    expect(pairing.arrangements == all + ranks - 1, "arrangements", pairing.arrangements);
    for (int64_t i = 0; i < count; i++)
        check_disjoint(&pairing, looked_at(i, count, all), seen);
    for (int i = 0; i < ranks; i += ranks < 200 ? 1 : ranks / 20)
        check_meets_all(&pairing, all, i, seen);
    check_meets_all(&pairing, all, ranks - 1, seen);
    for (int i = 1; i < ranks; i++) { /* then the first one with each, alone */
        const struct pair pair = pairing_pair(&pairing, all + i - 1, 0);
        expect(pair.first == 0 && pair.second == i, "the first rank alone with each", i);
        check_partners(&pairing, all + i - 1, pair);
    }
    pairing_free(&pairing);
    free(seen);
}

static void check_list(const char *words, int ranks)
{
    struct pairing pairing;
    pairing_of_list(&pairing, words, ranks, 7, NULL, 0);
    expect(pairing.pairs == ranks / 2, "pairs", pairing.pairs);
    expect(pairing.arrangements == (ranks > 3 ? 2 : 1), "arrangements", pairing.arrangements);
    char *seen = allocate((size_t)ranks);
    check_disjoint(&pairing, pairing.arrangements - 1, seen);
    check_partners(&pairing, 0, pairing_pair(&pairing, 0, 0));
    expect(pairing_count(&pairing, 0) == 1, "one pair first", 0);
    printf("%d-%d\n", pairing.list[ranks / 2 - 1].first, pairing.list[ranks / 2 - 1].second);
    pairing_free(&pairing);
    free(seen);
}

static int ascending(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* None twice and none missed; looks shuffled where there are enough to tell. */
static void check_walk(int64_t count)
{
    uint64_t random = random_state(3);
    const int64_t looks = count < 200000 ? count : 200000;
    int64_t *at = allocate((size_t)looks * sizeof *at), *last = allocate((size_t)looks * sizeof *at);
    for (int walk = 0; walk < 3; walk++) {
        const struct permutation order = permutation_of(count, &random);
        int64_t rising = 0, in_place = 0, repeated = 0;
        for (int64_t i = 0; i < looks; i++) {
            at[i] = permutation_at(&order, i);
            expect(at[i] >= 0 && at[i] < count, "outside", i);
            rising += i > 0 && at[i] > at[i - 1];
            in_place += at[i] == i;
            repeated += walk > 0 && at[i] == last[i];
        }
        if (count >= 1000) { /* of a random order: half, one and one */
            expect(rising > 2 * looks / 5 && rising < 3 * looks / 5, "rising steps", rising);
            expect(in_place < 15, "in their own place", in_place);
            expect(repeated < 15, "as in the walk before", repeated);
        }
        memcpy(last, at, (size_t)looks * sizeof *at);
        qsort(at, (size_t)looks, sizeof *at, ascending);
        for (int64_t i = 1; i < looks; i++)
            expect(at[i] > at[i - 1], "twice", i);
    }
    free(at);
    free(last);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "every") == 0) {
        check_one_pair_at_a_time(atoi(argv[2]));
        check_pairs_at_once(atoi(argv[2]));
    } else if (argc == 4 && strcmp(argv[1], "list") == 0) {
        check_list(argv[2], atoi(argv[3]));
    } else if (argc == 3 && strcmp(argv[1], "walk") == 0) {
        check_walk(atoll(argv[2]));
    } else {
        return EXIT_ASKED_WRONGLY;
    }
    return EXIT_SUCCESS;
}
