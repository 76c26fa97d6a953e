/* A legal SPMD program that its arguments choose: a seed, and how many operations. Every rank draws the same ones.
   1 to 4 threads work at once, each in communicators of its own. Prints a sum of all that arrived. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, MOST = 512 };

struct work {
    MPI_Comm comm, between; /* between: even and odd ranks; null where there is one rank */
    MPI_Win window;         /* null where each operation makes its own */
    int *base;
    uint32_t state;
    int operations, rank, ranks, is_alone;
    uint64_t sum;
    int out[MOST], in[MOST], all[MOST * 8];
};

static uint32_t draw(struct work *w, uint32_t below)
{
    w->state = w->state * 1664525u + 1013904223u;
    return (w->state >> 8) % below;
}

static void take(struct work *w, const int *from, int number)
{
    for (int i = 0; i < number; i++)
        w->sum = w->sum * 31 + (uint32_t)from[i];
}

/* Neighbours in a line: its ends have none. */
static void line(struct work *w, int n, int *left, int *right)
{
    *left = w->rank > 0 ? w->rank - 1 : MPI_PROC_NULL;
    *right = w->rank < w->ranks - 1 ? w->rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < n; i++)
        w->in[i] = -1;
}

static void exchange(struct work *w, int n)
{
    int left, right;
    MPI_Status status;
    line(w, n, &left, &right);
    MPI_Sendrecv(w->out, n, MPI_INT, right, 1, w->in, n, MPI_INT, left, 1, w->comm, &status);
    w->sum += (uint32_t)(status.MPI_SOURCE == left);
    take(w, w->in, n);
}

static void start(struct work *w, int n)
{
    int left, right, index;
    MPI_Request of[4];
    line(w, n, &left, &right);
    MPI_Irecv(w->in, n, MPI_INT, left, 2, w->comm, &of[0]);
    MPI_Isend(w->out, n, MPI_INT, right, 2, w->comm, &of[1]);
    MPI_Issend(w->out, n, MPI_INT, w->rank, 3, w->comm, &of[2]);
    MPI_Irecv(w->all, n, MPI_INT, w->rank, MPI_ANY_TAG, w->comm, &of[3]);
    if (draw(w, 2)) {
        MPI_Waitall(4, of, MPI_STATUSES_IGNORE);
    } else {
        for (int i = 0; i < 4; i++)
            MPI_Waitany(4, of, &index, MPI_STATUS_IGNORE);
    }
    take(w, w->in, n);
    take(w, w->all, n);
}

static void poll(struct work *w, int n)
{
    const int next = (w->rank + 1) % w->ranks, before = (w->rank + w->ranks - 1) % w->ranks;
    int is_there = 0, flag = 0, count;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    MPI_Isend(w->out, n, MPI_INT, next, 4, w->comm, &request);
    while (!is_there)
        MPI_Improbe(before, 4, w->comm, &is_there, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Mrecv(w->in, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    take(w, w->in, count);
}

static void persist(struct work *w, int n)
{
    int left, right;
    MPI_Request of[2];
    line(w, n, &left, &right);
    MPI_Send_init(w->out, n, MPI_INT, right, 5, w->comm, &of[0]);
    MPI_Recv_init(w->in, n, MPI_INT, left, 5, w->comm, &of[1]);
    for (int turns = 1 + (int)draw(w, 3); turns; turns--) {
        MPI_Startall(2, of);
        MPI_Waitall(2, of, MPI_STATUSES_IGNORE);
        take(w, w->in, n);
    }
    MPI_Request_free(&of[0]);
    MPI_Request_free(&of[1]);
}

static void give_up(struct work *w, int n)
{
    int was_cancelled;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(w->in, n, MPI_INT, MPI_ANY_SOURCE, 77, w->comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &was_cancelled);
    w->sum += (uint32_t)was_cancelled;
}

static void reduce(struct work *w, int n)
{
    MPI_Request request;
    const int root = (int)draw(w, (uint32_t)w->ranks);
    MPI_Allreduce(w->out, w->in, n, MPI_INT, MPI_SUM, w->comm);
    take(w, w->in, n);
    MPI_Ibcast(w->in, n, MPI_INT, root, w->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Gather(w->out, 1, MPI_INT, w->all, 1, MPI_INT, root, w->comm);
    take(w, w->all, w->rank == root ? w->ranks : 0);
    MPI_Scatter(w->all, 1, w->rank == root ? MPI_INT : MPI_DATATYPE_NULL,
                w->rank == root ? MPI_IN_PLACE : w->in, 1, MPI_INT, root, w->comm);
}

/* Arguments that are not significant are none. */
static void across(struct work *w, int n)
{
    if (w->between == MPI_COMM_NULL)
        return;
    const int root = w->rank % 2 ? 0 : w->rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    const int gives = w->rank % 2;
    MPI_Gather(gives ? w->out : NULL, gives ? 1 : 0, gives ? MPI_INT : MPI_DATATYPE_NULL,
               gives ? NULL : w->all, gives ? 0 : 1, gives ? MPI_DATATYPE_NULL : MPI_INT, root,
               w->between);
    MPI_Bcast(root == MPI_PROC_NULL ? NULL : w->in, root == MPI_PROC_NULL ? 0 : n, MPI_INT, root,
              w->between);
    MPI_Barrier(w->between);
    take(w, w->all, w->rank == 0 ? 1 : 0);
}

static void open_window(struct work *w)
{
    MPI_Win_allocate((MPI_Aint)(sizeof(int) * MOST), sizeof(int), MPI_INFO_NULL, w->comm, &w->base,
                     &w->window);
}

static void put(struct work *w, int n)
{
    MPI_Request request;
    const int next = (w->rank + 1) % w->ranks, is_own = w->window == MPI_WIN_NULL;
    if (is_own)
        open_window(w);
    MPI_Win window = w->window;
    int *base = w->base;
    MPI_Win_fence(0, window);
    for (int i = 0; i < n; i++)
        base[i] = 0;
    MPI_Win_fence(0, window);
    MPI_Put(w->out, n, MPI_INT, next, 0, n, MPI_INT, window);
    MPI_Put(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, window);
    MPI_Win_fence(0, window);
    take(w, base, n);
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
    MPI_Rget(w->in, n, MPI_INT, next, 0, n, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(next, window);
    take(w, w->in, n);
    if (is_own)
        MPI_Win_free(&w->window);
}

static void make(struct work *w, int n)
{
    MPI_Comm half, copy;
    MPI_Datatype gaps;
    MPI_Request request;
    MPI_Comm_split(w->comm, w->rank % 2, 0, &half);
    MPI_Allreduce(w->out, w->in, n, MPI_INT, MPI_MAX, half);
    MPI_Comm_idup(w->comm, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_vector(n / 2 + 1, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Bcast(w->all, 1, gaps, 0, copy);
    MPI_Type_free(&gaps);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    take(w, w->in, n);
}

/* What MPI 4 added. Open MPI 5 has it, and says that it is 3.1. */
static void modern(struct work *w, int n)
{
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
    MPI_Request of[2];
    const int next = (w->rank + 1) % w->ranks, before = (w->rank + w->ranks - 1) % w->ranks;
    MPI_Isendrecv(w->out, n, MPI_INT, next, 6, w->in, n, MPI_INT, before, 6, w->comm, &of[0]);
    MPI_Wait(&of[0], MPI_STATUS_IGNORE);
    take(w, w->in, n);
#ifndef I_MPI_VERSION /* 2021.18 waits for ever, with or without the recorder */
    MPI_Request sum;
    MPI_Allreduce_init(w->out, w->in, n, MPI_INT, MPI_SUM, w->comm, MPI_INFO_NULL, &sum);
    MPI_Start(&sum);
    MPI_Wait(&sum, MPI_STATUS_IGNORE);
    MPI_Request_free(&sum);
    take(w, w->in, n);
#endif
    if (w->is_alone && w->ranks > 1) {
        MPI_Psend_init(w->out, 2, n, MPI_INT, next, 7, w->comm, MPI_INFO_NULL, &of[0]);
        MPI_Precv_init(w->all, 2, n, MPI_INT, before, 7, w->comm, MPI_INFO_NULL, &of[1]);
        MPI_Startall(2, of);
        MPI_Pready(1, of[0]);
        MPI_Pready(0, of[0]);
        MPI_Waitall(2, of, MPI_STATUSES_IGNORE);
        MPI_Request_free(&of[0]);
        MPI_Request_free(&of[1]);
        take(w, w->all, n);
    }
#else
    (void)w, (void)n;
#endif
}

static void *run(void *argument)
{
    static void (*const operations[])(struct work *, int) = {
        exchange, start, poll, persist, give_up, reduce, across, put, make, modern};
    struct work *w = argument;
    for (int i = 0; i < w->operations; i++) {
        const uint32_t which = draw(w, sizeof operations / sizeof operations[0]);
        const int n = 1 + (int)draw(w, MOST / 2 - 1);
        for (int j = 0; j < MOST; j++)
            w->out[j] = w->rank * 1000 + j + i;
        operations[which](w, n);
        if (draw(w, 8) == 0)
            MPI_Pcontrol((int)draw(w, 2));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct work works[THREADS];
    int provided, rank, ranks;
    uint64_t sum = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const uint32_t seed = (uint32_t)atoi(argv[1]);
    const int threads = provided == MPI_THREAD_MULTIPLE ? 1 + (int)(seed % THREADS) : 1;
    pthread_t thread[THREADS];
    for (int i = 0; i < threads; i++) {
        struct work *w = &works[i];
        *w = (struct work){.state = seed * 977u + (uint32_t)i, .operations = atoi(argv[2]),
                           .rank = rank, .ranks = ranks, .is_alone = threads == 1,
                           .between = MPI_COMM_NULL, .window = MPI_WIN_NULL};
        MPI_Comm_dup(MPI_COMM_WORLD, &w->comm);
#ifdef OPEN_MPI
        if (threads > 1) /* it crashes where several threads make windows at once */
            open_window(w);
#endif
        if (ranks > 1) {
            MPI_Comm half;
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
            MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, i, &w->between);
            MPI_Comm_free(&half);
        }
    }
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, run, &works[i]);
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        sum = sum * 31 + works[i].sum;
        if (works[i].window != MPI_WIN_NULL)
            MPI_Win_free(&works[i].window);
        MPI_Comm_free(&works[i].comm);
        if (works[i].between != MPI_COMM_NULL)
            MPI_Comm_free(&works[i].between);
    }
    uint64_t total = 0;
    MPI_Reduce(&sum, &total, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d threads, sum %llu\n", threads, (unsigned long long)total);
    MPI_Finalize();
    return (int)(seed % 3);
}
