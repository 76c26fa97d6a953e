#include "startup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms.h"
#include "check.h"
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
    check(MPI_Comm_rank(world, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(world, &ranks), "MPI_Comm_size");
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

/* Of all ranks the longest, on the first one; and their sum. */
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

/* Collective: makes it the first time and later; into ns[1 + LATER] on the first rank. Zero where the library
   cannot. */
static int time_creation(const struct creation *creation, struct start *start, int rank,
                         size_t bytes, MPI_Comm world, double *ns)
{
    struct made made = {MPI_COMM_NULL, MPI_WIN_NULL, allocate(bytes)};
    for (int i = 0; i <= LATER; i++) {
        const double moment = start_agree(start);
        start_wait(start, moment);
        const int code = creation->make(&made, world, rank, bytes);
        const double took_ns = sync_now(&start->clock) - moment;
        double failed = code != MPI_SUCCESS;
        tree_reduce(&failed, (struct tree_layout){.largest = 1}, world);
        tree_bcast(&failed, sizeof failed, world);
        if (failed > 0.0) {
            free(made.memory);
            return 0;
        }
        ns[i] = longest_of(took_ns, NULL, world);
        if (made.comm != MPI_COMM_NULL)
            check(MPI_Comm_free(&made.comm), "MPI_Comm_free");
        if (made.win != MPI_WIN_NULL)
            check(MPI_Win_free(&made.win), "MPI_Win_free");
    }
    free(made.memory);
    return 1;
}

static void record_creations(const struct options *options, const struct startup *startup,
                             MPI_Comm world)
{
    const size_t bytes = options->sizes[0].bytes;
    const int on_one_node = node_of(world).ranks == startup->ranks;
    struct start start;
    start_open(&start, world, 0);
    for (size_t i = 0; i < sizeof creations / sizeof creations[0]; i++) {
        const struct creation *creation = &creations[i];
        double ns[1 + LATER];
        if (creation->kind == SHARED && !on_one_node)
            continue;
        const int is_window = creation->kind >= 0;
        const char *kind = is_window ? window_kind_names[creation->kind] : NULL;
        if (!time_creation(creation, &start, startup->rank, bytes, world, ns) || startup->rank > 0)
            continue;
        record(startup, creation->name, FIRST, kind, is_window ? bytes : 0, ns, 1, NULL);
        record(startup, creation->name, AGAIN, kind, is_window ? bytes : 0, ns + 1, LATER, NULL);
    }
    start_close(&start);
}

void startup_run(const struct options *options, const struct startup *startup, const char *places,
                 MPI_Comm world)
{
    const int is_first = startup->rank == 0;
    if (is_first) {
        record_launch(&(struct launch_facts){
            .seed = options->seed,
            .clock = clock_measure(),
            .places = places,
            .buffers = buffers_names[BUFFERS_RETURNED],
            .definition = DEFINITION,
            .moved_ranks = -1,
            .arrivals = &options->arrivals,
            .ranks = startup->ranks,
            .put_controls = algorithms_put_controls,
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
