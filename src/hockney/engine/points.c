/* What a launch measures: a point of each operation, method, size and window, with what is measured
   beside it. */
#include "points.h"

#include <stdlib.h>

#include "check.h"
#include "operations/halo.h"
#include "schedule.h"

/* A collective that reduces has whole elements. */
static int is_possible(const struct operation *operation, size_t bytes)
{
    if (operation->empty)
        return bytes == 0;
    return !operation->reduces || (bytes > 0 && bytes % sizeof(int32_t) == 0);
}

static struct point *add_point(struct launch *launch, const struct operation *operation,
                               const struct method *method, struct size_option size, int window)
{
    struct point *point = &launch->points[launch->point_count++];
    *point = (struct point){
        .operation = operation,
        .method = method,
        .size = size,
        .window = window,
        .repetitions = 1,
        .batches = 1,
        .series = launch->context.rank == 0 ? allocate(sizeof(struct series)) : NULL,
        .sketch = launch->context.rank == 0 && launch->options->tails ? allocate(sizeof(struct sketch)) : NULL,
    };
    return point;
}

/* One message of the first rank to each of these others, from which exchanges are predicted. */
static void add_messages(struct launch *launch, struct size_option size, const int *partners, int count)
{
    const struct memory_options *memories = &launch->options->memories;
    for (int i = 0; i < count * memories->plain_count; i++)
        if (partners[i % count] > 0)
            add_point(launch, &operation_message, &memories->plain[i / count], size, 1)->pair[1] =
                partners[i % count];
}

/* A collective by messages. Those of one size alone would not show what a byte costs. */
static void add_schedules(struct launch *launch, struct size_option size)
{
    const struct schedules *schedules = launch->collective.schedules;
    for (int i = 0; i < schedules->count; i++) {
        struct schedule *schedule = &schedules->list[i];
        if (schedule->bytes == size.bytes)
            add_point(launch, &schedule->operation, &method_plain, size, 1)->collective.schedule = schedule;
    }
    add_messages(launch, size, schedules->partners, schedules->partner_count);
    if (launch->options->size_count == 1)
        add_messages(launch, (struct size_option){0}, schedules->partners, schedules->partner_count);
}

/* One size of a halo or of overlap: each exchange by each packing. Of one size alone, messages would
   not show what a byte costs. */
static void add_exchanges(struct launch *launch, struct size_option size)
{
    const struct options *options = launch->options;
    const struct halo_options *halo = &options->halo;
    const int ways = halo->exchange_count * halo->column_count;
    for (int i = 0; i < ways * options->memories.plain_count; i++) {
        const struct method *method = &options->memories.plain[i / ways];
        const struct operation *exchange = halo->exchanges[i % ways / halo->column_count];
        const enum packing packing = halo->columns[i % halo->column_count];
        add_point(launch, exchange, method, size, 1)->packing = packing;
        if (options->overlap && exchange->overlaps) {
            struct point *overlapped = add_point(launch, exchange, method, size, 1);
            overlapped->overlapped = 1;
            overlapped->packing = packing;
        }
    }
    if (launch->context.halo == NULL)
        return;
    const int *partners = launch->context.halo->partners;
    add_messages(launch, size, partners, MOST_DIMENSIONS);
    if (options->size_count == 1 && size.bytes > 0)
        add_messages(launch, (struct size_option){0}, partners, MOST_DIMENSIONS);
}

static void set_arrival(const struct launch *launch, struct point *point, enum arrival arrival)
{
    const struct context *context = &launch->context;
    point->collective.arrival = arrival;
    double *fractions = arrival_fractions(&launch->options->collective.arrivals, arrival, context->ranks,
                                          launch->options->seed);
    point->collective.late = fractions[context->rank];
    free(fractions);
}

/* One size: of each train or window where there are some, and under it what is measured beside. */
static void add_points(struct launch *launch, struct size_option size)
{
    const struct options *options = launch->options;
    const struct operation *operation = options->operation;
    const struct train_options *trains = &options->trains;
    const struct arrivals *arrivals = &options->collective.arrivals;
    for (int i = 0; i < trains->count * options->memories.plain_count; i++)
        add_point(launch, &trains->list[i % trains->count], &options->memories.plain[i / trains->count],
                  size, 1);
    const int windows = operation->counts_window ? options->window_count : 1;
    for (int i = 0; trains->count == 0 && i < options->method_count * windows; i++) {
        const struct method *method = &options->methods[i / windows];
        struct point *point =
            add_point(launch, method->operation, method, size,
                      operation->counts_window ? options->windows[i % windows] : 1);
        if (arrivals->count > 0)
            set_arrival(launch, point, arrivals->list[0]);
        if (options->overlap && (!operation->one_sided || is_timed_by_leader(method->operation)))
            add_point(launch, method->operation, method, size, point->window)->overlapped = 1;
        for (int j = 1; j < arrivals->count; j++)
            set_arrival(launch, add_point(launch, operation, method, size, 1), arrivals->list[j]);
    }
    if (launch->collective.schedules != NULL)
        add_schedules(launch, size);
    for (int i = 0; i < options->congestion.load_count; i++)
        add_point(launch, operation, options->methods, size, launch->points[launch->point_count - 1].window)->load =
            &options->congestion.loads[i];
    for (int j = 0; options->floor && floor_copies[j] != NULL && size.bytes > 0; j++)
        add_point(launch, floor_copies[j], &method_plain, size, 1);
}

void points_make(struct launch *launch)
{
    const struct options *options = launch->options;
    const int windows = options->window_count > 0 ? options->window_count : 1;
    const struct schedules *made = launch->collective.schedules;
    const int schedules = made != NULL ? made->count + 2 : 0;
    const int exchanges = options->halo.exchange_count * options->halo.column_count;
    const int of_memory = options->trains.count + 2 * exchanges + 2 * MOST_DIMENSIONS + 2 * (made != NULL);
    const int of_method = 2 * windows + options->collective.arrivals.count;
    const int most_a_size = options->memories.plain_count * of_memory + options->method_count * of_method +
                            options->congestion.load_count + 4;
    launch->points = allocate((size_t)(options->size_count * most_a_size + schedules + 3) *
                              sizeof *launch->points);
    for (int i = 0; i < options->size_count; i++)
        if (options->halo.exchange_count > 0)
            add_exchanges(launch, options->sizes[i]);
        else if (is_possible(options->operation, options->sizes[i].bytes))
            add_points(launch, options->sizes[i]);
    for (int j = 0; options->floor && floor_handovers[j] != NULL; j++)
        add_point(launch, floor_handovers[j], &method_plain, (struct size_option){0}, 1);
    if (launch->point_count == 0)
        fail(EXIT_ASKED_WRONGLY, "%s does not support these sizes: %s", options->operation->name,
             options->operation->reduces ? "it adds integers of 4 bytes" : "it has 0 bytes only");
}
