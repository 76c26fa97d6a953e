#include "memories.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "simulated.h"
#include "values.h"

enum { LONGEST_WORD = 16 };

/* The memory whose name begins at `*at`, which moves behind it. */
static enum memory memory_at(const char **at, const char *text)
{
    char word[LONGEST_WORD] = "";
    const size_t length = strcspn(*at, ",/");
    if (length < sizeof word)
        memcpy(word, *at, length);
    *at += length;
    for (int i = 0; memory_names[i] != NULL; i++)
        if (strcmp(word, memory_names[i]) == 0)
            return (enum memory)i;
    fail(EXIT_ASKED_WRONGLY, "--memory %s: name host, pinned, managed or device, or two of them such as "
                             "device,host, with / between those that are measured side by side", text);
}

/* MEMORY or MEMORY,MEMORY, with slashes between. */
static void read_list(struct options *options, const char *text)
{
    struct memory_options *memories = &options->memories;
    memories->list = allocate((strlen(text) / 2 + 1) * sizeof *memories->list);
    for (const char *at = text;; at++) {
        struct memories both = {{memory_at(&at, text)}};
        both.of[1] = both.of[0];
        if (*at == ',') {
            at++;
            both.of[1] = memory_at(&at, text);
        }
        for (int i = 0; i < memories->count; i++)
            if (memcmp(&memories->list[i], &both, sizeof both) == 0)
                fail(EXIT_ASKED_WRONGLY, "--memory %s: a memory is given twice", text);
        memories->list[memories->count++] = both;
        if (*at != '/')
            break;
    }
}

static void check_device(const char *text)
{
    if (text == NULL || strcmp(text, "near") == 0 || strcmp(text, "local") == 0)
        return;
    for (const char *at = text;; at++) {
        value_count_at(&at, text);
        if (*at == '\0')
            return;
        if (*at != ',')
            fail(EXIT_ASKED_WRONGLY, "--device %s: near, local, or a device of each rank of a node such as 0,1",
                 text);
    }
}

static int has_sides(const struct options *options)
{
    const struct memory_options *memories = &options->memories;
    for (int i = 0; i < memories->count; i++)
        if (memories->list[i].of[0] != memories->list[i].of[1])
            return 1;
    return 0;
}

int memories_need_device(const struct options *options, int side)
{
    const struct memory_options *memories = &options->memories;
    for (int i = 0; i < memories->count; i++)
        if (memories->list[i].of[side] != MEMORY_HOST)
            return 1;
    return 0;
}

static int has_other_than_host(const struct options *options)
{
    return memories_need_device(options, 0) || memories_need_device(options, 1);
}

static int uses_host(const struct options *options)
{
    const struct memory_options *memories = &options->memories;
    for (int i = 0; i < memories->count; i++)
        if (memories->list[i].of[0] == MEMORY_HOST && memories->list[i].of[1] == MEMORY_HOST)
            return 1;
    return 0;
}

static noreturn void refuse(const char *what, const char *instead)
{
    fail(EXIT_ASKED_WRONGLY, "--memory: %s; %s", what, instead);
}

static int by_hand(const struct options *options)
{
    for (int i = 0; options->messages.out != NULL && options->messages.packings[i] != NULL; i++)
        if (strcmp(options->messages.packings[i], "datatype") != 0)
            return 1;
    for (int i = 0; i < options->halo.column_count; i++)
        if (options->halo.columns[i] == PACKING_BY_HAND)
            return 1;
    return 0;
}

/* What memory that is not the host's cannot be used for. */
static void check_possible(const struct options *options)
{
    const struct operation *operation = options->operation;
    if (IS_SIMULATED)
        refuse("SimGrid simulates no accelerators", "measure on a machine");
    if (options->floor)
        refuse("the floor is between memories of the host", "leave out --floor");
    if (by_hand(options))
        refuse("the host packs nothing that lies on a device", "use --packing datatype");
    if (options->collective.schedules != NULL)
        refuse("the phases of a collective are made on the host", "leave out --schedules");
    if (operation->in_window)
        refuse("collectives by put and get lie in windows of the host", "leave out --form");
    for (int i = 0; operation->one_sided && i < options->one_sided.window_kind_count; i++)
        if (options->one_sided.window_kinds[i] == ALLOCATE || options->one_sided.window_kinds[i] == SHARED)
            refuse("of windows that the library allocates it chooses the memory",
                   "use --window-kind create or dynamic");
    if (options->buffers == BUFFERS_COLD && (operation->between_all || options->messages.out != NULL))
        refuse("only messages between two ranks walk through cold allocations", "leave out --buffers cold");
}

static int is_standard_pingpong(const struct options *options)
{
    return is_pingpong(options->operation) && options->experiment != CONGESTION &&
           strcmp(options->mode, "standard") == 0;
}

static void check_staging(const struct options *options)
{
    const int copies = options->staged != NULL || options->wait_each;
    if (copies && !has_other_than_host(options))
        fail(EXIT_ASKED_WRONGLY, "--staged and --wait-each need --memory device, pinned or managed");
    if (options->staged != NULL && !is_standard_pingpong(options))
        fail(EXIT_ASKED_WRONGLY, "--staged: only the standard pingpong is staged");
    if (options->staged != NULL && largest_bytes(options) > INT_MAX)
        fail(EXIT_ASKED_WRONGLY, "--staged takes no --sizes beyond 2 GiB");
    if (options->staged != NULL && (options->messages.thread_count > 0 || options->messages.out != NULL))
        fail(EXIT_ASKED_WRONGLY, "--staged takes no --threads or --datatype");
    if (options->wait_each && !is_standard_pingpong(options) && options->experiment != COLLECTIVE)
        fail(EXIT_ASKED_WRONGLY, "--wait-each: only the standard pingpong and collectives wait");
    if (options->wait_each && options->messages.thread_count > 0)
        fail(EXIT_ASKED_WRONGLY, "--wait-each takes no --threads");
    if (options->unaware && options->staged == NULL)
        fail(EXIT_ASKED_WRONGLY, "--unaware needs --staged: nothing would be measured");
}

void memories_read(struct options *options)
{
    if (options->memory != NULL)
        read_list(options, options->memory);
    check_device(options->device);
    check_staging(options);
    if (options->device != NULL && !has_other_than_host(options))
        fail(EXIT_ASKED_WRONGLY, "--device needs --memory device, pinned or managed");
    if (has_other_than_host(options))
        check_possible(options);
    if (options->memories.count > 1 && (options->experiment == FABRIC || options->experiment == CONGESTION))
        fail(EXIT_ASKED_WRONGLY, "--memory: %s measures one at a time", options->experiment_name);
    /* What carries messages is seen by messages of the host. */
    if (options->memories.count > 0 && !uses_host(options))
        options->paths = "none";
    if (has_sides(options) && !is_of_two(options) && options->experiment != PAIRS)
        fail(EXIT_ASKED_WRONGLY, "--memory %s: only of two ranks one may be in another memory", options->memory);
    struct memory_options *memories = &options->memories;
    memories->plain_count = memories->count > 0 ? memories->count : 1;
    memories->plain = allocate((size_t)memories->plain_count * sizeof *memories->plain);
    for (int i = 0; i < memories->plain_count; i++) {
        memories->plain[i] = method_plain;
        memories->plain[i].memory_number = i;
        memories->plain[i].names_memories = memories->count > 0;
        if (memories->count > 0)
            memories->plain[i].memories = memories->list[i];
    }
}

/* Blocks of that many bytes, or "whole"; moves behind it. */
static int64_t block_at(const char **at, const char *text)
{
    static const char whole[] = "whole";
    if (strncmp(*at, whole, strlen(whole)) == 0) {
        *at += strlen(whole);
        return 0;
    }
    const size_t bytes = value_bytes_at(at, text);
    if (bytes < 1)
        fail(EXIT_ASKED_WRONGLY, "--staged %s: a block has a byte or more", text);
    return (int64_t)bytes;
}

static void add_staged(struct options *options, struct method method,
                       void (*add)(struct options *options, struct method method))
{
    method.operation = operation_packed(method.operation, "staged");
    for (const char *at = options->staged;; at++) {
        method.staging = block_at(&at, options->staged);
        add(options, method);
        if (*at == '\0')
            return;
        if (*at != ',')
            fail(EXIT_ASKED_WRONGLY, "--staged %s: whole, or sizes of blocks such as 256KiB", options->staged);
    }
}

void memories_multiply(struct options *options, void (*add)(struct options *options, struct method method))
{
    struct method *const ways = options->methods;
    const int count = options->method_count;
    options->methods = NULL;
    options->method_count = 0;
    for (int i = 0; i < options->memories.plain_count; i++)
        for (int j = 0; j < count; j++) {
            const struct method *plain = &options->memories.plain[i];
            struct method method = ways[j];
            method.memories = plain->memories;
            method.memory_number = plain->memory_number;
            method.names_memories = plain->names_memories;
            const int on_device =
                plain->memories.of[0] == MEMORY_DEVICE || plain->memories.of[1] == MEMORY_DEVICE;
            if (options->wait_each)
                method.operation = operation_waiting(method.operation);
            if (!(options->unaware && on_device))
                add(options, method);
            method.operation = ways[j].operation;
            if (options->staged != NULL && on_device)
                add_staged(options, method, add);
        }
    free(ways);
}
