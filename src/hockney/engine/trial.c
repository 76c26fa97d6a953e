#include "trial.h"

#include "check.h"
#include "records.h"
#include "threads.h"
#include "visit.h"

/* A class of sizes ends where they are so many times its smallest. */
enum { CLASS_FACTOR = 8 };

/* Whether the size is the first of its class, or the last of all. */
static int is_tried(const struct options *options, const struct size_option *size, size_t tried)
{
    return size->bytes == largest_bytes(options) || size->bytes == 0 || size->bytes >= CLASS_FACTOR * tried;
}

static void announce(const struct launch *launch, const struct operation *operation,
                     const struct method *method, size_t bytes)
{
    if (launch->context.rank != 0)
        return;
    record_trial(&(struct sample_key){
        .operation = operation,
        .method = method,
        .algorithm = operation->algorithm,
        .bytes = bytes,
        .peers = launch->peers,
        .peer_count = is_of_two(launch->options) ? 2 : 0,
        .ranks = launch->context.ranks,
        .grid = launch->context.halo != NULL ? &launch->options->halo.grid : NULL,
    });
    records_flush();
}

static void try_point(struct launch *launch, const struct point *point)
{
    const struct operation *operation = point->operation;
    visit_begin(launch, point);
    const int verifies = visit_is_verified(launch, operation);
    if (verifies)
        visit_fill(launch, operation, 0);
    check(MPI_Barrier(launch->comm), "MPI_Barrier");
    visit_warm(launch, operation, 1);
    if (verifies)
        visit_check(launch, operation, 0);
    check(MPI_Barrier(launch->comm), "MPI_Barrier");
    visit_end(launch, point);
}

const char *trial_run(struct launch *launch)
{
    size_t tried = 0;
    for (int i = 0; i < launch->point_count; i++) {
        const struct point *point = &launch->points[i];
        const int is_next = point->size.bytes != tried;
        if (is_next && !is_tried(launch->options, &point->size, tried))
            continue;
        tried = point->size.bytes;
        if (point->load != NULL || point->overlapped)
            continue;
        announce(launch, point->operation, point->method, point->size.bytes);
        try_point(launch, point);
    }
    return "complete";
}

const char *trial_of_pairs(struct crowd *crowd)
{
    const struct options *options = crowd->launch->options;
    const int64_t of_arrangement = crowd->points / crowd->pairing.arrangements;
    const int64_t first = options->experiment == PAIRS ? crowd->points - of_arrangement : 0;
    const int64_t methods = options->method_count;
    size_t tried = 0;
    crowd->round = -1;
    for (int64_t i = 0; i < of_arrangement; i++) {
        const struct size_option *size = &options->sizes[i % options->size_count];
        const struct method *method = &options->methods[i / options->size_count % methods];
        if (i % options->size_count == 0)
            tried = 0;
        if (!is_tried(options, size, tried))
            continue;
        tried = size->bytes;
        announce(crowd->launch, method->operation, method, size->bytes);
        if (crowd_visit(crowd, first + i) == INTERRUPTED)
            return "interrupted";
    }
    return "complete";
}
