#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
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
    options->sizes = grown(options->sizes, (size_t)options->size_count, sizeof size);
    options->sizes[options->size_count++] = size;
}

/* A size, or powers of two of it up to another one. */
static void read_size(struct options *options, const char **at, const char *text)
{
    struct size_option size = {.bytes = value_bytes_at(at, text)};
    size_t last = size.bytes;
    if (value_skips(at, "..")) {
        last = value_bytes_at(at, text);
        if (size.bytes == 0 || last < size.bytes)
            fail(EXIT_ASKED_WRONGLY, "--sizes %s: a range goes up from at least 1", text);
    }
    if (value_skips(at, "@")) {
        size.repetitions = value_count_at(at, text);
        size.warmup = value_skips(at, "+") ? value_count_at(at, text) : 0;
    }
    add_size(options, size);
    while (size.bytes <= last / 2 && size.bytes > 0) {
        size.bytes *= 2;
        add_size(options, size);
    }
}

static void read_sizes(struct options *options, const char *text)
{
    const char *at = text;
    options->size_count = 0; /* of a list given before, as below */
    do
        read_size(options, &at, text);
    while (value_goes_on(&at, "--sizes", text));
}

static void read_trains(struct train_options *trains, const char *text)
{
    trains->count = 0;
    if (*text == '\0')
        fail(EXIT_ASKED_WRONGLY, "--trains: an empty list");
    for (const char *at = text; *at != '\0';) {
        const struct operation train = train_read(&operation_train, &at);
        trains->list = grown(trains->list, (size_t)trains->count, sizeof train);
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

static void read_threads(struct message_options *messages, const char *text)
{
    const char *at = text;
    messages->thread_count = 0;
    do {
        struct thread_option threads = {.threads = value_count_at(&at, text)};
        threads.receivers = value_skips(&at, ":") ? value_count_at(&at, text) : threads.threads;
        if (threads.threads < 1 || threads.receivers < 1 || threads.threads > MOST_THREADS ||
            threads.receivers > MOST_THREADS)
            fail(EXIT_ASKED_WRONGLY, "--threads %s: from 1 to %d threads", text, MOST_THREADS);
        messages->threads = grown(messages->threads, (size_t)messages->thread_count, sizeof threads);
        messages->threads[messages->thread_count++] = threads;
    } while (value_goes_on(&at, "--threads", text));
}

static void read_packings(struct message_options *messages, const char *text)
{
    static const char *const names[] = {"datatype", "pack", "hand", NULL};
    static const char *packings[sizeof names / sizeof names[0]];
    int chosen[sizeof names / sizeof names[0]];
    const int count = value_choices(text, "--packing", names, chosen);
    for (int i = 0; i < count; i++)
        packings[i] = names[chosen[i]];
    packings[count] = NULL;
    messages->packings = packings;
}

static void read_columns(struct halo_options *halo, const char *text)
{
    int chosen[sizeof halo->columns / sizeof halo->columns[0]];
    halo->column_count = value_choices(text, "--columns", packings_names, chosen);
    for (int i = 0; i < halo->column_count; i++)
        halo->columns[i] = (enum packing)chosen[i];
}

/* How options.def is read; what is by hand has a case of its own further on. */
#define READ_FLAG(member, name, words) case OPTION_##member: options->member = 1; break;
#define READ_WORD(member, name, words) case OPTION_##member: options->member = value_word(text, name, words); break;
#define READ_COUNT(member, name, words) case OPTION_##member: options->member = value_count(text, name); break;
#define READ_NUMBER(member, name, words) case OPTION_##member: options->member = value_number(text, name); break;
#define READ_TEXT(member, name, words) case OPTION_##member: options->member = text; break;
#define READ_HAND(member, name, words)

/* Each of these returns whether the option is one of its own. */
static int read_declared(struct options *options, int option, const char *text)
{
    switch (option) {
#define OPTION(kind, member, name, argument, experiments, words, is_axis, usage) READ_##kind(member, "--" name, words)
#include "options.def"
    default: return 0;
    }
    return 1;
}

static int read_general(struct options *options, int option, const char *text)
{
    static const char *const policies[] = {"core", "socket", "numa", "node", "spread", "none", NULL};
    switch (option) {
    case OPTION_peers: value_pair(text, ',', "--peers", &options->peers[0], &options->peers[1]); break;
    case OPTION_sizes: read_sizes(options, text); break;
    case OPTION_trains: read_trains(&options->trains, text); break;
    case OPTION_rounds:
        value_pair(text, ':', "--rounds", &options->least_rounds, &options->most_rounds);
        break;
    case OPTION_place: options->policy = value_one_of(text, "--place", policies); break;
    case OPTION_buffers:
        options->buffers = (enum buffers)value_choice(text, "--buffers", buffers_names);
        break;
    case OPTION_window: options->windows = value_counts(text, "--window", &options->window_count); break;
    case OPTION_element: options->element = element_of(text); break;
    case OPTION_seed: options->seed = seed_of(text); break;
    default: return 0;
    }
    return 1;
}

static int read_of_messages(struct message_options *messages, int option, const char *text)
{
    static const char *const comms[] = {"shared", "own", "vci", NULL};
    switch (option) {
    case OPTION_threads: read_threads(messages, text); break;
    case OPTION_thread_comms: messages->thread_comms = value_one_of(text, "--thread-comms", comms); break;
    case OPTION_datatype: messages->out = layout_read(text, "--datatype"); break;
    case OPTION_receive_datatype: messages->in = layout_read(text, "--receive-datatype"); break;
    case OPTION_packing: read_packings(messages, text); break;
    case OPTION_partitions:
        messages->partitions = value_counts(text, "--partitions", &messages->partition_count);
        break;
    default: return 0;
    }
    return 1;
}

static int read_of_one_sided(struct one_sided_options *one_sided, int option, const char *text)
{
    switch (option) {
    case OPTION_synchronization:
        one_sided->synchronization_count =
            value_choices(text, "--synchronization", synchronization_names, one_sided->synchronizations);
        break;
    case OPTION_window_kind:
        one_sided->window_kind_count =
            value_choices(text, "--window-kind", window_kind_names, one_sided->window_kinds);
        break;
    case OPTION_direction:
        one_sided->direction = (enum direction)(1 + value_choice(text, "--direction", direction_names));
        break;
    case OPTION_reduction:
        one_sided->reduction = (enum reduction)value_choice(text, "--reduction", reduction_names);
        break;
    default: return 0;
    }
    return 1;
}

static int read_of_halo(struct halo_options *halo, int option, const char *text)
{
    switch (option) {
    case OPTION_grid: grid_read(&halo->grid, text); break;
    case OPTION_neighbors: halo->grid.reach = 1 + value_choice(text, "--neighbors", neighbors_names); break;
    case OPTION_open: halo->grid.is_open = 1; break;
    case OPTION_reorder: halo->grid.reordered = 1; break;
    case OPTION_columns: read_columns(halo, text); break;
    default: return 0;
    }
    return 1;
}

static int read_of_collective(struct collective_options *collective, int option, const char *text)
{
    struct arrivals *arrivals = &collective->arrivals;
    switch (option) {
    case OPTION_arrival: arrivals_read(arrivals, text); break;
    case OPTION_skew_ns: arrivals->skew_ns = value_number(text, "--skew-ns"); break;
    case OPTION_skew_times: arrivals->skew_times = value_number(text, "--skew-times"); break;
    case OPTION_fractions: arrivals->fractions = text; break;
    case OPTION_schedules: collective->schedules = text + (*text == '@'); break;
    default: return 0;
    }
    return 1;
}

static int read_of_many_pairs(struct options *options, int option, const char *text)
{
    struct pairs_options *pairs = &options->pairs;
    struct fabric_options *fabric = &options->fabric;
    switch (option) {
    case OPTION_pairs_active: pairs->active = value_counts(text, "--pairs-active", &pairs->active_count); break;
    case OPTION_from: fabric->from = value_count(text, "--from"); break;
    case OPTION_visits: fabric->visits = value_count(text, "--visits"); break;
    case OPTION_arrangements:
        fabric->arrangements = value_counts(text, "--arrangements", &fabric->arrangement_count);
        break;
    case OPTION_loads: loads_read(&options->congestion, text); break;
    case OPTION_roles: roles_read(&options->congestion, text); break;
    default: return 0;
    }
    return 1;
}

static void read_option(struct options *options, int option, const char *text)
{
    if (!read_declared(options, option, text) && !read_general(options, option, text) &&
        !read_of_messages(&options->messages, option, text) &&
        !read_of_one_sided(&options->one_sided, option, text) &&
        !read_of_halo(&options->halo, option, text) &&
        !read_of_collective(&options->collective, option, text) &&
        !read_of_many_pairs(options, option, text))
        fail(EXIT_ASKED_WRONGLY, "see hockney-engine --help");
}

/* Keeps an option as it was given. */
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
}

void add_exchange(struct options *options, const struct operation *exchange)
{
    struct halo_options *halo = &options->halo;
    halo->exchanges = grown(halo->exchanges, (size_t)halo->exchange_count, sizeof(struct operation *));
    halo->exchanges[halo->exchange_count++] = exchange;
}

void options_free(struct options *options)
{
    for (int i = 0; i < ACCEPTED_OPTIONS; i++)
        free(options->texts[i]);
    free(options->sizes);
    free(options->trains.list);
    free(options->messages.threads);
    free(options->halo.exchanges);
    free(options->congestion.loads);
}
