#include "accept.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

/* Which experiments accept an option: what one cannot honour it refuses. */
#define ON(experiment) (1 << (experiment))
#define OF_TWO (ON(PINGPONG) | ON(OVERHEADS))
#define OF_PAIRS (ON(PAIRS) | ON(CORES))
#define ALL (OF_TWO | OF_PAIRS | ON(COLLECTIVE))

static const struct accepted {
    struct option option;
    int experiments;
} accepted[] = {
    {{"ranks", required_argument, NULL, 'n'}, ALL},
    {{"peers", required_argument, NULL, 'p'}, OF_TWO},
    {{"sizes", required_argument, NULL, 's'}, ALL},
    {{"trains", required_argument, NULL, 'N'}, OF_TWO},
    {{"seconds", required_argument, NULL, 't'}, ALL},
    {{"precision", required_argument, NULL, 'e'}, OF_TWO | ON(COLLECTIVE)},
    {{"rounds", required_argument, NULL, 'r'}, ALL},
    {{"place", required_argument, NULL, 'P'}, ALL},
    {{"cpus", required_argument, NULL, 'C'}, ALL},
    {{"every-iteration", no_argument, NULL, 'i'}, OF_TWO | OF_PAIRS},
    {{"keep-clock-cost", no_argument, NULL, 'k'}, OF_TWO | OF_PAIRS},
    {{"verify", no_argument, NULL, 'v'}, ON(PINGPONG) | OF_PAIRS | ON(COLLECTIVE)},
    {{"floor", no_argument, NULL, 'f'}, ON(PINGPONG)},
    {{"buffers", required_argument, NULL, 'b'}, ALL},
    {{"two-buffers", no_argument, NULL, '2'}, ALL}, /* the old names */
    {{"cold-cache", no_argument, NULL, 'c'}, ALL},
    {{"sweep", no_argument, NULL, 'w'}, ON(PINGPONG)},
    {{"seconds-a-size", required_argument, NULL, 'a'}, ON(PINGPONG)},
    {{"reduce", required_argument, NULL, 'm'}, ON(PINGPONG)},
    {{"operation", required_argument, NULL, 'o'}, ON(PINGPONG) | OF_PAIRS},
    {{"mode", required_argument, NULL, 'M'}, ON(PINGPONG) | OF_PAIRS},
    {{"window", required_argument, NULL, 'W'}, ON(PINGPONG) | OF_PAIRS},
    {{"pairing", required_argument, NULL, 'g'}, ON(PAIRS)},
    {{"pairs-active", required_argument, NULL, 'A'}, ON(PAIRS)},
    {{"parallel", no_argument, NULL, 'x'}, ON(CORES)},
    {{"algorithm", required_argument, NULL, 'L'}, ON(COLLECTIVE)},
    {{"segment-bytes", required_argument, NULL, 'B'}, ON(COLLECTIVE)},
    {{"sync", required_argument, NULL, 'y'}, OF_PAIRS | ON(COLLECTIVE)},
    {{"root", required_argument, NULL, 'R'}, ON(COLLECTIVE)},
    {{"overlap", no_argument, NULL, 'O'}, ON(COLLECTIVE)},
    {{"launch", required_argument, NULL, 'l'}, ALL},
    {{"seed", required_argument, NULL, 'S'}, ALL},
    {{"read-back", required_argument, NULL, 'K'}, ALL},
    {{"table", no_argument, NULL, 'T'}, ON(PINGPONG) | ON(COLLECTIVE)},
    {{"help", no_argument, NULL, 'h'}, ALL},
    {{"version", no_argument, NULL, 'V'}, ALL},
};
_Static_assert(sizeof accepted / sizeof accepted[0] == ACCEPTED_OPTIONS, "a row for each option");

struct option *accept_options(void)
{
    struct option *options = allocate((ACCEPTED_OPTIONS + 1) * sizeof *options);
    for (int i = 0; i < ACCEPTED_OPTIONS; i++)
        options[i] = accepted[i].option;
    return options;
}

/* Some options are of some experiments only. */
static void check_accepted(const struct options *options, const char *experiment, const int *given)
{
    for (int i = 0; i < ACCEPTED_OPTIONS; i++)
        if (given[i] && !(accepted[i].experiments & ON(options->experiment)))
            fail(EXIT_ASKED_WRONGLY, "%s takes no --%s", experiment, accepted[i].option.name);
}

/* And some are of some operations only. */
static void check_operation(struct options *options)
{
    const struct operation *operation = options->operation;
    const char *name = operation->name;
    const int takes_trains = operation->repeat == operation_train.repeat;
    if (takes_trains && !is_of_two(options))
        fail(EXIT_ASKED_WRONGLY, "%s is between two ranks", name);
    if (takes_trains != (options->train_count > 0))
        fail(EXIT_ASKED_WRONGLY, takes_trains ? "%s needs --trains" : "%s takes no --trains", name);
    for (int i = 0; i < options->train_count; i++)
        options->trains[i].name = name;
    if (takes_trains && options->table)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --table", name);
    if (options->verify && operation->check == NULL)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --verify: it has nothing to check", name);
    if (operation->mode == NULL && strcmp(options->mode, "standard") != 0)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --mode: only pingpong does", name);
    if (!operation->counts_window && options->window_count > 0)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --window: only stream and bidirectional do", name);
    if (!operation->overlaps && options->overlap)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --overlap: only nonblocking collectives do", name);
    if (!operation->rooted && options->rotate)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --root rotate: it has no root", name);
    if (operation->between_all && options->sync == SYNC_BARRIER && options->verify)
        fail(EXIT_ASKED_WRONGLY, "--verify needs --sync clock, not barrier");
    if (!operation->between_all && options->sync == SYNC_BARRIER)
        fail(EXIT_ASKED_WRONGLY, "--sync barrier is for collectives only");
}

/* The usual buffers if the user chose none. Refuses buffers that the operation does not support. */
static void choose_buffers(struct options *options)
{
    const struct operation *operation = options->operation;
    /* Each rank's own pattern must arrive. */
    if (options->buffers == BUFFERS_UNSET)
        options->buffers = options->verify ? BUFFERS_SEPARATE : operation->buffers;
    if (!(operation->accepts & 1 << options->buffers))
        fail(EXIT_ASKED_WRONGLY, "%s%s%s takes no --buffers %s",
             operation->mode != NULL ? operation->mode : "", operation->mode != NULL ? " " : "",
             operation->name, buffers_names[options->buffers]);
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

static void check_numbers(const struct options *options)
{
    if (options->peers[0] == options->peers[1])
        fail(EXIT_ASKED_WRONGLY, "--peers %d,%d: a rank cannot exchange messages with itself here",
             options->peers[0], options->peers[1]);
    if (options->least_rounds < 1 || options->most_rounds < options->least_rounds)
        fail(EXIT_ASKED_WRONGLY, "--rounds %d:%d: MIN must be at least 1 and at most MAX",
             options->least_rounds, options->most_rounds);
}

void accept_or_refuse(struct options *options, const char *experiment, const int *given)
{
    check_accepted(options, experiment, given);
    check_operation(options);
    choose_buffers(options);
    check_counts(options);
    check_numbers(options);
}
