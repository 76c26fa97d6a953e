#include "grouping.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "circle.h"
#include "list.h"
#include "tree.h"

/* The number behind "HOST=" in the list, or -1. */
static int number_of(const char *list, const char *host)
{
    const size_t length = strlen(host);
    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        const size_t named = strcspn(at, "=");
        if (at[named] != '=' || !isdigit((unsigned char)at[named + 1]))
            fail(EXIT_ASKED_WRONGLY, "--switches: expected HOST=NUMBER at '%.40s'", at);
        if (named == length && strncmp(at, host, length) == 0)
            return atoi(at + named + 1);
    }
    return -1;
}

/* By its whole name, or by the part before the first dot. */
static int own_number(const char *text)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int length;
    char *list = list_of("--switches", text);
    check(MPI_Get_processor_name(host, &length), "MPI_Get_processor_name");
    int number = number_of(list, host);
    if (number < 0) {
        host[strcspn(host, ".")] = '\0';
        number = number_of(list, host);
    }
    free(list);
    return number;
}

struct numbered {
    int number, rank;
};

static int by_number(const void *one, const void *other)
{
    const struct numbered *a = one, *b = other;
    return a->number != b->number ? (a->number < b->number ? -1 : 1)
                                  : (a->rank > b->rank) - (a->rank < b->rank);
}

/* Groups of equal numbers; ranks without one are together. */
static void make_groups(struct grouping *grouping, const int *numbers)
{
    struct numbered *order = allocate((size_t)grouping->ranks * sizeof *order);
    for (int rank = 0; rank < grouping->ranks; rank++)
        order[rank] = (struct numbered){numbers[rank], rank};
    qsort(order, (size_t)grouping->ranks, sizeof *order, by_number);
    for (int i = 0; i < grouping->ranks; i++) {
        if (i == 0 || order[i].number != order[i - 1].number)
            grouping->first[grouping->groups++] = i;
        const int rank = order[i].rank, group = grouping->groups - 1;
        grouping->group[rank] = group;
        grouping->index[rank] = i - grouping->first[group];
        grouping->members[i] = rank;
    }
    grouping->first[grouping->groups] = grouping->ranks;
    free(order);
}

static int members_of(const struct grouping *grouping, int group)
{
    return grouping->first[group + 1] - grouping->first[group];
}

struct grouping *grouping_open(const char *text, MPI_Comm comm)
{
    struct grouping *grouping = allocate(sizeof *grouping);
    check(MPI_Comm_size(comm, &grouping->ranks), "MPI_Comm_size");
    const size_t ranks = (size_t)grouping->ranks;
    int *numbers = allocate(ranks * sizeof *numbers);
    const int own = own_number(text);
    tree_gather(&own, numbers, sizeof own, comm);
    tree_bcast(numbers, (int)(ranks * sizeof *numbers), comm);
    grouping->group = allocate(ranks * sizeof(int));
    grouping->index = allocate(ranks * sizeof(int));
    grouping->members = allocate(ranks * sizeof(int));
    grouping->first = allocate((ranks + 1) * sizeof(int));
    make_groups(grouping, numbers);
    free(numbers);
    for (int group = 0; group < grouping->groups; group++) {
        const int members = members_of(grouping, group);
        const int rounds = members > 1 ? circle_rounds(members) : 0;
        grouping->inside = rounds > grouping->inside ? rounds : grouping->inside;
    }
    grouping->arrangements =
        grouping->inside + (grouping->groups > 1 ? circle_rounds(grouping->groups) : 0);
    return grouping;
}

void grouping_close(struct grouping *grouping)
{
    if (grouping == NULL)
        return;
    free(grouping->group);
    free(grouping->index);
    free(grouping->members);
    free(grouping->first);
    free(grouping);
}

int grouping_partner(const struct grouping *grouping, int arrangement, int rank)
{
    const int own = grouping->group[rank], index = grouping->index[rank];
    const int inside = arrangement < grouping->inside, members = members_of(grouping, own);
    if (inside && (members < 2 || arrangement >= circle_rounds(members)))
        return -1;
    const int group = inside ? own
                             : circle_partner(grouping->groups, arrangement - grouping->inside, own);
    const int partner = inside ? circle_partner(members, arrangement, index) : index;
    return group < 0 || partner < 0 || partner >= members_of(grouping, group)
               ? -1
               : grouping->members[grouping->first[group] + partner];
}
