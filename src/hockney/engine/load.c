#include "load.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "list.h"
#include "order.h"

const char *const aggressor_names[] = {"incast", "outcast", "all-to-all", "ring", "permutation", NULL};

enum { LEAST_AGGRESSORS = 2, MOST_IN_FLIGHT = 1 << 12 };

static int aggressor_named(const char *name)
{
    for (int i = 0; aggressor_names[i] != NULL; i++)
        if (strcmp(name, aggressor_names[i]) == 0)
            return i;
    return -1;
}

/* One load, of `length` characters. */
static struct load load_of(const char *text, int length)
{
    char words[128], name[16];
    long long bytes = 0;
    int window = 0, end = 0;
    double burst_ns = 0.0, gap_ns = 0.0;
    snprintf(words, sizeof words, "%.*s", length, text);
    const int read = sscanf(words, "%15[a-z-]:%lld:%d:%lf:%lf%n", name, &bytes, &window, &burst_ns,
                            &gap_ns, &end);
    const int named = read == 5 && words[end] == '\0' ? aggressor_named(name) : -1;
    if (named < 0 || bytes < 1 || bytes > INT_MAX || window < 1 || window > MOST_IN_FLIGHT ||
        !(burst_ns >= 0.0) || !(gap_ns >= 0.0) || (burst_ns > 0.0) != (gap_ns > 0.0))
        fail(EXIT_ASKED_WRONGLY, "--loads %s: expected AGGRESSOR:BYTES:WINDOW:BURST_NS:GAP_NS, such as "
                                 "incast:65536:8:0:0", words);
    return (struct load){(enum aggressor)named, (size_t)bytes, window, burst_ns, gap_ns};
}

void loads_read(struct congestion_options *options, const char *text)
{
    options->loads = allocate((strlen(text) + 1) * sizeof *options->loads);
    options->load_count = 0; /* of a list given before */
    for (const char *at = text;; at++) {
        const int length = (int)strcspn(at, ",");
        options->loads[options->load_count++] = load_of(at, length);
        at += length;
        if (*at == '\0')
            return;
    }
}

void roles_read(struct congestion_options *options, const char *text)
{
    static const char *const names[] = {"random:", "blocks:", "listed:"};
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(text, names[i], length) != 0)
            continue;
        options->placing = (enum placing)i;
        options->list = text + length;
        char *end = NULL;
        const long victims = i == BY_LIST ? 0 : strtol(options->list, &end, 10);
        options->victims = (int)victims;
        if (i == BY_LIST || (*end == '\0' && victims >= 2 && victims < INT_MAX))
            return;
    }
    fail(EXIT_ASKED_WRONGLY, "--roles %s: expected random:VICTIMS, blocks:VICTIMS or listed:LIST", text);
}

/* The ranks of a list up to its end or a slash; returns how many. */
static int read_ranks(const char **at, int *ranks, int most)
{
    int count = 0;
    for (;; (*at)++) {
        char *end;
        const long rank = strtol(*at, &end, 10);
        if (end == *at || rank < 0 || rank >= most)
            fail(EXIT_ASKED_WRONGLY, "--roles: a rank from 0 to %d was expected at '%.20s'", most - 1, *at);
        if (count == most)
            fail(EXIT_ASKED_WRONGLY, "--roles: more ranks are listed than the %d that there are", most);
        ranks[count++] = (int)rank;
        *at = end;
        if (*end != ',')
            return count;
    }
}

static void check_once(const struct cast *cast, int ranks)
{
    int *seen = allocate((size_t)ranks * sizeof *seen);
    for (int i = 0; i < cast->victims + cast->aggressors; i++)
        if (seen[cast->ranks[i]]++ > 0)
            fail(EXIT_ASKED_WRONGLY, "--roles: rank %d is given twice", cast->ranks[i]);
    free(seen);
}

static void read_list(const char *list, struct cast *cast, int ranks)
{
    char *content = list_of("--roles", list);
    const char *at = content;
    cast->victims = read_ranks(&at, cast->ranks, ranks);
    if (*at++ != '/')
        fail(EXIT_ASKED_WRONGLY, "--roles: expected VICTIM,VICTIM/AGGRESSOR,AGGRESSOR");
    cast->aggressors = read_ranks(&at, cast->ranks + cast->victims, ranks);
    if (*at != '\0' && *at != '\n')
        fail(EXIT_ASKED_WRONGLY, "--roles: unexpected '%.20s'", at);
    check_once(cast, ranks);
    free(content);
}

struct cast cast_of(const struct congestion_options *options, int ranks, uint64_t seed)
{
    struct cast cast = {.ranks = allocate(2 * (size_t)ranks * sizeof(int))};
    uint64_t state = random_state(seed);
    for (int i = 0; i < ranks; i++)
        cast.ranks[i] = i;
    if (options->placing == AT_RANDOM)
        shuffle(cast.ranks, ranks, (int)sizeof *cast.ranks, &state);
    cast.victims = options->victims;
    cast.aggressors = ranks - options->victims;
    if (options->placing == BY_LIST)
        read_list(options->list, &cast, ranks);
    if (cast.victims < 2 || cast.aggressors < LEAST_AGGRESSORS)
        fail(EXIT_ASKED_WRONGLY, "congestion needs two victims and two aggressors at least, and of %d ranks "
                                 "there are %d and %d", ranks, cast.victims, cast.aggressors);
    return cast;
}
