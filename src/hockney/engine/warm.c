#include "warm.h"

#include "congestion.h"
#include "tree.h"
#include "visit.h"

/* Times fall no more where so many in a row are not this much below the shortest before. */
enum { IN_A_ROW = 3, MOST_EXCHANGES = 100 };
static const double FALL = 0.9;

static int needs_warmth(const struct point *point)
{
    const enum memory *of = point->method->memories.of;
    return point->load == NULL && (of[0] != MEMORY_HOST || of[1] != MEMORY_HOST);
}

/* The longest of all ranks', known to each of them. */
static double exchange_once(struct launch *launch, const struct operation *operation)
{
    const int64_t start = clock_ns();
    visit_warm(launch, operation, 1);
    double ns = (double)(clock_ns() - start);
    tree_reduce(&ns, (struct tree_layout){.largest = 1}, launch->comm);
    tree_bcast(&ns, sizeof ns, launch->comm);
    return ns;
}

static void warm(struct launch *launch, const struct point *point)
{
    visit_begin(launch, point);
    double shortest = exchange_once(launch, point->operation);
    for (int steady = 0, i = 1; steady < IN_A_ROW && i < MOST_EXCHANGES; i++) {
        const double ns = exchange_once(launch, point->operation);
        steady = ns < FALL * shortest ? 0 : steady + 1;
        shortest = ns < shortest ? ns : shortest;
    }
    visit_end(launch, point);
}

void warm_devices(struct launch *launch)
{
    for (int i = 0; i < launch->point_count && launch->congestion == NULL; i++)
        if (needs_warmth(&launch->points[i]))
            warm(launch, &launch->points[i]);
}
