#include "assign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cpu_list.h"

struct candidate {
    struct pu pu;
    int sibling; /* 0 for the first PU of its core, 1 for the second ... */
    int turn;    /* position among the PUs of its own group, for round-robin over groups */
};

static int nearest_first(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->sibling != b->sibling)
        return a->sibling - b->sibling;
    if (a->pu.package != b->pu.package)
        return a->pu.package - b->pu.package;
    if (a->pu.numa != b->pu.numa)
        return a->pu.numa - b->pu.numa;
    if (a->pu.l3 != b->pu.l3)
        return a->pu.l3 - b->pu.l3;
    return a->pu.pu - b->pu.pu;
}

static int by_turn(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return a->turn != b->turn ? a->turn - b->turn : nearest_first(left, right);
}

/* Which group a PU belongs to when neighbouring ranks shall be in different groups. */
static int group_of(const struct pu *pu, const char *policy)
{
    if (strcmp(policy, "socket") == 0)
        return pu->package;
    if (strcmp(policy, "numa") == 0)
        return pu->numa;
    return pu->l3 >= 0 ? pu->l3 : pu->package;
}

static int is_same_core(const struct pu *a, const struct pu *b)
{
    return a->core == b->core && a->package == b->package;
}

int assign_order(struct topology *topology, const struct mask *allowed, const char *policy,
                 int *order)
{
    struct candidate *found = allocate((size_t)mask_count(allowed) * sizeof *found);
    int count = 0;
    for (int pu = 0; pu < allowed->words * MASK_WORD; pu++) {
        if (!mask_has(allowed, pu))
            continue;
        found[count].pu = topology_pu(topology, pu);
        for (int i = 0; i < count && found[count].pu.core >= 0; i++)
            found[count].sibling += is_same_core(&found[i].pu, &found[count].pu);
        count++;
    }
    qsort(found, (size_t)count, sizeof *found, nearest_first);
    if (strcmp(policy, "socket") == 0 || strcmp(policy, "numa") == 0 ||
        strcmp(policy, "spread") == 0) {
        for (int i = 0; i < count; i++)
            for (int j = 0; j < i; j++)
                found[i].turn += group_of(&found[i].pu, policy) == group_of(&found[j].pu, policy);
        qsort(found, (size_t)count, sizeof *found, by_turn);
    }
    for (int i = 0; i < count; i++)
        order[i] = found[i].pu.pu;
    free(found);
    return count;
}

/* A rank that waits for its PU. */
struct chooser {
    int rank, choices;
};

static int fewest_choices_first(const void *left, const void *right)
{
    const struct chooser *a = left, *b = right;
    return a->choices != b->choices ? a->choices - b->choices : a->rank - b->rank;
}

int assign_pus(const int *order, int count, const struct mask *masks, int ranks, int *pus)
{
    struct chooser *choosers = allocate((size_t)ranks * sizeof *choosers);
    int *users = allocate((size_t)count * sizeof *users);
    int shares = 0;
    for (int rank = 0; rank < ranks; rank++)
        choosers[rank] = (struct chooser){rank, mask_count(&masks[rank])};
    qsort(choosers, (size_t)ranks, sizeof *choosers, fewest_choices_first);
    for (int i = 0; i < ranks; i++) {
        const int rank = choosers[i].rank;
        int best = -1;
        for (int j = 0; j < count && (best < 0 || users[best] > 0); j++)
            if (mask_has(&masks[rank], order[j]) && (best < 0 || users[j] < users[best]))
                best = j;
        pus[rank] = best < 0 ? -1 : order[best];
        if (best >= 0)
            shares |= users[best]++ > 0;
    }
    free(choosers);
    free(users);
    return shares;
}

int assign_entries(const char *list, int *entries, int most)
{
    int count = 0, first, last, found;
    for (const char *at = list; (found = cpu_list_next(&at, &first, &last)) != 0;) {
        if (found < 0)
            return -1;
        for (; first <= last; first++, count++)
            if (count < most)
                entries[count] = first;
    }
    return count;
}

int assign_listed(const char *list, const struct mask *masks, int ranks, int *pus, char *wrong,
                  int wrong_bytes)
{
    const size_t room = (size_t)wrong_bytes;
    const int count = assign_entries(list, pus, ranks);
    int shares = 0;
    wrong[0] = '\0';
    if (count < 0)
        snprintf(wrong, room, "--cpus %.64s: not a list of CPU numbers such as 0,3 or 0-3", list);
    else if (count < ranks)
        snprintf(wrong, room, "--cpus %.64s names too few CPUs: %d, and this node has %d ranks", list,
                 count, ranks);
    for (int rank = 0; rank < ranks && wrong[0] == '\0'; rank++) {
        if (mask_count(&masks[rank]) == 0)
            pus[rank] = -1;
        else if (!mask_has(&masks[rank], pus[rank]))
            snprintf(wrong, room, "--cpus %.64s: rank %d of this node may not run on CPU %d", list,
                     rank, pus[rank]);
        for (int other = 0; other < rank; other++)
            shares |= pus[rank] >= 0 && pus[other] == pus[rank];
    }
    return shares;
}
