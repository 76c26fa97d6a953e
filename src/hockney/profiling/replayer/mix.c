#include "mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST_RANKS = 1 << 20, MOST_ITEMS = 1 << 20, MOST_REPETITIONS = 1 << 20, PHASE_PARTS = 1000000 };
enum { LONGEST_FILE = 1 << 30 };
enum { LINE = 64 }; /* bytes of a cache line */
/* More of an item's buffers than this together find no room in a cache, however many there are. */
enum { MOST_BUFFER_BYTES = 64 * 1024 * 1024 };

int item_is_message(const struct item *item) { return strcmp(item->operation, "message") == 0; }

int item_takes_part(const struct item *item, int rank)
{
    for (int i = 0; i < item->size; i++)
        if (item->ranks[i] == rank)
            return 1;
    return 0;
}

int item_has_ranks_of(const struct item *item, const struct item *other)
{
    return item->size == other->size &&
           memcmp(item->ranks, other->ranks, (size_t)item->size * sizeof *item->ranks) == 0;
}

size_t item_stride(const struct item *item) { return ((size_t)item->bytes / LINE + 1) * LINE; }

/* The whole file, on every rank. */
static char *read_text(const char *path, int rank)
{
    long long bytes = -1;
    FILE *file = rank == 0 ? fopen(path, "rb") : NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        bytes = ftell(file);
        rewind(file);
    }
    check(MPI_Bcast(&bytes, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD), "MPI_Bcast");
    if (bytes < 0 || bytes > LONGEST_FILE)
        fail("the file of the mix cannot be read");
    char *text = allocate((size_t)bytes + 1, 1);
    if (file && fread(text, 1, (size_t)bytes, file) != (size_t)bytes)
        fail("the file of the mix cannot be read");
    if (file)
        fclose(file);
    check(MPI_Bcast(text, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD), "MPI_Bcast");
    return text;
}

static noreturn void refuse(void) { fail("the file of the mix is damaged"); }

/* The number at `*at`, which moves behind it. */
static long long number(char **at)
{
    char *end;
    const long long value = strtoll(*at, &end, 10);
    if (end == *at || value < 0)
        refuse();
    *at = end;
    return value;
}

static int number_up_to(long long most, char **at)
{
    const long long value = number(at);
    if (value > most)
        refuse();
    return (int)value;
}

static int buffers_of(const struct item *item, long long wanted)
{
    const long long most = MOST_BUFFER_BYTES / (long long)item_stride(item);
    return (int)(wanted <= 1 || wanted < most ? wanted : most > 1 ? most : 1);
}

static void read_item(struct item *item, const struct mix *mix, int ranks, char **at)
{
    int length;
    if (sscanf(*at, " %23[a-z_]%n", item->operation, &length) != 1)
        refuse();
    *at += length;
    item->bytes = number(at);
    item->share = (double)number(at) / (double)mix->turns;
    item->phase = (double)number_up_to(PHASE_PARTS, at) / PHASE_PARTS;
    item->is_blocking = number_up_to(1, at);
    item->root = number_up_to(MOST_RANKS, at);
    item->outs = buffers_of(item, number(at));
    item->ins = buffers_of(item, number(at));
    item->size = number_up_to(ranks, at);
    item->ranks = allocate((size_t)item->size, sizeof *item->ranks);
    for (int i = 0; i < item->size; i++)
        item->ranks[i] = number_up_to(ranks - 1, at);
    if (item->size < 2 || item->root >= item->size)
        refuse();
}

struct mix mix_read(const char *path, int rank, int ranks)
{
    struct mix mix = {0};
    char *text = read_text(path, rank), *at = text;
    if (number_up_to(MOST_RANKS, &at) != ranks)
        fail("not as many ranks as the mix has");
    mix.turns = number(&at);
    mix.done = number(&at);
    mix.repetitions = number_up_to(MOST_REPETITIONS, &at);
    const int delays = number_up_to(ranks, &at);
    for (int i = 0; i < delays; i++) {
        const long long ns = number(&at);
        mix.delay_ns = i == rank ? ns : mix.delay_ns;
    }
    mix.items = number_up_to(MOST_ITEMS, &at);
    mix.item = allocate((size_t)mix.items, sizeof *mix.item);
    for (int i = 0; i < mix.items; i++)
        read_item(&mix.item[i], &mix, ranks, &at);
    free(text);
    return mix;
}
