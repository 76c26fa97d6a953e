/* Who exchanges messages with whom, and how many pairs at once. */
#ifndef HOCKNEY_PAIRING_H
#define HOCKNEY_PAIRING_H

#include <stdint.h>

/* An arrangement is a number of pairs that speak at once. */
struct pairing {
    int ranks;
    int arrangements;
    int *first, *second; /* the pairs of a list; NULL where every two ranks are one */
    int pairs;           /* in the list */
    const int *active;   /* pairs at once of each arrangement of a list */
    int at_once;         /* of every two ranks: so many arrangements of all pairs that fit, then
                            arrangements of one pair */
};

/* Pairs as the user words them: halves, neighbours, random or 0-2,1-3. `active[count]` says how many
   of the first ones speak at once; count 0: one, and all. */
void pairing_of_list(struct pairing *pairing, const char *words, int ranks, uint64_t seed,
                     const int *active, int count);
/* Every two ranks, one pair at a time; or in `parallel` as many as fit at once, and then the first
   rank with each other one alone, which tells whether the others disturbed them. */
void pairing_of_all(struct pairing *pairing, int ranks, int parallel);
void pairing_free(struct pairing *pairing);

/* With whom the rank speaks in an arrangement, or -1; `leads` says who sends first. */
int pairing_partner(const struct pairing *pairing, int arrangement, int rank, int *leads);
/* Ranks that speak at once in an arrangement. */
int pairing_speakers(const struct pairing *pairing, int arrangement);

#endif
