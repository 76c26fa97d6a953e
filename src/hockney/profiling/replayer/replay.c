/* Exchanges the mix of a profiled program, without the program. The first argument names a file:
     RANKS TURNS DONE REPETITIONS
     DELAYS NS_OF_RANK_0 ...           (as many as DELAYS says: none, or one for each rank)
     OPERATION BYTES COUNT PHASE BLOCKING ROOT OUT IN SIZE RANK RANK ...
   for each item, in the order in which items take turns. An item has COUNT of the TURNS, and begins
   as if PHASE millionths of a turn were done. Its messages are sent from OUT buffers in turn and
   received into IN: what is in caches depends on how many these are (0 where there are no caches: one
   that takes no memory). DONE turns are done in each of the REPETITIONS. The
   first rank prints a line of JSON for each repetition: the seconds from the common start to the end
   of each rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAGS = 32000, NAME = 24, MOST_RANKS = 1 << 20, MOST_ITEMS = 1 << 20, PHASE_PARTS = 1000000 };
enum { LINE = 64 }; /* bytes of a cache line */
/* More of an item's buffers than this together find no room in a cache, however many there are. */
enum { MOST_BUFFER_BYTES = 64 * 1024 * 1024 };

struct item {
    char operation[NAME];
    long long bytes, count;
    int is_blocking, root, size, outs, ins;
    unsigned sent, received;
    int *ranks;
    MPI_Comm comm; /* of collectives; MPI_COMM_NULL on ranks without part in it */
    double share, phase, due;
};

struct mix {
    int ranks, rank, items, repetitions, has_one_clock;
    long long turns, done, delay_ns;
    struct item *item;
    char *out, *in;
    MPI_Request *requests;
    MPI_Status *statuses;
    int pending;
};

static void fail(const char *what)
{
    fprintf(stderr, "hockney-replayer: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(int status, const char *what)
{
    if (status != MPI_SUCCESS)
        fail(what);
}

static void *allocate(size_t number, size_t bytes)
{
    void *found = calloc(number ? number : 1, bytes);
    if (!found)
        fail("out of memory");
    return found;
}

/* The whole file, on every rank. */
static char *read_text(const char *path, int rank)
{
    long long bytes = -1;
    char *text = NULL;
    FILE *file = rank == 0 ? fopen(path, "rb") : NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        bytes = ftell(file);
        rewind(file);
    }
    check(MPI_Bcast(&bytes, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD), "MPI_Bcast");
    if (bytes < 0 || bytes > 1 << 30)
        fail("the file of the mix cannot be read");
    text = allocate((size_t)bytes + 1, 1);
    if (file && fread(text, 1, (size_t)bytes, file) != (size_t)bytes)
        fail("the file of the mix cannot be read");
    if (file)
        fclose(file);
    check(MPI_Bcast(text, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD), "MPI_Bcast");
    return text;
}

static long long number(char **at)
{
    char *end;
    const long long found = strtoll(*at, &end, 10);
    if (end == *at || found < 0)
        fail("the file of the mix is damaged");
    *at = end;
    return found;
}

static int within(long long value, long long most)
{
    if (value > most)
        fail("the file of the mix is damaged");
    return (int)value;
}

static size_t stride_of(const struct item *item)
{
    return ((size_t)item->bytes / LINE + 1) * LINE;
}

static int most_buffers(const struct item *item, long long wanted)
{
    const long long most = MOST_BUFFER_BYTES / (long long)stride_of(item);
    return (int)(wanted <= 1 || wanted < most ? wanted : most > 1 ? most : 1);
}

static void read_item(struct mix *mix, struct item *item, char **at)
{
    int length;
    if (sscanf(*at, " %23[a-z_]%n", item->operation, &length) != 1)
        fail("the file of the mix is damaged");
    *at += length;
    item->bytes = number(at);
    item->count = number(at);
    item->phase = (double)within(number(at), PHASE_PARTS) / PHASE_PARTS;
    item->is_blocking = within(number(at), 1);
    item->root = within(number(at), MOST_RANKS);
    item->outs = most_buffers(item, number(at));
    item->ins = most_buffers(item, number(at));
    item->size = within(number(at), mix->ranks);
    item->ranks = allocate((size_t)item->size, sizeof *item->ranks);
    for (int i = 0; i < item->size; i++)
        item->ranks[i] = within(number(at), mix->ranks - 1);
    item->share = (double)item->count / (double)mix->turns;
    if (item->size < 2 || item->root >= item->size)
        fail("the file of the mix is damaged");
}

static void read_mix(struct mix *mix, char *text)
{
    char *at = text;
    const int ranks = within(number(&at), MOST_RANKS);
    if (ranks != mix->ranks)
        fail("not as many ranks as the mix has");
    mix->turns = number(&at);
    mix->done = number(&at);
    mix->repetitions = within(number(&at), 1 << 20);
    const int delays = within(number(&at), mix->ranks);
    for (int i = 0; i < delays; i++) {
        const long long ns = number(&at);
        mix->delay_ns = i == mix->rank ? ns : mix->delay_ns;
    }
    mix->items = within(number(&at), MOST_ITEMS);
    mix->item = allocate((size_t)mix->items, sizeof *mix->item);
    for (int i = 0; i < mix->items; i++)
        read_item(mix, &mix->item[i], &at);
}

static int is_message(const struct item *item)
{
    return strcmp(item->operation, "message") == 0;
}

static int takes_part(const struct item *item, int rank)
{
    for (int i = 0; i < item->size; i++)
        if (item->ranks[i] == rank)
            return 1;
    return 0;
}

static int same_ranks(const struct item *a, const struct item *b)
{
    return a->size == b->size && memcmp(a->ranks, b->ranks, (size_t)a->size * sizeof *a->ranks) == 0;
}

/* A communicator for each set of ranks. */
static void make_communicators(struct mix *mix)
{
    for (int i = 0; i < mix->items; i++) {
        struct item *item = &mix->item[i];
        item->comm = MPI_COMM_NULL;
        if (is_message(item))
            continue;
        int same = 0;
        while (same < i && (is_message(&mix->item[same]) || !same_ranks(item, &mix->item[same])))
            same++;
        if (same < i) {
            item->comm = mix->item[same].comm;
            continue;
        }
        const int color = takes_part(item, mix->rank) ? 1 : MPI_UNDEFINED;
        check(MPI_Comm_split(MPI_COMM_WORLD, color, mix->rank, &item->comm), "MPI_Comm_split");
    }
}

static void make_buffers(struct mix *mix)
{
    long long most = 8;
    int has_caches = 0;
    for (int i = 0; i < mix->items; i++) {
        const struct item *item = &mix->item[i];
        const long long buffers = item->outs > item->ins ? item->outs : item->ins;
        const long long bytes = is_message(item) ? (long long)stride_of(item) * (buffers ? buffers : 1)
                                                 : item->bytes * item->size;
        if (item->bytes > 0x7fffffff)
            fail("a message of the mix is larger than 2 GiB");
        most = bytes > most ? bytes : most;
        has_caches |= item->outs > 0;
    }
    mix->out = allocate((size_t)most, 1);
    mix->in = allocate((size_t)most, 1);
    if (has_caches) {
        /* Memory that was never written is one page of zeros, which is always in the cache. */
        memset(mix->out, 1, (size_t)most);
        memset(mix->in, 1, (size_t)most);
    }
    mix->requests = allocate(2 * (size_t)mix->items, sizeof *mix->requests);
    mix->statuses = allocate(2 * (size_t)mix->items, sizeof *mix->statuses);
}

static void finish_pending(struct mix *mix)
{
    if (mix->pending)
        check(MPI_Waitall(mix->pending, mix->requests, mix->statuses), "MPI_Waitall");
    mix->pending = 0;
}

static char *next_buffer(char *first, const struct item *item, unsigned *used, int buffers)
{
    return buffers < 2 ? first : first + stride_of(item) * ((*used)++ % (unsigned)buffers);
}

static void exchange_message(struct mix *mix, struct item *item)
{
    const int bytes = (int)item->bytes, from = item->ranks[0], to = item->ranks[1];
    const int tag = (int)((item - mix->item) % TAGS); /* SimGrid may mix up sizes that share one */
    char *out = mix->rank == from ? next_buffer(mix->out, item, &item->sent, item->outs) : NULL;
    char *in = mix->rank == to ? next_buffer(mix->in, item, &item->received, item->ins) : NULL;
    if (item->is_blocking) {
        finish_pending(mix);
        if (mix->rank == from)
            check(MPI_Send(out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD), "MPI_Send");
        else
            check(MPI_Recv(in, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  "MPI_Recv");
        return;
    }
    if (mix->rank == to)
        check(MPI_Irecv(in, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD,
                        &mix->requests[mix->pending++]), "MPI_Irecv");
    if (mix->rank == from)
        check(MPI_Isend(out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD,
                        &mix->requests[mix->pending++]), "MPI_Isend");
}

static void exchange_collective(struct mix *mix, const struct item *item)
{
    const char *name = item->operation;
    const int bytes = (int)item->bytes, root = item->root, sums = bytes % 8 == 0;
    const MPI_Datatype type = sums ? MPI_DOUBLE : MPI_BYTE;
    const MPI_Op op = sums ? MPI_SUM : MPI_BOR;
    const int elements = sums ? bytes / 8 : bytes;
    void *out = mix->out, *in = mix->in;
    MPI_Comm comm = item->comm;
    finish_pending(mix);
    if (strcmp(name, "barrier") == 0)
        check(MPI_Barrier(comm), "MPI_Barrier");
    else if (strcmp(name, "bcast") == 0)
        check(MPI_Bcast(out, bytes, MPI_BYTE, root, comm), "MPI_Bcast");
    else if (strcmp(name, "scatter") == 0)
        check(MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, root, comm), "MPI_Scatter");
    else if (strcmp(name, "gather") == 0)
        check(MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, root, comm), "MPI_Gather");
    else if (strcmp(name, "allgather") == 0)
        check(MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm), "MPI_Allgather");
    else if (strcmp(name, "alltoall") == 0)
        check(MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm), "MPI_Alltoall");
    else if (strcmp(name, "reduce") == 0)
        check(MPI_Reduce(out, in, elements, type, op, root, comm), "MPI_Reduce");
    else if (strcmp(name, "allreduce") == 0)
        check(MPI_Allreduce(out, in, elements, type, op, comm), "MPI_Allreduce");
    else if (strcmp(name, "reduce_scatter_block") == 0)
        check(MPI_Reduce_scatter_block(out, in, elements, type, op, comm), "MPI_Reduce_scatter_block");
    else if (strcmp(name, "scan") == 0)
        check(MPI_Scan(out, in, elements, type, op, comm), "MPI_Scan");
    else if (strcmp(name, "exscan") == 0)
        check(MPI_Exscan(out, in, elements, type, op, comm), "MPI_Exscan");
    else
        fail("the mix has an unknown operation");
}

/* Simulated clocks move by 10 ns with each reading: a rank that looked at one would never end. */
static void compute(long long ns)
{
#ifdef SMPI_H
    const struct timespec rest = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    if (ns > 0)
        nanosleep(&rest, NULL); /* smpicc makes it pass simulated time */
#else
    if (ns > 0)
        for (const double end = MPI_Wtime() + (double)ns * 1e-9; MPI_Wtime() < end;)
            ;
#endif
}

static int reads_one_clock(void)
{
    int *is_global, is_given = 0, near = 0, all;
    MPI_Comm host;
    check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &is_global, &is_given),
          "MPI_Comm_get_attr");
    if (is_given && *is_global)
        return 1;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
          "MPI_Comm_split_type");
    check(MPI_Comm_size(host, &near), "MPI_Comm_size");
    check(MPI_Comm_size(MPI_COMM_WORLD, &all), "MPI_Comm_size");
    check(MPI_Comm_free(&host), "MPI_Comm_free");
    return near == all;
}

static double latest(double moment)
{
    double found;
    check(MPI_Allreduce(&moment, &found, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
    return found;
}

/* When this rank begins. Ranks leave a barrier one after the other, which takes as long as many small
   collectives of one root: where all read one clock, they begin at one moment, by which all know it. */
static double begin_together(const struct mix *mix)
{
    check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    if (!mix->has_one_clock)
        return MPI_Wtime();
    const double first = latest(MPI_Wtime()), second = latest(MPI_Wtime());
    const double moment = second + 2.0 * (second - first);
    while (MPI_Wtime() < moment)
        ;
    return moment;
}

/* Items of this rank alone are looked at: every rank comes to the same order of what it shares. */
static double repeat(struct mix *mix)
{
    int own = 0;
    struct item **items = allocate((size_t)mix->items, sizeof *items);
    for (int i = 0; i < mix->items; i++) {
        mix->item[i].due = mix->item[i].phase;
        if (takes_part(&mix->item[i], mix->rank))
            items[own++] = &mix->item[i];
    }
    const double began = begin_together(mix);
    for (long long turn = 0; turn < mix->done; turn++) {
        for (int i = 0; i < own; i++) {
            struct item *item = items[i];
            item->due += item->share;
            if (item->due < 1.0)
                continue;
            item->due -= 1.0;
            if (is_message(item))
                exchange_message(mix, item);
            else
                exchange_collective(mix, item);
        }
        finish_pending(mix);
        compute(mix->delay_ns);
    }
    const double seconds = MPI_Wtime() - began;
    free(items);
    return seconds;
}

static void print(const struct mix *mix, double seconds)
{
    double *all = allocate((size_t)mix->ranks, sizeof *all);
    check(MPI_Gather(&seconds, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), "MPI_Gather");
    if (mix->rank == 0) {
        printf("{\"seconds\":[");
        for (int i = 0; i < mix->ranks; i++)
            printf("%s%.9g", i ? "," : "", all[i]);
        printf("]}\n");
        fflush(stdout);
    }
    free(all);
}

int main(int argc, char **argv)
{
    struct mix mix = {0};
    MPI_Init(&argc, &argv);
    check(MPI_Comm_rank(MPI_COMM_WORLD, &mix.rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &mix.ranks), "MPI_Comm_size");
    if (argc != 2)
        fail("usage: hockney-replayer FILE");
    char *text = read_text(argv[1], mix.rank);
    read_mix(&mix, text);
    free(text);
    make_communicators(&mix);
    make_buffers(&mix);
    mix.has_one_clock = reads_one_clock();
    repeat(&mix); /* connections are made now */
    for (int i = 0; i < mix.repetitions; i++)
        print(&mix, repeat(&mix));
    MPI_Finalize();
    return 0;
}
