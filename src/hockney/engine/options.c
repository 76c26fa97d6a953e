#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "records.h"

static double number(const char *text, const char *option)
{
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0' || !(value >= 0.0))
        fail(EXIT_ASKED_WRONGLY, "%s %s: not a number from 0 up", option, text);
    return value;
}

static int64_t integer(const char **at, const char *text)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)**at))
        fail(EXIT_ASKED_WRONGLY, "%s: expected a number at '%s'", text, *at);
    const long long value = strtoll(*at, &end, 10);
    if (errno != 0)
        fail(EXIT_ASKED_WRONGLY, "%s: a number that is too large", text);
    *at = end;
    return value;
}

static size_t bytes_at(const char **at, const char *text)
{
    static const struct { const char *name; size_t factor; } units[] = {
        {"KiB", 1024u}, {"MiB", 1048576u}, {"GiB", 1073741824u},
        {"kB", 1000u},  {"MB", 1000000u},  {"GB", 1000000000u}, {"B", 1u},
    };
    const size_t value = (size_t)integer(at, text);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t length = strlen(units[i].name);
        if (strncmp(*at, units[i].name, length) == 0) {
            *at += length;
            if (value > SIZE_MAX / units[i].factor)
                fail(EXIT_ASKED_WRONGLY, "%s: a size that is too large", text);
            return value * units[i].factor;
        }
    }
    return value;
}

static void add_size(struct options *options, struct size_option size)
{
    const size_t count = (size_t)options->size_count + 1;
    struct size_option *larger = realloc(options->sizes, count * sizeof *larger);
    if (larger == NULL)
        fail(EXIT_WENT_WRONG, "no memory for %zu sizes", count);
    options->sizes = larger;
    options->sizes[options->size_count++] = size;
}

static void read_sizes(struct options *options, const char *text)
{
    options->size_count = 0;
    for (const char *at = text;;) {
        struct size_option size = {.bytes = bytes_at(&at, text)};
        size_t last = size.bytes;
        if (strncmp(at, "..", 2) == 0) {
            at += 2;
            last = bytes_at(&at, text);
            if (size.bytes == 0 || last < size.bytes)
                fail(EXIT_ASKED_WRONGLY, "--sizes %s: a range goes up from at least 1", text);
        }
        if (*at == '@') {
            at++;
            size.repetitions = integer(&at, text);
            if (*at == '+') {
                at++;
                size.warmup = integer(&at, text);
            }
        }
        add_size(options, size);
        while (size.bytes <= last / 2 && size.bytes > 0) {
            size.bytes *= 2;
            add_size(options, size);
        }
        if (*at == '\0')
            return;
        if (*at++ != ',')
            fail(EXIT_ASKED_WRONGLY, "--sizes %s: unexpected '%s'", text, at - 1);
    }
}

static void read_trains(struct options *options, const char *text)
{
    if (*text == '\0')
        fail(EXIT_ASKED_WRONGLY, "--trains: an empty list");
    for (const char *at = text; *at != '\0';) {
        const struct operation train = train_read(&operation_train, &at);
        const size_t count = (size_t)options->train_count + 1;
        options->trains = realloc(options->trains, count * sizeof *options->trains);
        if (options->trains == NULL)
            fail(EXIT_WENT_WRONG, "no memory for %zu trains", count);
        options->trains[options->train_count++] = train;
    }
}

static void read_pair(const char *text, char separator, const char *option, int *first, int *second)
{
    const char *at = text;
    *first = (int)integer(&at, text);
    if (*at++ != separator)
        fail(EXIT_ASKED_WRONGLY, "%s %s: two numbers with '%c' between", option, text, separator);
    *second = (int)integer(&at, text);
    if (*at != '\0')
        fail(EXIT_ASKED_WRONGLY, "%s %s: unexpected '%s'", option, text, at);
}

static const char *one_of(const char *text, const char *option, const char *const *choices)
{
    for (int i = 0; choices[i] != NULL; i++)
        if (strcmp(text, choices[i]) == 0)
            return choices[i];
    fail(EXIT_ASKED_WRONGLY, "%s %s: unknown", option, text);
}

static int *read_counts(const char *text, const char *option, int *count)
{
    int *counts = allocate((strlen(text) / 2 + 1) * sizeof *counts);
    *count = 0;
    for (const char *at = text;;) {
        const int64_t value = integer(&at, text);
        if (value < 1 || value > 1 << 20)
            fail(EXIT_ASKED_WRONGLY, "%s %s: counts are from 1 up", option, text);
        counts[(*count)++] = (int)value;
        if (*at == '\0')
            return counts;
        if (*at++ != ',')
            fail(EXIT_ASKED_WRONGLY, "%s %s: unexpected '%s'", option, text, at - 1);
    }
}

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
enum { OPTIONS = sizeof accepted / sizeof accepted[0] };

static enum buffers buffers_named(const char *text)
{
    static const char *const names[] = {"returned", "separate", "cold", NULL};
    const char *name = one_of(text, "--buffers", names);
    return name == names[0]   ? BUFFERS_RETURNED
           : name == names[1] ? BUFFERS_SEPARATE
                              : BUFFERS_COLD;
}

static const size_t *bytes_of(const char *text)
{
    static size_t bytes;
    const char *at = text;
    bytes = bytes_at(&at, text);
    if (*at != '\0')
        fail(EXIT_ASKED_WRONGLY, "--segment-bytes %s: unexpected '%s'", text, at);
    return &bytes;
}

static enum sync sync_named(const char *text)
{
    static const char *const names[] = {"clock", "messages", "barrier", NULL};
    const char *name = one_of(text, "--sync", names);
    return name == names[0] ? SYNC_CLOCK : name == names[1] ? SYNC_MESSAGES : SYNC_BARRIER;
}

static void read_option(struct options *options, int option, const char *text)
{
    static const char *const policies[] = {"core", "socket", "numa", "node", "spread", "none", NULL};
    static const char *const reductions[] = {"max", "first", NULL};
    static const char *const roots[] = {"first", "rotate", NULL};
    switch (option) {
    case 'n': options->ranks = (int)number(text, "-n"); break;
    case 'p': read_pair(text, ',', "--peers", &options->peers[0], &options->peers[1]); break;
    case 's': read_sizes(options, text); break;
    case 'N': read_trains(options, text); break;
    case 't': options->seconds = number(text, "--seconds"); break;
    case 'e': options->precision = number(text, "--precision"); break;
    case 'r':
        read_pair(text, ':', "--rounds", &options->least_rounds, &options->most_rounds);
        break;
    case 'P': options->policy = one_of(text, "--place", policies); break;
    case 'C': options->cpus = text; break;
    case 'i': options->every_iteration = 1; break;
    case 'k': options->keep_clock_cost = 1; break;
    case 'v': options->verify = 1; break;
    case 'f': options->floor = 1; break;
    case 'b': options->buffers = buffers_named(text); break;
    case '2': options->buffers = BUFFERS_SEPARATE; break;
    case 'c': options->buffers = BUFFERS_COLD; break;
    case 'w': options->sweep = 1; break;
    case 'a': options->seconds_a_size = number(text, "--seconds-a-size"); break;
    case 'm': options->reduce_first = one_of(text, "--reduce", reductions) == reductions[1]; break;
    case 'o': options->between = text; break;
    case 'M': options->mode = text; break;
    case 'W': options->windows = read_counts(text, "--window", &options->window_count); break;
    case 'g': options->pairing = text; break;
    case 'A': options->active = read_counts(text, "--pairs-active", &options->active_count); break;
    case 'x': options->parallel = 1; break;
    case 'L': options->algorithm = text; break;
    case 'B': options->segment_bytes = bytes_of(text); break;
    case 'y': options->sync = sync_named(text); break;
    case 'R': options->rotate = one_of(text, "--root", roots) == roots[1]; break;
    case 'O': options->overlap = 1; break;
    case 'l': options->launch = (int)number(text, "--launch"); break;
    case 'S': options->seed = (uint64_t)number(text, "--seed"); break;
    case 'K': options->read_back = text; break;
    case 'T': options->table = 1; break;
    case 'h':
        fputs(options_usage, stdout);
        records_flush();
        exit(EXIT_SUCCESS);
    case 'V':
        printf("hockney-engine %s for %s\n", HOCKNEY_VERSION,
               records_library() != NULL ? records_library() : "an unknown MPI");
        records_flush();
        exit(EXIT_SUCCESS);
    default: fail(EXIT_ASKED_WRONGLY, "see hockney-engine --help");
    }
}

/* The words that are no options: the experiment, and of a collective its name. */
static void read_experiment(struct options *options, int count, char **words)
{
    static const char *const names[] = {"pingpong", "overheads", "pairs", "cores", "collective"};
    int experiment = 0;
    if (count < 1)
        fail(EXIT_ASKED_WRONGLY, "name an experiment, such as pingpong (see --help)");
    while (experiment <= COLLECTIVE && strcmp(names[experiment], words[0]) != 0)
        experiment++;
    if (experiment > COLLECTIVE)
        fail(EXIT_ASKED_WRONGLY, "%s: no such experiment", words[0]);
    options->experiment = (enum experiment)experiment;
    if (experiment == COLLECTIVE && count != 2)
        fail(EXIT_ASKED_WRONGLY, "name one collective, such as bcast");
    if (experiment != COLLECTIVE && count != 1)
        fail(EXIT_ASKED_WRONGLY, "name one experiment, such as pingpong (see --help)");
    options->operation = experiment == COLLECTIVE  ? collective_named(words[1])
                         : experiment == OVERHEADS ? &operation_train
                                                   : operation_named(options->between, options->mode);
    if (options->operation == NULL)
        fail(EXIT_ASKED_WRONGLY, "%s: no such operation",
             experiment == COLLECTIVE ? words[1] : options->between);
}

/* Some options are of some experiments only. */
static void check_accepted(const struct options *options, const char *experiment, const int *given)
{
    for (int i = 0; i < OPTIONS; i++)
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
        fail(EXIT_ASKED_WRONGLY, "%s takes no --mode: that is of a pingpong", name);
    if (!operation->counts_window && options->window_count > 0)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --window: that is of a stream or bidirectional", name);
    if (!operation->overlaps && options->overlap)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --overlap: only nonblocking collectives do", name);
    if (!operation->rooted && options->rotate)
        fail(EXIT_ASKED_WRONGLY, "%s takes no --root rotate: it has no root", name);
    if (operation->between_all && options->sync == SYNC_BARRIER && options->verify)
        fail(EXIT_ASKED_WRONGLY, "--verify begins by the clock, not by --sync barrier");
    if (!operation->between_all && options->sync == SYNC_BARRIER)
        fail(EXIT_ASKED_WRONGLY, "--sync barrier is of a collective");
}

/* The choice of buffers, where the user made none; refused where the operation cannot honour it. */
static void choose_buffers(struct options *options)
{
    static const char *const names[] = {"returned", "separate", "cold"};
    const struct operation *operation = options->operation;
    /* Each rank's own pattern must arrive. */
    if (options->buffers == BUFFERS_UNSET)
        options->buffers = options->verify ? BUFFERS_SEPARATE : operation->buffers;
    if (!(operation->accepts & 1 << options->buffers))
        fail(EXIT_ASKED_WRONGLY, "%s%s%s takes no --buffers %s",
             operation->mode != NULL ? operation->mode : "", operation->mode != NULL ? " " : "",
             operation->name, names[options->buffers]);
    if (options->verify && options->buffers == BUFFERS_RETURNED)
        fail(EXIT_ASKED_WRONGLY, "--verify needs --buffers separate or cold: each rank sends a "
                                 "pattern of its own");
}

/* Counts of a size are for those that make each size as often as they are told. */
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
        fail(EXIT_ASKED_WRONGLY, "--rounds %d:%d: from 1 up, and MIN no more than MAX",
             options->least_rounds, options->most_rounds);
}

/* Reads all options; which were given. */
static void read_options(struct options *options, int argc, char **argv, int *given)
{
    struct option long_options[OPTIONS + 1] = {{0}};
    for (int i = 0; i < OPTIONS; i++)
        long_options[i] = accepted[i].option;
    unsetenv("POSIXLY_CORRECT"); /* options may follow the experiment, whatever a site exports */
    for (int letter; (letter = getopt_long(argc, argv, "n:h", long_options, NULL)) != -1;) {
        read_option(options, letter, optarg);
        for (int i = 0; i < OPTIONS; i++)
            given[i] |= accepted[i].option.val == letter;
    }
}

void options_read(struct options *options, int argc, char **argv)
{
    int given[OPTIONS] = {0};
    *options = (struct options){
        .peers = {0, 1},
        .seconds = 1.0,
        .least_rounds = 10,
        .most_rounds = 1000000,
        .seed = 1,
        .policy = "core",
        .buffers = BUFFERS_UNSET,
        .between = "pingpong",
        .mode = "standard",
        .pairing = "halves",
    };
    read_sizes(options, "0,1..4MiB");
    read_options(options, argc, argv, given);
    read_experiment(options, argc - optind, argv + optind);
    check_accepted(options, argv[optind], given);
    check_operation(options);
    choose_buffers(options);
    check_counts(options);
    check_numbers(options);
    if (options->operation->counts_window && options->window_count == 0)
        options->windows = read_counts("64", "--window", &options->window_count);
}
