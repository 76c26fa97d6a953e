#include "stragglers.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "order.h"
#include "tree.h"

/* Seeds of launches follow each other: the first numbers after such seeds are alike. */
enum { MIXED = 16 };

int stragglers_number(uint64_t seed, int rank, int ranks)
{
    uint64_t state = random_state(seed);
    int *numbers = allocate((size_t)ranks * sizeof *numbers);
    for (int i = 0; i < MIXED; i++)
        next_random(&state);
    shuffled_numbers(numbers, ranks, &state);
    const int number = numbers[rank];
    free(numbers);
    return number;
}

void stragglers_add(struct point *point, const double *done_ns, int count)
{
    double sorted[MOST_COLLECTIVES];
    memcpy(sorted, done_ns, (size_t)count * sizeof *sorted);
    struct collective_point *collective = &point->collective;
    collective->done_ns += median_of(sorted, count);
    collective->done_visits++;
}

struct completion *stragglers_gather(const struct launch *launch, const struct point *point)
{
    const struct group *everyone = &launch->everyone;
    const struct collective_point *collective = &point->collective;
    const struct completion own = {collective->done_ns / collective->done_visits, launch->group.rank};
    struct completion *all = everyone->rank == 0 ? allocate((size_t)everyone->ranks * sizeof *all) : NULL;
    tree_gather(&own, all, sizeof own, everyone->comm);
    return all;
}
