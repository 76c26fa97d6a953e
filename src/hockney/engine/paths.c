#include "paths.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carriers.h"
#include "check.h"
#include "clock.h"
#include "json.h"
#include "ports.h"
#include "records.h"
#include "simulated.h"
#include "tree.h"
#include "values.h"

enum { TAG_PATHS = 9, MOST_SIZES = 16, NOBODY = -1 };
/* A launch looks at so many nodes. */
enum { MOST_NODES = 64 };
/* So many messages of a size each way, and so many bytes unless that takes fewer or more. */
enum { FEWEST_MESSAGES = 4, MOST_MESSAGES = 64, BYTES_A_SIZE = 4 << 20 };
/* The largest size that is tried without being asked for by --paths. */
enum { LARGEST_BYTES = 1 << 20 };

struct paths {
    const struct options *options;
    const char *host;
    MPI_Comm comm;
    int rank, ranks;
    size_t sizes[MOST_SIZES];
    int size_count;
    char *out, *in;
    int *partners; /* [ranks]: with whom a rank exchanges messages, or NOBODY */
    int *leaders;  /* [ranks], on the first rank: the first rank of each one's node */
    int leads;     /* this is the first rank of its node */
    struct ports *ports; /* as they were read last; NULL on ranks that do not lead */
    struct carriers carriers;
    int64_t began_ns;
};

static size_t smallest_asked(const struct options *options)
{
    size_t smallest = 0;
    for (int i = 0; i < options->size_count; i++)
        if (options->sizes[i].bytes > 0 && (smallest == 0 || options->sizes[i].bytes < smallest))
            smallest = options->sizes[i].bytes;
    return smallest > 0 ? smallest : 1;
}

static size_t largest_asked(const struct options *options)
{
    const size_t largest = largest_bytes(options);
    return largest < 1 ? 1 : largest < LARGEST_BYTES ? largest : LARGEST_BYTES;
}

static void add_size(struct paths *paths, size_t bytes)
{
    if (paths->size_count == MOST_SIZES)
        fail(EXIT_ASKED_WRONGLY, "--paths: at most %d sizes", MOST_SIZES);
    if (bytes > INT_MAX)
        fail(EXIT_ASKED_WRONGLY, "--paths: at most %d bytes a message", INT_MAX);
    paths->sizes[paths->size_count++] = bytes;
}

/* A size that is not measured is not tried either: it may be what this machine cannot send. */
static void choose_sizes(struct paths *paths)
{
    const struct options *options = paths->options;
    const char *text = options->paths;
    if (text == NULL) {
        const size_t smallest = smallest_asked(options), largest = largest_asked(options);
        if (smallest < largest)
            add_size(paths, smallest);
        add_size(paths, largest);
        return;
    }
    const char *at = text;
    do {
        const size_t bytes = value_bytes_at(&at, text);
        add_size(paths, bytes > 0 ? bytes : 1);
    } while (value_goes_on(&at, "--paths", text));
}

static size_t largest_size(const struct paths *paths)
{
    size_t largest = 0;
    for (int i = 0; i < paths->size_count; i++)
        if (paths->sizes[i] > largest)
            largest = paths->sizes[i];
    return largest;
}

/* The number in the world of a rank of `comm`. */
static int world_rank(const struct paths *paths, int rank)
{
    return is_of_two(paths->options) ? paths->options->peers[rank] : rank;
}

static void meet(const struct paths *paths)
{
    char all = 1;
    tree_reduce(NULL, (struct tree_layout){0}, paths->comm);
    tree_bcast(&all, 1, paths->comm);
}

/* Finds the first rank of each one's node, as MPI sees nodes. */
static void find_nodes(struct paths *paths)
{
    MPI_Comm node;
    int leader = paths->rank;
    check(MPI_Comm_split_type(paths->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
    check(MPI_Bcast(&leader, 1, MPI_INT, 0, node), "MPI_Bcast");
    check(MPI_Comm_free(&node), "MPI_Comm_free");
    paths->leads = leader == paths->rank;
    if (paths->rank == 0)
        paths->leaders = allocate((size_t)paths->ranks * sizeof *paths->leaders);
    tree_gather(&leader, paths->leaders, sizeof leader, paths->comm);
}

static void join(struct paths *paths, int one, int other)
{
    paths->partners[one] = other;
    paths->partners[other] = one;
}

/* The first ranks of the nodes that this launch looks at, others in each launch where there are many. */
static int choose_nodes(const struct paths *paths, int chosen[MOST_NODES])
{
    int nodes = 0, count = 0;
    for (int rank = 0; rank < paths->ranks; rank++)
        nodes += paths->leaders[rank] == rank;
    const int turns = (nodes + MOST_NODES - 1) / MOST_NODES;
    const int first = paths->options->launch % turns * MOST_NODES;
    for (int rank = 0, node = 0; rank < paths->ranks; rank++)
        if (paths->leaders[rank] == rank && node++ >= first && count < MOST_NODES)
            chosen[count++] = rank;
    return count;
}

/* The first two ranks of each node. */
static int pair_inside(struct paths *paths, const int *chosen, int count)
{
    int pairs = 0;
    for (int i = 0; i < count; i++)
        for (int rank = chosen[i] + 1; rank < paths->ranks; rank++)
            if (paths->leaders[rank] == chosen[i]) {
                join(paths, chosen[i], rank);
                pairs++;
                break;
            }
    return pairs;
}

/* Nodes two by two: of an odd number the last one has a turn of its own. */
static int pair_nodes(struct paths *paths, const int *chosen, int count, int is_second_turn)
{
    const int is_odd = count % 2 == 1;
    if (is_second_turn && is_odd && count > 1)
        join(paths, chosen[0], chosen[count - 1]);
    for (int i = 0; !is_second_turn && i + 1 < count; i += 2)
        join(paths, chosen[i], chosen[i + 1]);
    return is_second_turn ? is_odd && count > 1 : count / 2;
}

/* The first rank decides who exchanges messages, for all. */
static int plan(struct paths *paths, int phase)
{
    int pairs = 0;
    for (int i = 0; i < paths->ranks; i++)
        paths->partners[i] = NOBODY;
    if (paths->rank == 0) {
        int chosen[MOST_NODES];
        const int count = choose_nodes(paths, chosen);
        pairs = phase == 0 ? pair_inside(paths, chosen, count)
                           : pair_nodes(paths, chosen, count, phase == 2);
    }
    tree_bcast(&pairs, sizeof pairs, paths->comm);
    if (pairs > 0)
        tree_bcast(paths->partners, paths->ranks * (int)sizeof *paths->partners, paths->comm);
    return pairs;
}

static int messages_of(size_t bytes)
{
    const size_t wanted = BYTES_A_SIZE / bytes;
    return wanted < FEWEST_MESSAGES ? FEWEST_MESSAGES : wanted > MOST_MESSAGES ? MOST_MESSAGES : (int)wanted;
}

static void exchange(struct paths *paths, size_t bytes, int count)
{
    const int partner = paths->partners[paths->rank];
    for (int i = 0; i < count; i++)
        for (int turn = 0; turn < 2; turn++)
            if ((turn == 0) == (paths->rank < partner))
                check(MPI_Send(paths->out, (int)bytes, MPI_BYTE, partner, TAG_PATHS, paths->comm),
                      "MPI_Send");
            else
                check(MPI_Recv(paths->in, (int)bytes, MPI_BYTE, partner, TAG_PATHS, paths->comm,
                               MPI_STATUS_IGNORE),
                      "MPI_Recv");
}

/* What this rank saw, as members of a record that the first rank writes. */
struct seen {
    FILE *out;
    char *text;
    size_t length;
};

static struct seen *seen_open(struct seen *seen)
{
    *seen = (struct seen){0};
    seen->out = open_memstream(&seen->text, &seen->length);
    if (seen->out == NULL)
        fail(EXIT_WENT_WRONG, "no memory for the record of a path");
    return seen;
}

/* The ports of this node now, which its first rank reads. */
static void read_ports(struct paths *paths)
{
    if (!paths->leads)
        return;
    struct ports *now = paths->ports != NULL ? ports_again(paths->ports) : ports_read(paths->options->sys);
    ports_free(paths->ports);
    paths->ports = now;
}

/* What they counted since they were read last, and reads them. `sys`: as for ports_write(). */
static void write_ports(struct paths *paths, FILE *out, const char *sys)
{
    fputs(",\"ports\":", out);
    if (paths->ports == NULL) {
        fputs("null", out);
        return;
    }
    struct ports *now = ports_again(paths->ports);
    ports_write(out, paths->ports, now, sys);
    ports_free(paths->ports);
    paths->ports = now;
}

/* The first rank writes the texts of all ranks that have one. */
static void record_seen(const struct paths *paths, struct seen *seen)
{
    const int has_seen = seen->out != NULL;
    if (has_seen && fclose(seen->out) != 0)
        fail(EXIT_WENT_WRONG, "no memory for the record of a path");
    int *all = paths->rank == 0 ? allocate((size_t)paths->ranks * sizeof *all) : NULL;
    tree_gather(&has_seen, all, sizeof has_seen, paths->comm);
    if (paths->rank > 0 && has_seen)
        text_pass(seen->text, 0, TAG_PATHS, paths->comm);
    if (paths->rank == 0 && has_seen)
        record_path(seen->text);
    for (int rank = 1; paths->rank == 0 && rank < paths->ranks; rank++)
        if (all[rank]) {
            char *text = text_take(rank, TAG_PATHS, paths->comm);
            record_path(text);
            free(text);
        }
    free(all);
    free(seen->text);
}

/* One size: what is counted is only what lies between two readings. Connections are made before. */
static void try_size(struct paths *paths, const char *reach, size_t bytes)
{
    const int partner = paths->partners[paths->rank], count = messages_of(bytes);
    const int takes_part = partner != NOBODY;
    struct seen seen = {0};
    struct carriers carriers = {0};
    int64_t took_ns = 0;
    if (takes_part) {
        exchange(paths, bytes, 1);
        read_ports(paths);
        carriers = carriers_read();
    }
    meet(paths);
    if (takes_part) {
        took_ns = clock_ns();
        exchange(paths, bytes, count);
        took_ns = clock_ns() - took_ns;
        const struct carriers after = carriers_read();
        FILE *out = seen_open(&seen)->out;
        fprintf(out, "\"reach\":\"%s\",\"bytes\":%zu,\"messages\":%d,\"peers\":[%d,%d],\"took_s\":%.6g", reach,
                bytes, count, world_rank(paths, paths->rank), world_rank(paths, partner),
                (double)took_ns * 1e-9);
        json_text(out, "host", paths->host);
        carriers_write(out, &carriers, &after);
        write_ports(paths, out, NULL);
    }
    record_seen(paths, &seen);
}

static char *room_for(size_t bytes)
{
    char *room = allocate(bytes);
    memset(room, 1, bytes);
    return room;
}

struct paths *paths_check(const struct options *options, const struct place *here, MPI_Comm comm)
{
    enum { PHASES = 3 };
    static const char *const reaches[PHASES] = {"node", "network", "network"};
    if (IS_SIMULATED || (options->paths != NULL && strcmp(options->paths, "none") == 0))
        return NULL;
    struct paths *paths = allocate(sizeof *paths);
    *paths = (struct paths){.options = options, .host = here->host, .comm = comm};
    ranks_of(comm, &paths->rank, &paths->ranks);
    choose_sizes(paths);
    find_nodes(paths);
    paths->partners = allocate((size_t)paths->ranks * sizeof *paths->partners);
    paths->out = room_for(largest_size(paths));
    paths->in = room_for(largest_size(paths));
    for (int phase = 0; phase < PHASES; phase++) {
        const int pairs = plan(paths, phase);
        for (int i = 0; pairs > 0 && i < paths->size_count; i++)
            try_size(paths, reaches[phase], paths->sizes[i]);
    }
    free(paths->out);
    free(paths->in);
    read_ports(paths);
    paths->carriers = carriers_read();
    paths->began_ns = clock_ns();
    return paths;
}

/* The first rank of each node reports what all of the node saw. */
void paths_end(struct paths *paths)
{
    if (paths == NULL)
        return;
    struct seen seen = {0};
    if (paths->leads) {
        const struct carriers after = carriers_read();
        const int me = world_rank(paths, paths->rank);
        FILE *out = seen_open(&seen)->out;
        fprintf(out, "\"reach\":\"launch\",\"bytes\":null,\"messages\":null,\"peers\":[%d],\"took_s\":%.6g", me,
                (double)(clock_ns() - paths->began_ns) * 1e-9);
        json_text(out, "host", paths->host);
        carriers_write(out, &paths->carriers, &after);
        carriers_write_open(out);
        write_ports(paths, out, paths->options->sys);
    }
    record_seen(paths, &seen);
    ports_free(paths->ports);
    free(paths->leaders);
    free(paths->partners);
    free(paths);
}
