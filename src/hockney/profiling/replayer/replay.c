/* Exchanges the mix of a profiled program, without the program. The first argument names the file of the
   mix (mix.h). The first rank prints a line of JSON for each repetition: the seconds from the common start
   to the end of each rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "mix.h"

enum { TAGS = 32000, LARGEST_MESSAGE = 0x7fffffff };

/* A rank and what it exchanges messages with. */
struct replay {
    struct mix mix;
    int rank, ranks, has_one_clock;
    char *out, *in;
    MPI_Request *requests;
    MPI_Status *statuses;
    int pending;
};

/* A communicator for each set of ranks. */
static void make_communicators(struct mix *mix, int rank)
{
    for (int i = 0; i < mix->items; i++) {
        struct item *item = &mix->item[i];
        item->comm = MPI_COMM_NULL;
        if (item_is_message(item))
            continue;
        int same = 0;
        while (same < i && (item_is_message(&mix->item[same]) || !item_has_ranks_of(item, &mix->item[same])))
            same++;
        if (same < i) {
            item->comm = mix->item[same].comm;
            continue;
        }
        const int color = item_takes_part(item, rank) ? 1 : MPI_UNDEFINED;
        check(MPI_Comm_split(MPI_COMM_WORLD, color, rank, &item->comm), "MPI_Comm_split");
    }
}

static void make_buffers(struct replay *replay)
{
    const struct mix *mix = &replay->mix;
    long long most = 8;
    int has_caches = 0;
    for (int i = 0; i < mix->items; i++) {
        const struct item *item = &mix->item[i];
        const long long buffers = item->outs > item->ins ? item->outs : item->ins;
        if (item->bytes > LARGEST_MESSAGE)
            fail("a message of the mix is larger than 2 GiB");
        const long long bytes = item_is_message(item)
                                    ? (long long)item_stride(item) * (buffers ? buffers : 1)
                                    : item->bytes * item->size;
        most = bytes > most ? bytes : most;
        has_caches |= item->outs > 0;
    }
    replay->out = allocate((size_t)most, 1);
    replay->in = allocate((size_t)most, 1);
    if (has_caches) {
        /* Memory that was never written is one page of zeros, which is always in the cache. */
        memset(replay->out, 1, (size_t)most);
        memset(replay->in, 1, (size_t)most);
    }
    replay->requests = allocate(2 * (size_t)mix->items, sizeof *replay->requests);
    replay->statuses = allocate(2 * (size_t)mix->items, sizeof *replay->statuses);
}

static void finish_pending(struct replay *replay)
{
    if (replay->pending)
        check(MPI_Waitall(replay->pending, replay->requests, replay->statuses), "MPI_Waitall");
    replay->pending = 0;
}

static char *next_buffer(char *first, const struct item *item, unsigned *used, int buffers)
{
    return buffers < 2 ? first : first + item_stride(item) * ((*used)++ % (unsigned)buffers);
}

static void exchange_message(struct replay *replay, struct item *item)
{
    const int bytes = (int)item->bytes, from = item->ranks[0], to = item->ranks[1];
    const int tag = (int)((item - replay->mix.item) % TAGS); /* SimGrid may mix up sizes that share one */
    char *out = replay->rank == from ? next_buffer(replay->out, item, &item->sent, item->outs) : NULL;
    char *in = replay->rank == to ? next_buffer(replay->in, item, &item->received, item->ins) : NULL;
    if (item->is_blocking) {
        finish_pending(replay);
        if (replay->rank == from)
            check(MPI_Send(out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD), "MPI_Send");
        else
            check(MPI_Recv(in, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  "MPI_Recv");
        return;
    }
    if (replay->rank == to)
        check(MPI_Irecv(in, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD,
                        &replay->requests[replay->pending++]), "MPI_Irecv");
    if (replay->rank == from)
        check(MPI_Isend(out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD,
                        &replay->requests[replay->pending++]), "MPI_Isend");
}

static void exchange_collective(struct replay *replay, const struct item *item)
{
    const char *name = item->operation;
    const int bytes = (int)item->bytes, root = item->root, sums = bytes % 8 == 0;
    const MPI_Datatype type = sums ? MPI_DOUBLE : MPI_BYTE;
    const MPI_Op op = sums ? MPI_SUM : MPI_BOR;
    const int elements = sums ? bytes / 8 : bytes;
    void *out = replay->out, *in = replay->in;
    MPI_Comm comm = item->comm;
    finish_pending(replay);
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
    double last;
    check(MPI_Allreduce(&moment, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
    return last;
}

/* When this rank begins. Ranks leave a barrier one after the other, which takes as long as many small
   collectives of one root: where all read one clock, they begin at one moment, by which all know it. */
static double begin_together(const struct replay *replay)
{
    check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    if (!replay->has_one_clock)
        return MPI_Wtime();
    const double first = latest(MPI_Wtime()), second = latest(MPI_Wtime());
    const double moment = second + 2.0 * (second - first);
    while (MPI_Wtime() < moment)
        ;
    return moment;
}

/* Items of this rank alone are looked at: every rank comes to the same order of what it shares. */
static double repeat(struct replay *replay)
{
    const struct mix *mix = &replay->mix;
    int own = 0;
    struct item **items = allocate((size_t)mix->items, sizeof *items);
    for (int i = 0; i < mix->items; i++) {
        mix->item[i].due = mix->item[i].phase;
        if (item_takes_part(&mix->item[i], replay->rank))
            items[own++] = &mix->item[i];
    }
    const double began = begin_together(replay);
    for (long long turn = 0; turn < mix->done; turn++) {
        for (int i = 0; i < own; i++) {
            struct item *item = items[i];
            item->due += item->share;
            if (item->due < 1.0)
                continue;
            item->due -= 1.0;
            if (item_is_message(item))
                exchange_message(replay, item);
            else
                exchange_collective(replay, item);
        }
        finish_pending(replay);
        compute(mix->delay_ns);
    }
    const double seconds = MPI_Wtime() - began;
    free(items);
    return seconds;
}

static void print(const struct replay *replay, double seconds)
{
    double *all = allocate((size_t)replay->ranks, sizeof *all);
    check(MPI_Gather(&seconds, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), "MPI_Gather");
    if (replay->rank == 0) {
        printf("{\"seconds\":[");
        for (int i = 0; i < replay->ranks; i++)
            printf("%s%.9g", i ? "," : "", all[i]);
        printf("]}\n");
        fflush(stdout);
    }
    free(all);
}

int main(int argc, char **argv)
{
    struct replay replay = {0};
    check(MPI_Init(&argc, &argv), "MPI_Init");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &replay.rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &replay.ranks), "MPI_Comm_size");
    if (argc != 2)
        fail("usage: hockney-replayer FILE");
    replay.mix = mix_read(argv[1], replay.rank, replay.ranks);
    make_communicators(&replay.mix, replay.rank);
    make_buffers(&replay);
    replay.has_one_clock = reads_one_clock();
    repeat(&replay); /* connections are made now */
    for (int i = 0; i < replay.mix.repetitions; i++)
        print(&replay, repeat(&replay));
    check(MPI_Finalize(), "MPI_Finalize");
    return 0;
}
