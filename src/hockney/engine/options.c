#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "library.h"
#include "values.h"

enum { MOST_THREADS = 1024 };

static uint64_t seed_of(const char *text)
{
    const char *at = text;
    const uint64_t seed = (uint64_t)value_integer(&at, text);
    value_ends(at, "--seed", text);
    return seed;
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
        struct size_option size = {.bytes = value_bytes_at(&at, text)};
        size_t last = size.bytes;
        if (strncmp(at, "..", 2) == 0) {
            at += 2;
            last = value_bytes_at(&at, text);
            if (size.bytes == 0 || last < size.bytes)
                fail(EXIT_ASKED_WRONGLY, "--sizes %s: a range goes up from at least 1", text);
        }
        if (*at == '@') {
            at++;
            size.repetitions = value_count_at(&at, text);
            if (*at == '+') {
                at++;
                size.warmup = value_count_at(&at, text);
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
        struct train_options *trains = &options->trains;
        const size_t count = (size_t)trains->count + 1;
        trains->list = realloc(trains->list, count * sizeof *trains->list);
        if (trains->list == NULL)
            fail(EXIT_WENT_WRONG, "no memory for %zu trains", count);
        trains->list[trains->count++] = train;
    }
}

static const struct element *element_of(const char *text)
{
    const struct element *element = element_named(text);
    if (element == NULL)
        fail(EXIT_ASKED_WRONGLY, "--element %s: unknown; there are %s", text, element_names);
    return element;
}

static enum buffers buffers_named(const char *text)
{
    return (enum buffers)value_choice(text, "--buffers", buffers_names);
}

static void read_threads(struct options *options, const char *text)
{
    options->messages.threads = allocate((strlen(text) / 2 + 1) * sizeof *options->messages.threads);
    options->messages.thread_count = 0; /* of a list given before */
    for (const char *at = text;;) {
        struct thread_option one = {.threads = value_count_at(&at, text)};
        one.receivers = one.threads;
        if (*at == ':') {
            at++;
            one.receivers = value_count_at(&at, text);
        }
        if (one.threads < 1 || one.receivers < 1 || one.threads > MOST_THREADS ||
            one.receivers > MOST_THREADS)
            fail(EXIT_ASKED_WRONGLY, "--threads %s: from 1 to %d threads", text, MOST_THREADS);
        options->messages.threads[options->messages.thread_count++] = one;
        if (*at == '\0')
            return;
        if (*at++ != ',')
            fail(EXIT_ASKED_WRONGLY, "--threads %s: expected T or S:R at '%s'", text, at - 1);
    }
}

static const char *const *packings_of(char *text)
{
    static const char *const names[] = {"datatype", "pack", "hand", NULL};
    static const char *found[sizeof names / sizeof names[0]];
    int count = 0;
    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ",")) {
        const char *name = value_one_of(word, "--packing", names);
        for (int i = 0; i < count; i++)
            if (found[i] == name)
                fail(EXIT_ASKED_WRONGLY, "--packing: %s is given twice", name);
        found[count++] = name;
    }
    return found;
}

static void read_columns(struct options *options, const char *text)
{
    enum { ALL = sizeof options->halo.columns / sizeof options->halo.columns[0] };
    int chosen[ALL];
    options->halo.column_count = value_choices(text, "--columns", packings_names, ALL, chosen);
    for (int i = 0; i < options->halo.column_count; i++)
        options->halo.columns[i] = (enum packing)chosen[i];
}

/* How options.def is read; what is by hand has a case of its own. */
#define READ_FLAG(member, name, words) case OPTION_##member: options->member = 1; break;
#define READ_WORD(member, name, words) case OPTION_##member: options->member = value_word(text, name, words); break;
#define READ_COUNT(member, name, words) case OPTION_##member: options->member = value_count(text, name); break;
#define READ_NUMBER(member, name, words) case OPTION_##member: options->member = value_number(text, name); break;
#define READ_TEXT(member, name, words) case OPTION_##member: options->member = text; break;
#define READ_HAND(member, name, words)

static void read_option(struct options *options, int option, char *text)
{
    static const char *const comms[] = {"shared", "own", "vci", NULL};
    static const char *const policies[] = {"core", "socket", "numa", "node", "spread", "none", NULL};
    switch (option) {
#define OPTION(kind, member, name, argument, experiments, words, is_axis, usage) READ_##kind(member, "--" name, words)
#include "options.def"
    case OPTION_peers: value_pair(text, ',', "--peers", &options->peers[0], &options->peers[1]); break;
    case OPTION_sizes: read_sizes(options, text); break;
    case OPTION_trains: read_trains(options, text); break;
    case OPTION_rounds:
        value_pair(text, ':', "--rounds", &options->least_rounds, &options->most_rounds);
        break;
    case OPTION_place: options->policy = value_one_of(text, "--place", policies); break;
    case OPTION_buffers: options->buffers = buffers_named(text); break;
    case OPTION_window: options->windows = value_counts(text, "--window", &options->window_count); break;
    case OPTION_pairs_active:
        options->pairs.active = value_counts(text, "--pairs-active", &options->pairs.active_count);
        break;
    case OPTION_grid: grid_read(&options->halo.grid, text); break;
    case OPTION_neighbors: options->halo.grid.reach = 1 + value_choice(text, "--neighbors", neighbors_names); break;
    case OPTION_open: options->halo.grid.is_open = 1; break;
    case OPTION_reorder: options->halo.grid.reordered = 1; break;
    case OPTION_columns: read_columns(options, text); break;
    case OPTION_arrival: arrivals_read(&options->collective.arrivals, text); break;
    case OPTION_skew_ns: options->collective.arrivals.skew_ns = value_number(text, "--skew-ns"); break;
    case OPTION_skew_times:
        options->collective.arrivals.skew_times = value_number(text, "--skew-times");
        break;
    case OPTION_fractions: options->collective.arrivals.fractions = text; break;
    case OPTION_threads: read_threads(options, text); break;
    case OPTION_thread_comms: options->messages.thread_comms = value_one_of(text, "--thread-comms", comms); break;
    case OPTION_datatype: options->messages.out = layout_read(text, "--datatype"); break;
    case OPTION_receive_datatype: options->messages.in = layout_read(text, "--receive-datatype"); break;
    case OPTION_packing: options->messages.packings = packings_of(text); break;
    case OPTION_partitions:
        options->messages.partitions =
            value_counts(text, "--partitions", &options->messages.partition_count);
        break;
    case OPTION_synchronization:
        options->one_sided.synchronization_count =
            value_choices(text, "--synchronization", synchronization_names, SYNCHRONIZATIONS,
                         options->one_sided.synchronizations);
        break;
    case OPTION_window_kind:
        options->one_sided.window_kind_count = value_choices(text, "--window-kind", window_kind_names,
                                                  WINDOW_KINDS, options->one_sided.window_kinds);
        break;
    case OPTION_direction:
        options->one_sided.direction =
            (enum direction)(1 + value_choice(text, "--direction", direction_names));
        break;
    case OPTION_element: options->element = element_of(text); break;
    case OPTION_reduction:
        options->one_sided.reduction = (enum reduction)value_choice(text, "--reduction", reduction_names);
        break;
    case OPTION_schedules: options->collective.schedules = text + (*text == '@'); break;
    case OPTION_from: options->fabric.from = value_count(text, "--from"); break;
    case OPTION_visits: options->fabric.visits = value_count(text, "--visits"); break;
    case OPTION_arrangements:
        options->fabric.arrangements =
            value_counts(text, "--arrangements", &options->fabric.arrangement_count);
        break;
    case OPTION_loads: loads_read(&options->congestion, text); break;
    case OPTION_roles: roles_read(&options->congestion, text); break;
    case OPTION_seed: options->seed = seed_of(text); break;
    default: fail(EXIT_ASKED_WRONGLY, "see hockney-engine --help");
    }
}

void add_exchange(struct options *options, const struct operation *exchange)
{
    struct halo_options *halo = &options->halo;
    const size_t count = (size_t)halo->exchange_count + 1;
    halo->exchanges = realloc(halo->exchanges, count * sizeof(*halo->exchanges));
    if (halo->exchanges == NULL)
        fail(EXIT_WENT_WRONG, "no memory for %zu exchanges", count);
    halo->exchanges[halo->exchange_count++] = exchange;
}

static noreturn void refuse_operation(const struct options *options, const char *name)
{
    if (operation_named(name, "standard") == NULL)
        fail(EXIT_ASKED_WRONGLY, "%s: no such operation", name);
    if (strcmp(options->mode, "partitioned") == 0 && operation_whole() == NULL)
        refuse_partitioned("--mode partitioned");
    fail(EXIT_ASKED_WRONGLY, "%s takes no --mode %s", name, options->mode);
}

/* A collective, or what two ranks do. */
static const struct operation *victim_named(const char *name)
{
    const struct operation *collective = collective_named(name, NULL);
    return collective != NULL ? collective : operation_named(name, "standard");
}

/* The words that are no options: the experiment, and the name of a collective or one-sided operation. */
static void read_experiment(struct options *options, int count, char **words)
{
    static const char *const names[] = {"pingpong", "overheads", "pairs",
                                        "cores",    "collective", "halo",  "overlap",
                                        "rma",      "startup",    "congestion", "fabric"};
    int experiment = 0;
    if (count < 1)
        fail(EXIT_ASKED_WRONGLY, "name an experiment, such as pingpong (see --help)");
    while (experiment < EXPERIMENTS && strcmp(names[experiment], words[0]) != 0)
        experiment++;
    if (experiment == EXPERIMENTS)
        fail(EXIT_ASKED_WRONGLY, "%s: no such experiment", words[0]);
    options->experiment = (enum experiment)experiment;
    options->experiment_name = names[experiment];
    const int is_named = experiment == COLLECTIVE || experiment == RMA || experiment == CONGESTION;
    if (experiment == COLLECTIVE && count != 2)
        fail(EXIT_ASKED_WRONGLY, "name one collective, such as bcast");
    if (experiment == CONGESTION && count != 2)
        fail(EXIT_ASKED_WRONGLY, "name one victim, such as pingpong");
    if (experiment == RMA && count != 2)
        fail(EXIT_ASKED_WRONGLY, "name one operation, such as put");
    if (!is_named && count != 1)
        fail(EXIT_ASKED_WRONGLY, "name one experiment, such as pingpong (see --help)");
    if (options->form != NULL && strstr(options->form, "persistent") != NULL &&
        !has_persistent_collectives)
        fail(EXIT_ASKED_WRONGLY, "%s has no persistent collectives, which came with MPI 4.0",
             library_name() != NULL ? library_name() : "this MPI");
    if (experiment == HALO) /* whose exchanges accept.c reads */
        return;
    if (experiment == OVERLAP) {
        add_exchange(options, &operation_isend);
        add_exchange(options, &operation_irecv);
        options->operation = &operation_isend;
        options->overlap = 1;
        return;
    }
    const char *name = is_named ? words[1] : options->one_way ? "stream" : options->between;
    options->operation = experiment == COLLECTIVE  ? collective_named(name, options->form)
                         : experiment == OVERHEADS ? &operation_train
                         : experiment == CONGESTION ? victim_named(name)
                                                   : operation_named(name, options->mode);
    if (options->operation == NULL && experiment == COLLECTIVE && options->form != NULL)
        fail(EXIT_ASKED_WRONGLY, "%s --form %s: no such collective", name, options->form);
    if (options->operation == NULL)
        refuse_operation(options, name);
}

/* Keeps an option as it was given, before it is read, which may take its text apart. */
static void keep_text(struct options *options, int option, const char *name)
{
    const char *value = optarg != NULL ? optarg : "";
    const size_t room = strlen("--") + strlen(name) + strlen("=") + strlen(value) + 1;
    free(options->texts[option]);
    options->texts[option] = allocate(room);
    snprintf(options->texts[option], room, "--%s%s%s", name, optarg != NULL ? "=" : "", value);
}

static void read_options(struct options *options, int argc, char **argv)
{
    static const struct option long_options[] = {
#define OPTION(kind, member, name, argument, experiments, words, is_axis, usage) \
    {name, argument, NULL, OPTION_##member},
#include "options.def"
        {0},
    };
    unsetenv("POSIXLY_CORRECT"); /* options may follow the experiment, whatever a site exports */
    for (int letter; !options->help && !options->version &&
                     (letter = getopt_long(argc, argv, "n:h", long_options, NULL)) != -1;) {
        letter = letter == 'n' ? OPTION_ranks : letter == 'h' ? OPTION_help : letter;
        const int option = letter - BEFORE_OPTIONS - 1;
        if (option >= 0 && option < ACCEPTED_OPTIONS) /* else a letter that read_option refuses */
            keep_text(options, option, long_options[option].name);
        read_option(options, letter, optarg);
        options->given[option] = 1;
    }
    options->words = argv + optind;
    options->word_count = argc - optind;
}

void options_read(struct options *options, int argc, char **argv)
{
    static const char *const usual_packings[] = {"datatype", NULL};
    *options = (struct options){
        .peers = {0, 1},
        .seconds = 1.0,
        .pass = -1,
        .least_rounds = 10,
        .most_rounds = 1000000,
        .seed = 1,
        .policy = "core",
        .sys = "/sys",
        .buffers = BUFFERS_UNSET,
        .between = "pingpong",
        .mode = "standard",
        .pairing = "halves",
        .one_sided.reduction = SUM,
        .exchange = "waitall",
        .halo = {.grid = {.reach = 1}, .column_count = 1},
        .groups = 1,
        .messages = {.thread_comms = "shared", .packings = usual_packings},
    };
    read_sizes(options, "0,1..4MiB");
    read_options(options, argc, argv);
    if (!options->help && !options->version)
        read_experiment(options, argc - optind, argv + optind);
}
