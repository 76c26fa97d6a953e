#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accept.h"
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

static int count_at(const char **at, const char *text)
{
    const int64_t value = integer(at, text);
    if (value > INT_MAX)
        fail(EXIT_ASKED_WRONGLY, "%s: a number that is too large", text);
    return (int)value;
}

static void expect_end(const char *at, const char *option, const char *text)
{
    if (*at != '\0')
        fail(EXIT_ASKED_WRONGLY, "%s %s: unexpected '%s'", option, text, at);
}

static int count_of(const char *text, const char *option)
{
    const char *at = text;
    const int count = count_at(&at, text);
    expect_end(at, option, text);
    return count;
}

static uint64_t seed_of(const char *text)
{
    const char *at = text;
    const uint64_t seed = (uint64_t)integer(&at, text);
    expect_end(at, "--seed", text);
    return seed;
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
    *first = count_at(&at, text);
    if (*at++ != separator)
        fail(EXIT_ASKED_WRONGLY, "%s %s: two numbers with '%c' between", option, text, separator);
    *second = count_at(&at, text);
    expect_end(at, option, text);
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

static enum buffers buffers_named(const char *text)
{
    const char *name = one_of(text, "--buffers", buffers_names);
    int buffers = 0;
    while (buffers_names[buffers] != name)
        buffers++;
    return (enum buffers)buffers;
}

static const size_t *bytes_of(const char *text)
{
    static size_t bytes;
    const char *at = text;
    bytes = bytes_at(&at, text);
    expect_end(at, "--segment-bytes", text);
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
    case 'n': options->ranks = count_of(text, "--ranks"); break;
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
    case 'l': options->launch = count_of(text, "--launch"); break;
    case 'S': options->seed = seed_of(text); break;
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

/* Reads all options; `given[OPTIONS]` marks those that were given. */
static void read_options(struct options *options, int argc, char **argv, int *given)
{
    struct option *long_options = accept_options();
    unsetenv("POSIXLY_CORRECT"); /* options may follow the experiment, whatever a site exports */
    for (int letter; (letter = getopt_long(argc, argv, "n:h", long_options, NULL)) != -1;) {
        read_option(options, letter, optarg);
        for (int i = 0; i < ACCEPTED_OPTIONS; i++)
            given[i] |= long_options[i].val == letter;
    }
    free(long_options);
}

void options_read(struct options *options, int argc, char **argv)
{
    int given[ACCEPTED_OPTIONS] = {0};
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
    accept_or_refuse(options, argv[optind], given);
    if (options->operation->counts_window && options->window_count == 0)
        options->windows = read_counts("64", "--window", &options->window_count);
}
