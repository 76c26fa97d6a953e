#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "records.h"

static const char usage[] =
    "usage: mpiexec -n 2 hockney-engine pingpong [option ...]   measure, JSON lines to stdout\n"
    "       mpiexec -n 2 hockney-engine overheads --trains LIST [option ...]\n"
    "       mpiexec -n N hockney-engine pairs [option ...]      all ranks in pairs\n"
    "       mpiexec -n N hockney-engine cores [option ...]      every two ranks\n"
    "       mpiexec -n N hockney-engine collective NAME [option ...]\n"
    "       hockney-engine algorithms                           what the library's collectives can be told\n"
    "       hockney-engine fit [--ordinary] [FILE]              alpha and beta of lines `bytes ... seconds'\n"
    "\n"
    "  -n N, --ranks N        the world must have N ranks\n"
    "  --peers A,B            which two take part (default 0,1); the others sleep\n"
    "  --sizes LIST           0,1,8 or 1..4MiB (powers of two); 8@1000+10: 1000 repetitions after 10\n"
    "  --trains LIST          of overheads and late: MESSAGES:SEND_DELAY:RECEIVE_DELAY, delays as NS or NS+NS_A_BYTE\n"
    "  --seconds S            measure for at most S seconds (default 1)\n"
    "  --precision P          stop when every median is known within P, e.g. 0.01 (default 0: never)\n"
    "  --rounds MIN:MAX       visits of each size (default 10:1000000)\n"
    "  --place POLICY         core, socket, numa, node, spread or none (default core)\n"
    "  --cpus LIST            CPU of each rank of a node, e.g. 0,3\n"
    "  --every-iteration      time each exchange on its own, clock cost subtracted\n"
    "  --keep-clock-cost      do not subtract it\n"
    "  --verify               check every message on arrival, outside the timing\n"
    "  --floor                measure the hardware's limit without MPI in the same rounds\n"
    "  --two-buffers          receive into another buffer: what is sent stays in the receiver's cache\n"
    "  --cold-cache           walk through buffers larger than the last cache\n"
    "  --sweep                sizes in order, once each, with their own counts\n"
    "  --seconds-a-size S     in a sweep: as many repetitions as a timed warm-up of 100 promises\n"
    "  --reduce max|first     a time is the largest of the ranks (default) or the first one's\n"
    "  --operation NAME       between two ranks: pingpong, exchange, stream, bidirectional or late\n"
    "  --mode MODE            of a ping-pong: standard, synchronous, nonblocking or persistent\n"
    "  --window LIST          of a stream: messages outstanding at once (default 64)\n"
    "  --pairing PAIRS        halves (default), neighbours, random, or 0-2,1-3\n"
    "  --pairs-active LIST    how many pairs speak at once (default: one, and all)\n"
    "  --parallel             of every two ranks: disjoint pairs at once\n"
    "  --algorithm LABEL      what the records call the algorithm of a collective\n"
    "  --sync clock|barrier|messages  how a collective's ranks begin together (default clock)\n"
    "  --root first|rotate    of a collective\n"
    "  --overlap              a nonblocking collective also while computing for as long as it takes\n"
    "  --launch N, --seed N   the launch's number in the records; the order of visits\n"
    "  --read-back NAME,NAME=VALUE,...  control variables of the library to put into the launch\n"
    "                         record; where one is not VALUE, the launch ends\n"
    "  --table                a table and a fit for people instead of records\n"
    "  --help, --version\n";

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

static const struct option long_options[] = {
    {"ranks", required_argument, NULL, 'n'},
    {"peers", required_argument, NULL, 'p'},
    {"sizes", required_argument, NULL, 's'},
    {"trains", required_argument, NULL, 'N'},
    {"seconds", required_argument, NULL, 't'},
    {"precision", required_argument, NULL, 'e'},
    {"rounds", required_argument, NULL, 'r'},
    {"place", required_argument, NULL, 'P'},
    {"cpus", required_argument, NULL, 'C'},
    {"every-iteration", no_argument, NULL, 'i'},
    {"keep-clock-cost", no_argument, NULL, 'k'},
    {"verify", no_argument, NULL, 'v'},
    {"floor", no_argument, NULL, 'f'},
    {"cold-cache", no_argument, NULL, 'c'},
    {"two-buffers", no_argument, NULL, 'b'},
    {"sweep", no_argument, NULL, 'w'},
    {"seconds-a-size", required_argument, NULL, 'a'},
    {"reduce", required_argument, NULL, 'm'},
    {"operation", required_argument, NULL, 'o'},
    {"mode", required_argument, NULL, 'M'},
    {"window", required_argument, NULL, 'W'},
    {"pairing", required_argument, NULL, 'g'},
    {"pairs-active", required_argument, NULL, 'A'},
    {"parallel", no_argument, NULL, 'x'},
    {"algorithm", required_argument, NULL, 'L'},
    {"sync", required_argument, NULL, 'y'},
    {"root", required_argument, NULL, 'R'},
    {"overlap", no_argument, NULL, 'O'},
    {"launch", required_argument, NULL, 'l'},
    {"seed", required_argument, NULL, 'S'},
    {"read-back", required_argument, NULL, 'K'},
    {"table", no_argument, NULL, 'T'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

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
    case 'b': options->two_buffers = 1; break;
    case 'c': options->cold = 1; break;
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
    case 'y': options->sync = sync_named(text); break;
    case 'R': options->rotate = one_of(text, "--root", roots) == roots[1]; break;
    case 'O': options->overlap = 1; break;
    case 'l': options->launch = (int)number(text, "--launch"); break;
    case 'S': options->seed = (uint64_t)number(text, "--seed"); break;
    case 'K': options->read_back = text; break;
    case 'T': options->table = 1; break;
    case 'h': fputs(usage, stdout); exit(EXIT_SUCCESS);
    case 'V':
        printf("hockney-engine %s for %s\n", HOCKNEY_VERSION,
               records_library() != NULL ? records_library() : "an unknown MPI");
        exit(EXIT_SUCCESS);
    default: fail(EXIT_ASKED_WRONGLY, "see hockney-engine --help");
    }
}

/* The words that are no options: the experiment, and of a collective its name. */
static void read_experiment(struct options *options, int count, char **words)
{
    static const char *const names[] = {"pingpong", "pairs", "cores", "collective", NULL};
    if (count < 1)
        fail(EXIT_ASKED_WRONGLY, "name an experiment, such as pingpong (see --help)");
    const int overheads = strcmp(words[0], "overheads") == 0; /* a ping-pong of trains */
    const char *word = overheads ? names[PINGPONG] : words[0];
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], word) == 0)
            options->experiment = (enum experiment)i;
    const int wanted = options->experiment == COLLECTIVE ? 2 : 1;
    if (strcmp(names[options->experiment], word) != 0)
        fail(EXIT_ASKED_WRONGLY, "%s: no such experiment", word);
    if (count != wanted)
        fail(EXIT_ASKED_WRONGLY, wanted == 2 ? "name one collective, such as bcast"
                                             : "name one experiment, such as pingpong (see --help)");
    const char *mode = strcmp(options->mode, "standard") == 0 ? NULL : options->mode;
    if (operation_named(options->between, NULL) == NULL)
        fail(EXIT_ASKED_WRONGLY, "--operation %s: unknown", options->between);
    options->operation = wanted == 2                  ? collective_named(words[1])
                         : overheads && mode == NULL ? &operation_train
                                                     : operation_named(options->between, mode);
    if (options->operation == NULL)
        fail(EXIT_ASKED_WRONGLY, "%s: no such operation%s%s", wanted == 2 ? words[1] : options->between,
             mode != NULL ? " in mode " : "", mode != NULL ? mode : "");
}

static int *usual_window(void)
{
    int *window = allocate(sizeof *window);
    *window = 64;
    return window;
}

static void check_trains(struct options *options)
{
    const char *name = options->operation->name;
    const int takes_trains = options->operation->repeat == operation_train.repeat;
    if (takes_trains && options->experiment != PINGPONG)
        fail(EXIT_ASKED_WRONGLY, "%s is between two ranks", name);
    if (takes_trains != (options->train_count > 0))
        fail(EXIT_ASKED_WRONGLY, takes_trains ? "%s needs --trains" : "%s takes no --trains", name);
    if (takes_trains && (options->verify || options->table))
        fail(EXIT_ASKED_WRONGLY, "--verify and --table are for ping-pongs, not for trains");
    for (int i = 0; i < options->train_count; i++)
        options->trains[i].name = name;
}

void options_read(struct options *options, int argc, char **argv)
{
    *options = (struct options){
        .peers = {0, 1},
        .seconds = 1.0,
        .least_rounds = 10,
        .most_rounds = 1000000,
        .seed = 1,
        .policy = "core",
        .between = "pingpong",
        .mode = "standard",
        .pairing = "halves",
        .windows = usual_window(),
        .window_count = 1,
    };
    read_sizes(options, "0,1..4MiB");
    unsetenv("POSIXLY_CORRECT"); /* options may follow the experiment, whatever a site exports */
    for (int option; (option = getopt_long(argc, argv, "n:h", long_options, NULL)) != -1;)
        read_option(options, option, optarg);
    read_experiment(options, argc - optind, argv + optind);
    check_trains(options);
    if (options->peers[0] == options->peers[1])
        fail(EXIT_ASKED_WRONGLY, "--peers %d,%d: a rank cannot exchange messages with itself here",
             options->peers[0], options->peers[1]);
    if (options->least_rounds < 1 || options->most_rounds < options->least_rounds)
        fail(EXIT_ASKED_WRONGLY, "--rounds %d:%d: from 1 up, and MIN no more than MAX",
             options->least_rounds, options->most_rounds);
    if (options->verify)
        options->two_buffers = 1; /* each rank's own pattern must arrive */
    if (options->sweep)
        for (int i = 0; i < options->size_count; i++)
            if (options->sizes[i].repetitions == 0 && options->seconds_a_size == 0.0)
                fail(EXIT_ASKED_WRONGLY, "--sweep needs counts, such as --sizes 8@1000+10");
}
