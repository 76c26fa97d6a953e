/* Who exchanges messages with whom, and how many pairs at once. */
#ifndef HOCKNEY_PAIRING_H
#define HOCKNEY_PAIRING_H

#include <stdint.h>

struct grouping;

/* The first one leads: it sends before it receives. */
struct pair {
    int first, second;
};

/* An arrangement is a number of pairs that communicate at once. */
struct pairing {
    int ranks;
    int64_t arrangements;
    struct pair *list; /* NULL where every two ranks are a pair */
    int pairs;         /* in the list */
    int *number;       /* of each rank: that of its pair in the list, or -1 */
    int *active;       /* pairs at once of each arrangement of a list */
    int64_t at_once;   /* of every two ranks: so many arrangements of all pairs that fit, then
                          arrangements of one pair */
    struct grouping *grouping; /* of pairs by group, whose `list` is that of the arrangement that was
                                  entered last; else NULL */
};

/* Pairs as the user names them: halves, neighbours, random, 0-2,1-3, or @FILE with such a list.
   `active[count]` are numbers of concurrent pairs, always the first ones; count 0: one, and all. */
void pairing_of_list(struct pairing *pairing, const char *words, int ranks, uint64_t seed,
                     const int *active, int count);
/* Every two ranks, one pair at a time; or in `parallel` as many as fit at once, and then the first
   rank with each other one alone, which shows whether the others disturbed them. */
void pairing_of_all(struct pairing *pairing, int ranks, int parallel);
/* The same without the first rank's pairs alone. */
void pairing_of_pass(struct pairing *pairing, int ranks, int parallel);
/* Pairs inside of groups and between them; takes over `grouping`. */
void pairing_of_groups(struct pairing *pairing, struct grouping *grouping);
void pairing_free(struct pairing *pairing);

/* To be called before the pairs of an arrangement are looked at. */
void pairing_enter(struct pairing *pairing, int64_t arrangement);
/* Pairs that communicate at once in an arrangement. */
int pairing_count(const struct pairing *pairing, int64_t arrangement);
/* Number `index` of them. */
struct pair pairing_pair(const struct pairing *pairing, int64_t arrangement, int index);
/* With whom the rank communicates in an arrangement, or -1; `leads` is set for the first of a pair. */
int pairing_partner(const struct pairing *pairing, int64_t arrangement, int rank, int *leads);

#endif
