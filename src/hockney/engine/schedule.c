#include "schedule.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "areas.h"
#include "check.h"
#include "list.h"
#include "tree.h"

enum { LONGEST_WORD = 48, LONGEST_HOST_NAME = 256 };

/* All that is needed to read a file. */
struct reader {
    const char *at;
    int rank, ranks;
    const int *nodes; /* of each rank; NULL where levels of messages are all the same */
};

/* A step of all ranks: its phase, and whether a message of it is between nodes. */
struct stage {
    int phase, is_away;
};

static noreturn void refuse(const struct reader *reader)
{
    fail(EXIT_ASKED_WRONGLY, "--schedules: not a schedule at '%.40s'", reader->at);
}

static void read_word(struct reader *reader, char *word)
{
    int length = 0;
    if (sscanf(reader->at, "%47s%n", word, &length) != 1)
        refuse(reader);
    reader->at += length;
}

static long read_number(struct reader *reader, long least, long most)
{
    char *end;
    const long number = strtol(reader->at, &end, 10);
    if (end == reader->at || number < least || number > most)
        refuse(reader);
    reader->at = end;
    return number;
}

static void read_fragments(struct reader *reader, struct schedule *schedule, struct transfer *transfer,
                           long buffer_bytes)
{
    transfer->fragments = (int)read_number(reader, 1, INT_MAX);
    transfer->fragment = schedule->fragment_count;
    for (int i = 0; i < transfer->fragments; i++) {
        const long at = read_number(reader, 0, buffer_bytes);
        const long most = INT_MAX - transfer->bytes;
        const long bytes = read_number(reader, 0, most < buffer_bytes - at ? most : buffer_bytes - at);
        schedule->fragments =
            grown(schedule->fragments, (size_t)schedule->fragment_count, sizeof *schedule->fragments);
        schedule->fragments[schedule->fragment_count++] =
            (struct fragment){.at = (size_t)at, .bytes = (int)bytes};
        transfer->bytes += (int)bytes;
    }
    transfer->at = schedule->fragments[transfer->fragment].at;
}

static MPI_Datatype type_of(const struct schedule *schedule, const struct transfer *transfer)
{
    const struct fragment *fragments = schedule->fragments + transfer->fragment;
    const size_t count = (size_t)transfer->fragments;
    if (count == 1)
        return MPI_BYTE;
    MPI_Datatype type;
    int *lengths = allocate(count * sizeof *lengths);
    MPI_Aint *places = allocate(count * sizeof *places);
    for (size_t i = 0; i < count; i++) {
        lengths[i] = fragments[i].bytes;
        places[i] = (MPI_Aint)(fragments[i].at - fragments[0].at);
    }
    check(MPI_Type_create_hindexed(transfer->fragments, lengths, places, MPI_BYTE, &type),
          "MPI_Type_create_hindexed");
    check(MPI_Type_commit(&type), "MPI_Type_commit");
    free(lengths);
    free(places);
    return type;
}

/* One message, which is this rank's if it sends or receives it. */
static void read_message(struct reader *reader, struct schedule *schedule, struct stage *stage,
                         long buffer_bytes)
{
    const int source = (int)read_number(reader, 0, reader->ranks - 1);
    const int destination = (int)read_number(reader, 0, reader->ranks - 1);
    struct transfer transfer = {.peer = source == reader->rank ? destination : source,
                                .is_receive = destination == reader->rank};
    const int fragments = schedule->fragment_count;
    read_fragments(reader, schedule, &transfer, buffer_bytes);
    if (reader->nodes != NULL && reader->nodes[source] != reader->nodes[destination])
        stage->is_away = 1;
    if (source != reader->rank && destination != reader->rank) {
        schedule->fragment_count = fragments;
        return;
    }
    schedule->transfers =
        grown(schedule->transfers, (size_t)schedule->transfer_count, sizeof *schedule->transfers);
    schedule->transfers[schedule->transfer_count++] = transfer;
}

static int phase_named(struct schedule *schedule, const char *name)
{
    for (int i = 0; i < schedule->phases; i++)
        if (strcmp(schedule->phase[i], name) == 0)
            return i;
    if (schedule->phases == MOST_SEGMENTS)
        fail(EXIT_ASKED_WRONGLY, "--schedules: more than %d phases", MOST_SEGMENTS);
    snprintf(schedule->phase[schedule->phases], LONGEST_PHASE, "%s", name);
    return schedule->phases++;
}

/* Receives first, each kind in its order; what is added up gets a place in the scratch memory.
   Returns how much of that the step takes. */
static size_t arrange(struct schedule *schedule, struct part *part)
{
    const int count = schedule->transfer_count - part->first;
    struct transfer *transfers = schedule->transfers + part->first;
    struct transfer *before = allocate((size_t)(count + 1) * sizeof *before);
    size_t scratch = 0;
    memcpy(before, transfers, (size_t)count * sizeof *before);
    for (int receives = 1; receives >= 0; receives--)
        for (int i = 0; i < count; i++)
            if (before[i].is_receive == receives)
                transfers[receives ? part->receives++ : part->receives + part->sends++] = before[i];
    free(before);
    for (int i = 0; i < count; i++)
        transfers[i].type = part->reduces && i < part->receives ? MPI_BYTE
                                                                : type_of(schedule, &transfers[i]);
    for (int i = 0; part->reduces && i < part->receives; i++) {
        transfers[i].at = scratch;
        scratch += (size_t)transfers[i].bytes;
    }
    return scratch;
}

/* Segments by phase and, unless that makes too many, by level; each then has a phase of its name. */
static int make_segments(struct schedule *schedule, const struct stage *stages, int *segment_of, int count,
                         int by_level)
{
    struct schedule named = {.segments = 0};
    for (int i = 0; i < count; i++) {
        const int is_new = i == 0 || stages[i].phase != stages[i - 1].phase ||
                           (by_level && stages[i].is_away != stages[i - 1].is_away);
        const char *level = stages[i].is_away ? "between nodes" : "inside nodes";
        char name[LONGEST_PHASE];
        const char *phase = schedule->phase[stages[i].phase];
        if (named.segments == MOST_SEGMENTS && is_new)
            return 0;
        if (!by_level)
            snprintf(name, sizeof name, "%s", phase);
        else if (strcmp(phase, "-") == 0)
            snprintf(name, sizeof name, "%s", level);
        else
            snprintf(name, sizeof name, "%.*s, %s", LONGEST_WORD, phase, level);
        if (is_new)
            named.phase_of[named.segments++] = phase_named(&named, name);
        segment_of[i] = named.segments - 1;
    }
    schedule->segments = named.segments;
    schedule->phases = named.phases;
    memcpy(schedule->phase, named.phase, sizeof named.phase);
    memcpy(schedule->phase_of, named.phase_of, sizeof named.phase_of);
    return 1;
}

static void read_steps(struct reader *reader, struct schedule *schedule, long buffer_bytes)
{
    const int count = (int)read_number(reader, 0, INT_MAX);
    struct stage *stages = allocate((size_t)(count + 1) * sizeof *stages);
    int *segment_of = allocate((size_t)(count + 1) * sizeof *segment_of);
    size_t scratch = 0;
    int most = 0;
    for (int i = 0; i < count; i++) {
        char word[LONGEST_WORD];
        read_word(reader, word);
        stages[i] = (struct stage){.phase = phase_named(schedule, word)};
        struct part part = {.segment = i, .first = schedule->transfer_count};
        part.in_turn = (int)read_number(reader, 0, 1);
        part.reduces = (int)read_number(reader, 0, 1);
        for (long messages = read_number(reader, 0, INT_MAX); messages > 0; messages--)
            read_message(reader, schedule, &stages[i], buffer_bytes);
        if (schedule->transfer_count == part.first)
            continue;
        const size_t takes = arrange(schedule, &part);
        scratch = takes > scratch ? takes : scratch;
        most = part.receives + part.sends > most ? part.receives + part.sends : most;
        schedule->parts = grown(schedule->parts, (size_t)schedule->part_count, sizeof *schedule->parts);
        schedule->parts[schedule->part_count++] = part;
    }
    if (reader->nodes == NULL || !make_segments(schedule, stages, segment_of, count, 1))
        if (!make_segments(schedule, stages, segment_of, count, 0))
            fail(EXIT_ASKED_WRONGLY, "--schedules: phases alternate more than %d times", MOST_SEGMENTS);
    for (int i = 0; i < schedule->part_count; i++)
        schedule->parts[i].segment = segment_of[schedule->parts[i].segment];
    schedule->requests = allocate((size_t)(most + 1) * sizeof(*schedule->requests));
    schedule->statuses = allocate((size_t)(most + 1) * sizeof(*schedule->statuses));
    schedule->scratch = area_of(MEMORY_HOST, (double)scratch, 4, 1).base;
    free(stages);
    free(segment_of);
}

static void release(struct schedule *schedule)
{
    for (int i = 0; i < schedule->transfer_count; i++)
        if (schedule->transfers[i].type != MPI_BYTE)
            check(MPI_Type_free(&schedule->transfers[i].type), "MPI_Type_free");
    free(schedule->parts);
    free(schedule->transfers);
    free(schedule->fragments);
    free(schedule->requests);
    free(schedule->statuses);
    free(schedule->scratch);
    free((char *)schedule->operation.algorithm);
}

/* The next one of the file; returns whether it is for this collective and number of ranks. */
static int read_schedule(struct reader *reader, const struct operation *collective,
                         struct schedule *schedule)
{
    char name[LONGEST_WORD], algorithm[LONGEST_WORD];
    read_word(reader, name);
    read_word(reader, algorithm);
    const long segment = read_number(reader, -1, LONG_MAX), bytes = read_number(reader, 0, LONG_MAX);
    struct reader own = *reader;
    own.ranks = (int)read_number(&own, 1, INT_MAX);
    const int is_ours = own.ranks == reader->ranks && strcmp(name, collective->name) == 0;
    if (!is_ours) { /* ranks that others have are none of ours */
        own.rank = -1;
        own.nodes = NULL;
    }
    const long blocks = collective->in_blocks == BLOCKS_ON_ALL || !is_ours ? own.ranks : 1;
    *schedule = (struct schedule){.bytes = (size_t)bytes,
                                  .segment_bytes = segment > 0 ? (size_t)segment : 0,
                                  .has_segments = segment >= 0,
                                  .operation = *collective};
    schedule->operation.repeat = scheduled_repeat;
    schedule->operation.algorithm = strcpy(allocate(sizeof algorithm), algorithm);
    read_steps(&own, schedule, bytes * blocks);
    reader->at = own.at;
    if (!is_ours)
        release(schedule);
    return is_ours;
}

struct named_rank {
    char host[LONGEST_HOST_NAME];
    int rank;
};

static int by_host(const void *one, const void *other)
{
    const struct named_rank *a = one, *b = other;
    const int order = memcmp(a->host, b->host, sizeof a->host);
    return order != 0 ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

/* Into nodes[ranks] the first rank on the host of each. Returns how many hosts there are. */
static int number_hosts(struct named_rank *all, int ranks, int *nodes)
{
    int distinct = 0;
    qsort(all, (size_t)ranks, sizeof *all, by_host);
    for (int i = 0, first = 0; i < ranks; i++) {
        if (i == 0 || memcmp(all[i].host, all[i - 1].host, sizeof all[i].host) != 0) {
            first = all[i].rank;
            distinct++;
        }
        nodes[all[i].rank] = first;
    }
    return distinct;
}

/* The number of each rank's node; NULL where all share one or nobody shares any. */
static int *nodes_of(MPI_Comm comm, const char *host, int rank, int ranks)
{
    struct named_rank own = {.rank = rank}, *all = NULL;
    int *nodes = allocate(((size_t)ranks + 1) * sizeof *nodes);
    snprintf(own.host, sizeof own.host, "%s", host);
    if (rank == 0)
        all = allocate((size_t)ranks * sizeof *all);
    tree_gather(&own, all, sizeof own, comm);
    if (all != NULL)
        nodes[ranks] = number_hosts(all, ranks, nodes);
    free(all);
    tree_bcast(nodes, (ranks + 1) * (int)sizeof *nodes, comm);
    if (nodes[ranks] > 1 && nodes[ranks] < ranks)
        return nodes;
    free(nodes);
    return NULL;
}

/* The next rank and, where that is on the same node and others are not, the first of these. */
static void choose_partners(struct schedules *schedules, const int *nodes, int ranks)
{
    if (ranks > 1)
        schedules->partners[schedules->partner_count++] = 1;
    for (int i = 2; nodes != NULL && nodes[1] == nodes[0] && i < ranks; i++)
        if (nodes[i] != nodes[0]) {
            schedules->partners[schedules->partner_count++] = i;
            return;
        }
}

struct schedules *schedules_open(const char *file, const struct operation *collective, MPI_Comm comm,
                                 const char *host)
{
    struct schedules *schedules = allocate(sizeof *schedules);
    struct reader reader = {0};
    ranks_of(comm, &reader.rank, &reader.ranks);
    int *nodes = nodes_of(comm, host, reader.rank, reader.ranks);
    char *content = list_content("--schedules", file);
    reader.nodes = nodes;
    choose_partners(schedules, nodes, reader.ranks);
    for (reader.at = content + strspn(content, " \n"); *reader.at != '\0';
         reader.at += strspn(reader.at, " \n")) {
        schedules->list = grown(schedules->list, (size_t)schedules->count, sizeof *schedules->list);
        schedules->count += read_schedule(&reader, collective, &schedules->list[schedules->count]);
    }
    free(content);
    free(nodes);
    if (schedules->count == 0)
        fail(EXIT_ASKED_WRONGLY, "--schedules: none of %s by %d ranks", collective->name, reader.ranks);
    return schedules;
}

void schedules_close(struct schedules *schedules)
{
    for (int i = 0; i < schedules->count; i++)
        release(&schedules->list[i]);
    free(schedules->list);
    free(schedules);
}

int schedules_segments(const struct schedules *schedules)
{
    int most = 0;
    for (int i = 0; schedules != NULL && i < schedules->count; i++)
        most = schedules->list[i].segments > most ? schedules->list[i].segments : most;
    return most;
}
