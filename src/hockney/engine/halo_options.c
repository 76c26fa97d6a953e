#include "halo_options.h"

#include <string.h>

#include "check.h"
#include "library.h"
#include "operations/halo.h"
#include "simulated.h"
#include "values.h"

/* The next word of a list with commas, of at most `room` - 1 letters; moves `*at` behind it. */
static int next_word(const char **at, const char *option, char *word, size_t room)
{
    const size_t length = strcspn(*at, ",");
    if (length == 0 || length >= room)
        fail(EXIT_ASKED_WRONGLY, "%s: a word is missing or too long at '%s'", option, *at);
    memcpy(word, *at, length);
    word[length] = '\0';
    *at += length;
    return *(*at) == ',' ? (*at)++, 1 : 0;
}

static void add_named(struct options *options, const char *name, const char *form)
{
    const char *own = form == NULL || strcmp(form, "blocking") == 0 ? NULL : form;
    const struct operation *exchange = exchange_named(name, own);
    if (exchange == NULL && strcmp(name, "partitioned") == 0)
        refuse_partitioned("--exchange partitioned");
    if (exchange == NULL)
        fail(EXIT_ASKED_WRONGLY, "%s %s: no such exchange with neighbours", name,
             form != NULL ? form : "");
    add_exchange(options, exchange);
}

/* Its parts are sent by one thread: they are no way of their own, as those of a ping-pong are. */
static void read_parts(struct options *options)
{
    options->halo.grid.parts = options->messages.partition_count > 0 ? options->messages.partitions[0] : 1;
    if (options->messages.partition_count > 1)
        fail(EXIT_ASKED_WRONGLY, "--partitions: halo takes one number");
    options->messages.partition_count = 0;
}

void halo_read_exchanges(struct options *options)
{
    read_parts(options);
    char name[32], form[32];
    const char *names = options->exchange;
    for (int more = 1; more;) {
        more = next_word(&names, "--exchange", name, sizeof name);
        const struct operation *one = exchange_named(name, NULL);
        if (options->form == NULL || one == NULL || !exchange_is_neighborhood(one)) {
            add_named(options, name, NULL);
            continue;
        }
        const char *forms = options->form;
        for (int further = 1; further;) {
            further = next_word(&forms, "--form", form, sizeof form);
            add_named(options, name, form);
        }
    }
    options->operation = options->halo.exchanges[0];
}

static void check_grid(const struct options *options)
{
    const struct grid *grid = &options->halo.grid;
    if (grid->dimensions == 0)
        fail(EXIT_ASKED_WRONGLY, "halo needs --grid, such as --grid=4x2");
    if (options->ranks > 0 && options->ranks != grid_ranks(grid))
        fail(EXIT_ASKED_WRONGLY, "--grid has %d ranks, --ranks asks for %d", grid_ranks(grid),
             options->ranks);
}

static void check_columns(const struct options *options, enum packing packing)
{
    for (int i = 0; packing != PACKING_NONE && i < options->size_count; i++)
        if (options->sizes[i].bytes % ELEMENT != 0)
            fail(EXIT_ASKED_WRONGLY, "--columns %s has whole elements of %d bytes, not messages of %zu",
                 packings_names[packing], ELEMENT, options->sizes[i].bytes);
}

/* In Open MPI, up to 5.0.11 at least, parts begin where those of contiguous data would. */
static int parts_keep_layout(void)
{
    const char *name = library_name();
    return name == NULL || strcmp(name, "Open MPI") != 0;
}

/* Every part is as long as the others, and of whole elements where they lie in columns. */
static void check_parts(const struct options *options)
{
    const size_t parts = (size_t)options->halo.grid.parts;
    for (int j = 0; !parts_keep_layout() && j < options->halo.column_count; j++)
        if (options->halo.columns[j] == PACKING_BY_DATATYPE)
            fail(EXIT_ASKED_WRONGLY, "--columns datatype: Open MPI sends the parts of a partitioned "
                                     "message with gaps from wrong places; use none or hand");
    for (int i = 0; i < options->size_count; i++)
        for (int j = 0; j < options->halo.column_count; j++) {
            const size_t unit = options->halo.columns[j] == PACKING_NONE ? 1 : ELEMENT;
            const size_t bytes = options->sizes[i].bytes;
            if (bytes == 0 || bytes % (parts * unit) != 0)
                fail(EXIT_ASKED_WRONGLY, "--partitions %zu: %zu bytes do not make as many equal parts",
                     parts, bytes);
        }
}

void halo_accept_or_refuse(const struct options *options)
{
    int overlaps = 0;
    check_grid(options);
    for (int i = 0; i < options->halo.exchange_count; i++) {
        const struct operation *exchange = options->halo.exchanges[i];
        overlaps = overlaps || exchange->overlaps;
        if (options->buffers != BUFFERS_UNSET && !(exchange->accepts & 1 << options->buffers))
            fail(EXIT_ASKED_WRONGLY, "%s takes no --buffers %s", exchange->exchange,
                 buffers_names[options->buffers]);
        if (exchange_is_partitioned(exchange))
            check_parts(options);
        if (IS_SIMULATED && exchange_is_neighborhood(exchange))
            fail(EXIT_ASKED_WRONGLY, "SimGrid has no neighbourhood collectives");
    }
    for (int i = 0; i < options->halo.column_count; i++)
        check_columns(options, options->halo.columns[i]);
    if (options->overlap && !overlaps)
        fail(EXIT_ASKED_WRONGLY, "--overlap: none of the exchanges is nonblocking or persistent");
}
