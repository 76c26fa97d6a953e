#include "devices.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cpu_list.h"
#include "faults.h"
#include "line.h"
#include "memories.h"
#include "pin.h"
#include "values.h"

GATHERS(const struct accelerator *const, accelerators);

enum { MOST_DEVICES = 64, LONGEST_PATH = 512, LONGEST_LIST = 4096 };

static const struct accelerator *library;
static struct device devices[MOST_DEVICES];
static int count, entered = -1;

static noreturn void refuse(int status, const char *wrong) { fail(status, "%s: %s", library->name, wrong); }

static void expect(const char *wrong)
{
    if (wrong != NULL)
        refuse(EXIT_WENT_WRONG, wrong);
}

static int uses(const struct options *options, enum memory memory)
{
    for (int i = 0; i < options->memories.count; i++)
        if (options->memories.list[i].of[0] == memory || options->memories.list[i].of[1] == memory)
            return 1;
    return 0;
}

/* Whether each rank that takes part needs a device. */
static int all_need(const struct options *options)
{
    return is_of_two(options) ? memories_need_device(options, 0) && memories_need_device(options, 1)
                              : memories_need_device(options, 0) || memories_need_device(options, 1);
}

static int rank_needs(const struct options *options, int rank)
{
    if (!is_of_two(options))
        return all_need(options);
    return (rank == options->peers[0] && memories_need_device(options, 0)) ||
           (rank == options->peers[1] && memories_need_device(options, 1));
}

/* The first library that has a device; else why each of them has none, in `words`. */
static void open_library(char *words, size_t room)
{
    words[0] = '\0';
    for (const struct accelerator *const *one = gathered_accelerators; one < gathered_accelerators_end; one++) {
        const char *wrong = (*one)->open(&count);
        if (wrong == NULL) {
            library = *one;
            break;
        }
        const size_t length = strlen(words);
        snprintf(words + length, room - length, "%s%s: %s", length > 0 ? "; " : "", (*one)->name, wrong);
    }
    count = count > MOST_DEVICES ? MOST_DEVICES : count;
    for (int i = 0; library != NULL && i < count; i++) {
        expect(library->describe(i, &devices[i]));
        for (char *letter = devices[i].pci; *letter != '\0'; letter++)
            *letter = (char)tolower((unsigned char)*letter);
    }
}

/* What no device of this node can do is refused before MPI starts. */
static void check_devices(const struct options *options)
{
    double most = 0.0;
    int managed = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, devices[i].bytes);
        managed = managed || devices[i].managed;
    }
    if (uses(options, MEMORY_MANAGED) && !managed)
        fail(EXIT_ASKED_WRONGLY, "--memory managed: %s has no managed memory; use device, or pinned",
             devices[0].name);
    if (uses(options, MEMORY_DEVICE) && (double)largest_bytes(options) > most)
        fail(EXIT_ASKED_WRONGLY, "--memory device: messages of %zu bytes do not fit into the %.0f MiB of %s; "
                                 "use smaller --sizes",
             largest_bytes(options), most / 1048576.0, devices[0].name);
}

void devices_open(const struct options *options)
{
    char words[512];
    if (!memories_need_device(options, 0) && !memories_need_device(options, 1))
        return;
    open_library(words, sizeof words);
    if (library != NULL)
        check_devices(options);
    else if (all_need(options))
        fail(EXIT_ASKED_WRONGLY, "--memory: there is no accelerator here: %s", words);
}

void devices_read(const struct options *options, int number, const char *file, char *line, int room)
{
    char path[LONGEST_PATH];
    line[0] = '\0';
    snprintf(path, sizeof path, "%s/bus/pci/devices/%s/%s", options->sys, devices[number].pci, file);
    if (devices[number].pci[0] != '\0')
        line_read(path, line, (size_t)room);
}

/* The list of PUs near a device, as the kernel has it; empty where it has none. */
static void read_near(const struct options *options, int number, char *list)
{
    devices_read(options, number, "local_cpulist", list, LONGEST_LIST);
}

static void add_near(struct mask *mask, const char *list)
{
    for (int first, last; cpu_list_next(&list, &first, &last) > 0;)
        for (int pu = first; pu <= last && pu / MASK_WORD < mask->words; pu++)
            mask_add(mask, pu);
}

enum { MOST_PUS = 1 << 16 };

static struct mask mask_of_none(void)
{
    enum { WORDS = MOST_PUS / MASK_WORD };
    return (struct mask){WORDS, allocate(WORDS * sizeof(uint64_t))};
}

/* How --device chooses: by distance, by counting, or by a list. */
enum choice { NEAREST, COUNTED, NAMED };

static enum choice choice_of(const struct options *options)
{
    if (options->device == NULL || strcmp(options->device, "near") == 0)
        return NEAREST;
    return strcmp(options->device, "local") == 0 ? COUNTED : NAMED;
}

struct mask devices_near(const struct options *options)
{
    char list[LONGEST_LIST];
    if (library == NULL || choice_of(options) != NEAREST)
        return (struct mask){0};
    struct mask mask = mask_of_none();
    for (int i = 0; i < count; i++) {
        read_near(options, i, list);
        add_near(&mask, list);
    }
    return mask;
}

int devices_is_near(const struct options *options, int number, int pu)
{
    char list[LONGEST_LIST];
    int near = 0;
    read_near(options, number, list);
    const char *at = list;
    for (int first, last; !near && cpu_list_next(&at, &first, &last) > 0;)
        near = pu >= first && pu <= last;
    return list[0] == '\0' || pu < 0 ? -1 : near;
}

/* The number in the list for the node's rank of that number; -1 where it has none. */
static int named_device(const char *list, int local_rank)
{
    int number = -1;
    for (const char *at = list; local_rank >= 0; local_rank--) {
        number = value_count_at(&at, list);
        if (*at != ',' && local_rank > 0)
            return -1;
        at += *at == ',';
    }
    return number;
}

static void enter(int number)
{
    if (number == entered)
        return;
    expect(library->enter(number));
    entered = number;
}

void devices_enter_likely(const struct options *options, int local_rank)
{
    if (library == NULL || local_rank < 0 || !all_need(options))
        return;
    const int number =
        choice_of(options) == NAMED ? named_device(options->device, local_rank) : local_rank % count;
    if (number >= 0 && number < count)
        enter(number);
}

void devices_join(void)
{
    if (entered >= 0)
        expect(library->enter(entered));
}

/* What a rank sends to the first one of its node. */
struct wish {
    int needs;
    uint64_t near; /* bit d: it runs near device d */
};

/* The first device among those that are wanted and free, or -1. */
static int first_of(uint64_t wanted, uint64_t taken)
{
    for (int i = 0; i < count; i++)
        if ((wanted & ~taken) >> i & 1)
            return i;
    return -1;
}

/* One rank after the other: a device near it that is free, else any that is free; or as they were named. */
static int assign(const struct options *options, const struct wish *wishes, int ranks, int *numbers)
{
    uint64_t taken = 0;
    int needing = 0;
    for (int i = 0; i < ranks; i++) {
        numbers[i] = -1;
        if (!wishes[i].needs)
            continue;
        const int order = needing++;
        switch (choice_of(options)) {
        case NEAREST:
            numbers[i] = first_of(wishes[i].near, taken);
            numbers[i] = numbers[i] >= 0 ? numbers[i] : first_of(~(uint64_t)0, taken);
            taken |= numbers[i] >= 0 ? (uint64_t)1 << numbers[i] : 0;
            break;
        case COUNTED: numbers[i] = order < count ? order : -1; break;
        case NAMED: numbers[i] = named_device(options->device, order); break;
        }
    }
    return needing;
}

static noreturn void refuse_devices(const struct options *options, int needing, int number)
{
    const int named = choice_of(options) == NAMED;
    if (named && number >= count)
        fail(EXIT_ASKED_WRONGLY, "--device %s: there is no device %d among %d", options->device, number, count);
    if (named)
        fail(EXIT_ASKED_WRONGLY, "--device %s: %d ranks of a node need one each", options->device, needing);
    fail(EXIT_ASKED_WRONGLY, "%d ranks of a node would share %d device%s: start fewer, or name the device of "
                             "each, such as --device 0,0",
         needing, count, count == 1 ? "" : "s");
}

void devices_choose(const struct options *options, int rank, int pu, MPI_Comm world)
{
    int here, ranks, number = -1;
    if (!memories_need_device(options, 0) && !memories_need_device(options, 1))
        return;
    MPI_Comm node = pin_ranks_of_kernel(world);
    ranks_of(node, &here, &ranks);
    struct wish wish = {.needs = rank_needs(options, rank)};
    if (wish.needs && library == NULL)
        fail(EXIT_ASKED_WRONGLY, "--memory: rank %d has no accelerator", rank);
    for (int i = 0; wish.needs && i < count; i++)
        wish.near |= (uint64_t)(devices_is_near(options, i, pu) == 1) << i;
    struct wish *wishes = here == 0 ? allocate((size_t)ranks * sizeof *wishes) : NULL;
    int *numbers = here == 0 ? allocate((size_t)ranks * sizeof *numbers) : NULL;
    check(MPI_Gather(&wish, sizeof wish, MPI_BYTE, wishes, sizeof wish, MPI_BYTE, 0, node), "MPI_Gather");
    int needing = here == 0 ? assign(options, wishes, ranks, numbers) : 0;
    check(MPI_Scatter(numbers, 1, MPI_INT, &number, 1, MPI_INT, 0, node), "MPI_Scatter");
    check(MPI_Bcast(&needing, 1, MPI_INT, 0, node), "MPI_Bcast");
    check(MPI_Comm_free(&node), "MPI_Comm_free");
    free(wishes);
    free(numbers);
    if (!wish.needs)
        return;
    if (number < 0 || number >= count)
        refuse_devices(options, needing, number);
    enter(number);
}

void *devices_allocate(enum memory memory, size_t bytes)
{
    void *at = NULL;
    const char *wrong = library->allocate(memory, bytes, &at);
    if (fault_device() >= 0)
        expect(library->enter(fault_device()));
    if (wrong != NULL)
        fail(EXIT_WENT_WRONG, "no %s memory for a buffer of %zu bytes on %s: %s", memory_names[memory], bytes,
             devices_name(), wrong);
    return at;
}

void devices_release(enum memory memory, void *at) { expect(library->release(memory, at)); }

void devices_copy(void *to, const void *from, size_t bytes)
{
    expect(library->copy(to, from, bytes));
    if (!fault_no_wait())
        expect(library->wait());
}

int devices_copy_timed(void *to, const void *from, size_t bytes)
{
    return library->copy(to, from, bytes) == NULL ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int devices_wait(void)
{
    return entered < 0 || library->wait() == NULL ? MPI_SUCCESS : MPI_ERR_OTHER;
}

double devices_available(void)
{
    double bytes;
    expect(library->available(&bytes));
    return bytes;
}

const struct accelerator *devices_library(void) { return library; }

int devices_count(void) { return count; }

const struct device *devices_own(int *number)
{
    *number = entered;
    return entered < 0 ? NULL : &devices[entered];
}

const char *devices_name(void) { return entered < 0 ? "no device" : devices[entered].name; }
