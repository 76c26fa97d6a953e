#include "accept.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "halo_options.h"
#include "values.h"

/* Which experiments accept an option: what one cannot honour it refuses. */
#define ON(experiment) (1 << (experiment))
#define EVERY (ON(EXPERIMENTS) - 1)

static const struct accepted {
    const char *name;
    int experiments;
} accepted[ACCEPTED_OPTIONS] = {
#define OPTION(kind, member, name, argument, experiments, words, is_axis, usage) {name, experiments},
#include "options.def"
};

/* Some options are of some experiments only. */
static void check_accepted(const struct options *options)
{
    for (int i = 0; i < ACCEPTED_OPTIONS; i++)
        if (options->given[i] && !(accepted[i].experiments & ON(options->experiment)))
            fail(EXIT_ASKED_WRONGLY, "%s takes no --%s", options->experiment_name, accepted[i].name);
}

/* And some are of some operations only. */
static void check_operation(struct options *options)
{
    const struct operation *operation = options->operation;
    const char *name = operation->name;
    const int takes_trains = operation->repeat == operation_train.repeat;
    if (takes_trains && !is_of_two(options))
        fail(EXIT_ASKED_WRONGLY, "%s is between two ranks", name);
    if (takes_trains != (options->trains.count > 0))
        fail(EXIT_ASKED_WRONGLY, takes_trains ? "%s needs --trains" : "%s takes no --trains", name);
    for (int i = 0; i < options->trains.count; i++)
        options->trains.list[i].name = name;
    if (takes_trains && options->table)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --table", name);
    if (options->verify && operation->check == NULL)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --verify: it has nothing to check", name);
    if (!operation->counts_window && !operation->one_sided && options->window_count > 0)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --window: only stream and bidirectional do", name);
    if (!operation->overlaps && !operation->one_sided && options->overlap &&
        options->experiment != HALO)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --overlap: only nonblocking and persistent collectives do",
             name);
    if (!operation->rooted && options->root)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --root rotate: it has no root", name);
    if (operation->form != NULL && strcmp(operation->form, "persistent") == 0 && options->root)
        fail(EXIT_ASKED_WRONGLY, "%s: a persistent request has one root: no --root rotate", name);
    if (operation->between_all && options->sync == SYNC_BARRIER && options->verify)
        fail(EXIT_ASKED_WRONGLY, "--verify needs --sync clock, not barrier");
    if (!operation->between_all && options->sync == SYNC_BARRIER)
        fail(EXIT_ASKED_WRONGLY, "--sync barrier is for collectives only");
}

/* Sizes, elements and reductions that fit each other. */
static void check_elements(const struct options *options)
{
    const struct operation *operation = options->operation;
    const struct element *element = options->element;
    const char *name = operation->name;
    for (int i = 0; i < options->size_count; i++) {
        const size_t bytes = options->sizes[i].bytes;
        if (bytes == 0)
            fail(EXIT_ASKED_WRONGLY, "--sizes 0: a window of no bytes has nothing to %s", name);
        if (operation->elements == ELEMENTS && bytes % element->bytes != 0)
            fail(EXIT_ASKED_WRONGLY, "--sizes %zu: not whole elements of %zu bytes (%s)", bytes,
                 element->bytes, element->name);
        if (operation->elements == ONE_ELEMENT && bytes != element->bytes)
            fail(EXIT_ASKED_WRONGLY, "--sizes %zu: %s works on one element of %zu bytes (%s)",
                 bytes, name, element->bytes, element->name);
    }
    const enum reduction reduction = options->one_sided.reduction;
    const int computes = reduction != REPLACE && reduction != NO_OP;
    const int is_bitwise = reduction == BAND || reduction == BOR || reduction == BXOR;
    if (operation->swaps && !element->is_integer)
        fail(EXIT_ASKED_WRONGLY, "%s compares integers and bytes, not elements of type %s", name,
             element->name);
    if (operation->elements != ANY_BYTES && !operation->swaps &&
        ((is_bitwise && !element->is_integer) || (computes && !is_bitwise && !element->reduces)))
        fail(EXIT_ASKED_WRONGLY, "--reduction %s: MPI defines none of type %s",
             reduction_names[reduction], element->name);
}

/* What a collective adds up. */
static void check_reduction(const struct options *options)
{
    const struct operation *operation = options->operation;
    const struct element *element = options->element;
    if (options->experiment != COLLECTIVE || !is_given(options, OPTION_element))
        return;
    if (!operation->reduces)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --element: it reduces nothing", operation->name);
    if (!element->reduces || element->bytes == 1)
        fail(EXIT_ASKED_WRONGLY, "--element %s: sums of many ranks would overflow; there are int32, int64, "
                                 "float16, bfloat16, float, double", element->name);
    for (int i = 0; i < options->size_count; i++)
        if (options->sizes[i].bytes % element->bytes != 0)
            fail(EXIT_ASKED_WRONGLY, "--sizes %zu: not whole elements of %zu bytes (%s)",
                 options->sizes[i].bytes, element->bytes, element->name);
    if (options->collective.schedules != NULL && element->bytes != sizeof(int32_t))
        fail(EXIT_ASKED_WRONGLY, "--schedules: their messages are of elements of 4 bytes, not %s", element->name);
}

static void check_one_sided(const struct options *options)
{
    static const int own[] = {OPTION_synchronization, OPTION_window_kind, OPTION_direction};
    const struct operation *operation = options->operation;
    const char *name = operation->name;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (!operation->one_sided && is_given(options, own[i]))
            fail(EXIT_ASKED_WRONGLY, "%s takes no --%s: it is two-sided", name,
                 accepted[own[i] - BEFORE_OPTIONS - 1].name);
    if (operation->elements == ANY_BYTES && !operation->reduces && is_given(options, OPTION_element))
        fail(EXIT_ASKED_WRONGLY, "%s takes no --element: it moves bytes", name);
    if ((operation->elements == ANY_BYTES || operation->swaps) && is_given(options, OPTION_reduction))
        fail(EXIT_ASKED_WRONGLY, "%s takes no --reduction", name);
    if (!operation->one_sided)
        return;
    if (options->experiment != RMA && options->experiment != PAIRS)
        fail(EXIT_ASKED_WRONGLY, "%s is one-sided: measure it by rma %s", name, name);
    if (is_given(options, OPTION_window) && options->one_sided.direction == IN_TURNS)
        fail(EXIT_ASKED_WRONGLY, "--window: operations in flight need --direction");
    if (options->overlap && options->one_sided.direction == BOTH_WAYS)
        fail(EXIT_ASKED_WRONGLY, "--overlap: both ranks are origins, so that no target can compute");
    check_elements(options);
}

/* Each repetition takes so long, in which the ranks wait silently. */
static const double LONGEST_SKEW_NS = 100e9, MOST_SKEW_TIMES = 1000.0;

/* Ranks that arrive apart need the common clock, and a skew. */
static void check_arrivals(const struct options *options)
{
    const struct arrivals *arrivals = &options->collective.arrivals;
    int skewed = 0, listed = 0;
    for (int i = 0; i < arrivals->count; i++) {
        skewed = skewed || arrivals->list[i] != ARRIVAL_NONE;
        listed = listed || arrivals->list[i] == LISTED;
    }
    if (skewed != (arrivals->skew_ns > 0.0) + (arrivals->skew_times > 0.0))
        fail(EXIT_ASKED_WRONGLY, "--arrival needs one of --skew-ns and --skew-times, and they need it");
    if (arrivals->skew_ns > LONGEST_SKEW_NS || arrivals->skew_times > MOST_SKEW_TIMES)
        fail(EXIT_ASKED_WRONGLY, "a skew is at most %g ns, or %g times the collective", LONGEST_SKEW_NS,
             MOST_SKEW_TIMES);
    if (arrivals->count > 0 && options->groups > 1)
        fail(EXIT_ASKED_WRONGLY, "--arrival is of one group of ranks, not of %d", options->groups);
    if (listed != (arrivals->fractions != NULL))
        fail(EXIT_ASKED_WRONGLY, "--arrival listed needs --fractions, and they need it");
    if (arrivals->count > 0 && (options->sync == SYNC_BARRIER || options->overlap || options->verify))
        fail(EXIT_ASKED_WRONGLY, "--arrival takes no --sync barrier, --overlap or --verify");
}

/* Messages between ranks make collectives of one group, whose ranks arrive together and whose root is the
   first, where the result comes together in one buffer. */
static void check_schedules(const struct options *options)
{
    const struct operation *operation = options->operation;
    if (options->collective.schedules == NULL)
        return;
    if (operation->varies || operation->empty || operation->form != NULL ||
        operation->out_blocks != ONE_BLOCK || operation->in_blocks == BLOCKS_ON_ROOT)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --schedules: bcast, reduce, allreduce and allgather do",
             operation->name);
    if (options->root || options->groups > 1 || options->collective.arrivals.count > 0 ||
        options->messages.thread_count > 0 || options->sync == SYNC_BARRIER)
        fail(EXIT_ASKED_WRONGLY, "--schedules takes no --root rotate, --groups, --threads, --arrival or "
                                 "--sync barrier");
}

/* The usual buffers if the user chose none. Refuses buffers that the operation does not support. */
static void choose_buffers(struct options *options)
{
    const struct operation *operation = options->operation;
    /* Each rank's own pattern must arrive. */
    if (options->buffers == BUFFERS_UNSET)
        options->buffers = options->verify || options->messages.out != NULL ? BUFFERS_SEPARATE
                                                                   : operation->buffers;
    if (!(operation->accepts & 1 << options->buffers))
        fail(EXIT_ASKED_WRONGLY, "%s%s%s takes no --buffers %s",
             operation->mode != NULL ? operation->mode : "", operation->mode != NULL ? " " : "",
             operation->name, buffers_names[options->buffers]);
    if (options->messages.out != NULL && options->buffers == BUFFERS_RETURNED)
        fail(EXIT_ASKED_WRONGLY, "--datatype needs --buffers separate or cold: what is received may "
                                 "lie elsewhere than what is sent");
    if (options->verify && options->buffers == BUFFERS_RETURNED)
        fail(EXIT_ASKED_WRONGLY, "--verify needs --buffers separate or cold: each rank sends a "
                                 "pattern of its own");
}

/* Only sweeps take repetitions of a size. */
static void check_counts(const struct options *options)
{
    const int honours = options->sweep || options->experiment == PAIRS || options->experiment == CORES;
    for (int i = 0; i < options->size_count; i++) {
        const struct size_option *size = &options->sizes[i];
        if (!honours && (size->repetitions > 0 || size->warmup > 0))
            fail(EXIT_ASKED_WRONGLY, "--sizes %zu@%lld: counts need --sweep", size->bytes,
                 (long long)size->repetitions);
        if (options->sweep && size->repetitions == 0 && options->seconds_a_size == 0.0)
            fail(EXIT_ASKED_WRONGLY, "--sweep needs counts, such as --sizes 8@1000+10");
    }
    if (options->seconds_a_size > 0.0 && !options->sweep)
        fail(EXIT_ASKED_WRONGLY, "--seconds-a-size needs --sweep");
}

static void congestion_accept_or_refuse(const struct options *options)
{
    if (options->congestion.load_count == 0)
        fail(EXIT_ASKED_WRONGLY, "congestion needs --loads, such as incast:65536:8:0:0");
    if (options->congestion.list == NULL)
        fail(EXIT_ASKED_WRONGLY, "congestion needs --roles, such as random:2");
    if (options->window_count > 1)
        fail(EXIT_ASKED_WRONGLY, "congestion takes one --window, that of its victims");
}

static void check_numbers(const struct options *options)
{
    if (options->experiment == STARTUP && options->size_count != 1)
        fail(EXIT_ASKED_WRONGLY, "startup takes one of --sizes");
    if (options->experiment == STARTUP && options->buffers != BUFFERS_RETURNED)
        fail(EXIT_ASKED_WRONGLY, "startup takes no --buffers but returned");
    if (options->experiment == STARTUP && options->sizes[0].bytes > INT_MAX)
        fail(EXIT_ASKED_WRONGLY, "--sizes: start-up sends messages below 2 GiB");
    if (options->experiment == CONGESTION)
        congestion_accept_or_refuse(options);
    if (options->tails && (options->sweep || options->table || options->trains.count > 0))
        fail(EXIT_ASKED_WRONGLY, "--tails takes no --sweep, --table or --trains");
    if (options->stragglers && (options->groups > 1 || options->messages.thread_count > 0 || options->overlap ||
                                options->collective.arrivals.count > 0 || options->collective.schedules != NULL ||
                                options->sync == SYNC_BARRIER))
        fail(EXIT_ASKED_WRONGLY, "--stragglers takes no --groups, --threads, --overlap, --arrival, --schedules or "
                                 "--sync barrier");
    if (options->groups < 1)
        fail(EXIT_ASKED_WRONGLY, "--groups is from 1 up");
    if (options->peers[0] == options->peers[1])
        fail(EXIT_ASKED_WRONGLY, "--peers %d,%d: a rank cannot exchange messages with itself here",
             options->peers[0], options->peers[1]);
    if (options->least_rounds < 1 || options->most_rounds < options->least_rounds)
        fail(EXIT_ASKED_WRONGLY, "--rounds %d:%d: MIN must be at least 1 and at most MAX",
             options->least_rounds, options->most_rounds);
}

/* The usual ways, and the operation as it is in this direction. */
static void complete_one_sided(struct options *options)
{
    struct operation *made = allocate(sizeof *made);
    *made = *options->operation;
    made->counts_window = options->one_sided.direction != IN_TURNS;
    options->operation = made;
    if (options->one_sided.synchronization_count == 0)
        options->one_sided.synchronizations[options->one_sided.synchronization_count++] = FLUSH;
    if (options->one_sided.window_kind_count == 0)
        options->one_sided.window_kinds[options->one_sided.window_kind_count++] = ALLOCATE;
}

/* What is usual where nothing else was asked. */
static void complete(struct options *options)
{
    if (options->pass < 0)
        options->pass = options->launch;
    if (options->operation->one_sided)
        complete_one_sided(options);
    if (options->operation->counts_window && options->window_count == 0)
        options->windows = value_counts(options->experiment == FABRIC ? "8" : "64", "--window",
                                        &options->window_count);
    methods_make(options);
}

/* A trial checks the data where that can be done. */
static void complete_trial(struct options *options)
{
    if (!options->trial)
        return;
    int is_alike = 1;
    for (int i = 0; i < options->messages.thread_count; i++)
        is_alike = is_alike && options->messages.threads[i].threads == options->messages.threads[i].receivers;
    if (is_alike && options->operation->check != NULL && options->sync != SYNC_BARRIER &&
        options->collective.arrivals.count == 0 && options->buffers != BUFFERS_RETURNED &&
        options->buffers != BUFFERS_COLD && options->operation->accepts & (SEPARATE | COLD))
        options->verify = 1;
    options->paths = "none";
}

void accept_or_refuse(struct options *options)
{
    if (options->experiment == HALO)
        halo_read_exchanges(options);
    if (options->element == NULL)
        options->element = element_named(
            options->experiment == COLLECTIVE || options->experiment == CONGESTION ? "int32" : "int64");
    check_accepted(options);
    complete_trial(options);
    if (options->experiment == HALO)
        halo_accept_or_refuse(options);
    check_operation(options);
    check_reduction(options);
    check_one_sided(options);
    check_arrivals(options);
    check_schedules(options);
    choose_buffers(options);
    check_counts(options);
    check_numbers(options);
    complete(options);
}
