#include "startup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "launch_record.h"
#include "method.h"
#include "node.h"
#include "order.h"
#include "records.h"
#include "simulated.h"
#include "start.h"
#include "tree.h"

/* How long after its own MPI_Init the first rank sends: others may return from theirs later, and a first
   message must not wait for them. */
static const int64_t READY_NS = 50000000;

enum { TAG_FIRST = 14, LATER = 9, LONGEST_HOST = 256 };
/* Beginnings of nothing, before the first creation. */
enum { PRACTICE = IS_SIMULATED ? 0 : 8 };

static const char *const FIRST = "first", *const AGAIN = "later", *const ONCE = NULL;
static const char DEFINITION[] =
    "one time: MPI_Init and launching to the last rank, MPI_Finalize on the first; half of a round "
    "trip; communicators and windows from the common start to the last rank's end";

static double half_of_exchange(char *buffer, int bytes, int other, int leads, MPI_Comm comm)
{
    const int64_t start = clock_ns();
    if (leads)
        check(MPI_Send(buffer, bytes, MPI_BYTE, other, TAG_FIRST, comm), "MPI_Send");
    check(MPI_Recv(buffer, bytes, MPI_BYTE, other, TAG_FIRST, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    if (!leads)
        check(MPI_Send(buffer, bytes, MPI_BYTE, other, TAG_FIRST, comm), "MPI_Send");
    return 0.5 * (double)(clock_ns() - start);
}

void startup_messages(const struct options *options, struct startup *startup, MPI_Comm world)
{
    const int bytes = (int)options->sizes[0].bytes;
    char *buffer = allocate((size_t)bytes);
    int rank, ranks;
    ranks_of(world, &rank, &ranks);
    startup->rank = rank;
    startup->ranks = ranks;
    startup->first_ns = allocate((size_t)ranks * sizeof(double));
    startup->later_ns = allocate((size_t)ranks * sizeof(double));
    if (rank == 0 && !IS_SIMULATED)
        clock_sleep(READY_NS);
    for (int other = 1; other < ranks; other++) {
        if (rank != 0 && rank != other)
            continue;
        const int peer = rank == 0 ? other : 0;
        double later[LATER];
        startup->first_ns[other - 1] = half_of_exchange(buffer, bytes, peer, rank == 0, world);
        for (int i = 0; i < LATER; i++)
            later[i] = half_of_exchange(buffer, bytes, peer, rank == 0, world);
        startup->later_ns[other - 1] = median_of(later, LATER);
    }
    free(buffer);
}

static void record(const struct startup *startup, const char *name, const char *occurrence,
                   const char *window_kind, size_t bytes, const double *ns, int count, const double *sum_ns)
{
    const struct operation operation = {.name = name};
    record_samples(
        &(struct sample_key){
            .operation = &operation,
            .method = &method_plain,
            .occurrence = occurrence,
            .window_kind = window_kind,
            .bytes = bytes,
            .ranks = startup->ranks,
            .repetitions = 1,
            .own_sum_ns = sum_ns,
            .own_longest_ns = sum_ns != NULL ? ns : NULL,
        },
        ns, count);
}

/* The longest time of all ranks, and the sum of all, on the first one. */
static double longest_of(double own_ns, double *sum_ns, MPI_Comm world)
{
    double both[2] = {own_ns, own_ns};
    tree_reduce(both, (struct tree_layout){.largest = 1, .added = 1}, world);
    if (sum_ns != NULL)
        *sum_ns = both[1];
    return both[0];
}

/* From when the launcher was started to the last rank's entry into main; known where all ranks are on the
   host that started it, as --launched-at NANOSECONDS@HOST names both. */
static void record_launching(const struct options *options, const struct startup *startup, int is_first,
                             MPI_Comm world)
{
    char host[LONGEST_HOST] = "";
    if (options->launched_at == NULL || IS_SIMULATED)
        return;
    gethostname(host, sizeof host - 1);
    char *end;
    const long long began = strtoll(options->launched_at, &end, 10);
    const int is_here = *end == '@' && strcmp(end + 1, host) == 0 && began < startup->entered;
    const double unknown = longest_of(is_here ? 0.0 : 1.0, NULL, world);
    const double took_ns = longest_of((double)(startup->entered - began), NULL, world);
    if (is_first && unknown == 0.0)
        record(startup, "launch", ONCE, NULL, 0, &took_ns, 1, NULL);
}

static void record_init(const struct startup *startup, int is_first, MPI_Comm world)
{
    double sum_ns;
    const double own_ns = (double)(startup->after - startup->before);
    const double ns = longest_of(own_ns, &sum_ns, world);
    if (is_first && !IS_SIMULATED)
        record(startup, "init", ONCE, NULL, 0, &ns, 1, &sum_ns);
}

/* What is made and freed again. */
struct made {
    MPI_Comm comm;
    MPI_Win win;
    char *memory;
};

/* Returns MPI's code. */
typedef int make(struct made *made, MPI_Comm world, int rank, size_t bytes);

static int dup_comm(struct made *made, MPI_Comm world, int rank, size_t bytes)
{
    (void)rank, (void)bytes;
    return MPI_Comm_dup(world, &made->comm);
}

/* Into halves: even and odd ranks. */
static int split_comm(struct made *made, MPI_Comm world, int rank, size_t bytes)
{
    (void)bytes;
    return MPI_Comm_split(world, rank % 2, rank, &made->comm);
}

static int allocate_window(struct made *made, MPI_Comm world, int rank, size_t bytes)
{
    char *base;
    (void)rank;
    return MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, world, &base, &made->win);
}

static int create_window(struct made *made, MPI_Comm world, int rank, size_t bytes)
{
    (void)rank;
    return MPI_Win_create(made->memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, world, &made->win);
}

static int create_dynamic_window(struct made *made, MPI_Comm world, int rank, size_t bytes)
{
    (void)rank, (void)bytes;
    return MPI_Win_create_dynamic(MPI_INFO_NULL, world, &made->win);
}

static int allocate_shared_window(struct made *made, MPI_Comm world, int rank, size_t bytes)
{
    char *base;
    (void)rank;
    return MPI_Win_allocate_shared((MPI_Aint)bytes, 1, MPI_INFO_NULL, world, &base, &made->win);
}

static const struct creation {
    const char *name;
    int kind; /* of a window, or -1 */
    make *make;
} creations[] = {
    {"comm-dup", -1, dup_comm},
    {"comm-split", -1, split_comm},
    {"window", ALLOCATE, allocate_window},
    {"window", CREATE, create_window},
    {"window", DYNAMIC, create_dynamic_window},
    {"window", SHARED, allocate_shared_window},
};

/* What was seen of a beginning, on the first rank of all of them. */
struct beginning {
    double took_ns, notified_ns, late_ns;
};

/* Collective: the next moment is named by what this one took. Returns whether all began together. */
static int adapt(struct start *start, struct beginning *seen)
{
    const double tolerance_ns = start_tolerance_ns(start);
    double largest[] = {seen->took_ns, seen->notified_ns, seen->late_ns};
    tree_reduce(largest, (struct tree_layout){.largest = 3}, start->comm);
    *seen = (struct beginning){largest[0], largest[1], largest[2]};
    if (start->rank == 0)
        start_adapt(start, seen->notified_ns, seen->late_ns);
    return seen->late_ns <= tolerance_ns;
}

static double begin(struct start *start, struct beginning *seen)
{
    const double moment = start_agree(start);
    seen->notified_ns = start->notified_ns;
    seen->late_ns = start_wait(start, moment) - moment;
    return moment;
}

/* The first creation cannot be made again: before it, beginnings of nothing show how early a moment must
   be named here. */
static void practise(struct start *start)
{
    for (int i = 0; i < PRACTICE; i++) {
        struct beginning seen = {0};
        begin(start, &seen);
        adapt(start, &seen);
    }
}

/* Collective: makes it once and frees it. Returns whether all ranks could; `seen` is of all on the first. */
static int make_once(const struct creation *creation, struct start *start, struct made *made,
                     size_t bytes, struct beginning *seen, int *together)
{
    const double moment = begin(start, seen);
    const int code = creation->make(made, start->comm, start->rank, bytes);
    seen->took_ns = sync_now(&start->clock) - moment;
    double failed = code != MPI_SUCCESS;
    tree_reduce(&failed, (struct tree_layout){.largest = 1}, start->comm);
    tree_bcast(&failed, sizeof failed, start->comm);
    if (failed > 0.0)
        return 0;
    *together = adapt(start, seen);
    if (made->comm != MPI_COMM_NULL)
        check(MPI_Comm_free(&made->comm), "MPI_Comm_free");
    if (made->win != MPI_WIN_NULL)
        check(MPI_Win_free(&made->win), "MPI_Win_free");
    return 1;
}

/* Times of a creation: the first one, then those that all ranks began together. */
struct creation_times {
    double ns[1 + LATER];
    int count, missed; /* later ones */
    double skew_ns;    /* of those that count */
};

/* Collective: makes it the first time and later. The times are the first rank's. Zero where the library
   cannot. */
static int time_creation(const struct creation *creation, struct start *start, size_t bytes,
                         struct creation_times *times)
{
    struct made made = {MPI_COMM_NULL, MPI_WIN_NULL, allocate(bytes)};
    int works = 1;
    *times = (struct creation_times){.count = 0};
    for (int i = 0; i <= LATER && works; i++) {
        struct beginning seen;
        int together = 1;
        works = make_once(creation, start, &made, bytes, &seen, &together);
        if (i > 0 && !together) {
            times->missed++;
            continue;
        }
        times->ns[i == 0 ? 0 : ++times->count] = seen.took_ns;
        times->skew_ns = fmax(times->skew_ns, seen.late_ns);
    }
    free(made.memory);
    return works;
}

static void record_times(const struct startup *startup, const struct creation *creation, size_t bytes,
                         const struct start *start, const struct creation_times *times)
{
    const int is_window = creation->kind >= 0;
    const char *kind = is_window ? window_kind_names[creation->kind] : NULL;
    const size_t of_window = is_window ? bytes : 0;
    record(startup, creation->name, FIRST, kind, of_window, times->ns, 1, NULL);
    if (times->count > 0)
        record(startup, creation->name, AGAIN, kind, of_window, times->ns + 1, times->count, NULL);
    record_start(&(struct start_facts){
        .operation = creation->name,
        .bytes = of_window,
        .ranks = startup->ranks,
        .begin = "clock",
        .skew_s = times->skew_ns * 1e-9,
        .tolerance_s = start_tolerance_ns(start) * 1e-9,
        .clock = &start->clock,
        .missed = times->missed,
    });
}

static void record_creations(const struct options *options, const struct startup *startup,
                             MPI_Comm world)
{
    const size_t bytes = options->sizes[0].bytes;
    const int on_one_node = node_of(world).ranks == startup->ranks;
    struct start start;
    start_open(&start, world, 0);
    practise(&start);
    for (size_t i = 0; i < sizeof creations / sizeof creations[0]; i++) {
        const struct creation *creation = &creations[i];
        struct creation_times times;
        if (creation->kind == SHARED && !on_one_node)
            continue;
        if (time_creation(creation, &start, bytes, &times) && startup->rank == 0)
            record_times(startup, creation, bytes, &start, &times);
    }
    start_close(&start);
}

void startup_run(const struct options *options, const struct startup *startup, const char *places,
                 MPI_Comm world)
{
    const int is_first = startup->rank == 0;
    if (is_first) {
        record_launch(&(struct launch_facts){
            .options = options,
            .clock = clock_measure(),
            .places = places,
            .buffers = BUFFERS_RETURNED,
            .definition = DEFINITION,
            .moved_ranks = -1,
            .ranks = startup->ranks,
        });
    }
    record_launching(options, startup, is_first, world);
    record_init(startup, is_first, world);
    if (is_first) {
        const size_t bytes = options->sizes[0].bytes;
        record(startup, "contact", FIRST, NULL, bytes, startup->first_ns, startup->ranks - 1, NULL);
        record(startup, "contact", AGAIN, NULL, bytes, startup->later_ns, startup->ranks - 1, NULL);
    }
    record_creations(options, startup, world);
    free(startup->first_ns);
    free(startup->later_ns);
}

void startup_finalized(const struct startup *startup, int64_t took_ns)
{
    const double ns = (double)took_ns;
    if (startup->rank != 0)
        return;
    if (!IS_SIMULATED)
        record(startup, "finalize", ONCE, NULL, 0, &ns, 1, NULL);
    record_end("complete", (double)(clock_ns() - startup->entered) * 1e-9, NULL);
}
