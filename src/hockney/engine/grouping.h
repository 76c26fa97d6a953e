/* Ranks in groups, each the nodes of a switch: first every two ranks of a group, in all groups at once;
   then every two groups, each rank of the one with a rank of the other. */
#ifndef HOCKNEY_GROUPING_H
#define HOCKNEY_GROUPING_H

#include <mpi.h>

struct grouping {
    int ranks, groups;
    int *group, *index;   /* of each rank: its group, and its number among the ranks of it */
    int *first, *members; /* of each group: where its ranks begin in `members`; [groups] is the end */
    int inside;           /* arrangements of pairs inside of groups, before those between them */
    int arrangements;
};

/* Collective over `comm`. `text` lists hosts and the number of the group of each: a=0,b=0,c=1, or
   @FILE; hosts that are not named are a group of their own. */
struct grouping *grouping_open(const char *text, MPI_Comm comm);
void grouping_close(struct grouping *grouping);

/* With whom the rank communicates in an arrangement, or -1. */
int grouping_partner(const struct grouping *grouping, int arrangement, int rank);

#endif
