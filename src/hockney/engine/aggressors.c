/* Each aggressor keeps a window of messages to each that it sends to in flight: in every slot of the
   window there is one to and from each of them, which is waited for and started again, slot after slot.
   A cycle is one walk through the window. The first aggressor decides during each cycle what all do
   after it, so that all make the same number of cycles. */
#include "aggressors.h"

#include <math.h>
#include <stdlib.h>

#include "areas.h"
#include "check.h"
#include "clock.h"
#include "launch.h"
#include "order.h"
#include "tree.h"

enum { TAG_LOAD = 20, TAG_RUNNING, TAG_ALL_RUN, TAG_BEGIN, TAG_STOP, TAG_REPORT };

/* What all do after a cycle. */
enum next { GO_ON, PAUSE, STOP };

struct aggressors {
    MPI_Comm comm, world;
    int rank, ranks, first_victim;
    int *order;                 /* of a permutation: each sends to the next one here */
    int *targets, *sources;     /* of the load that runs */
    int target_count, source_count;
    MPI_Request *requests;      /* a slot after the other */
    MPI_Status *statuses;       /* of one slot, or of all ranks */
    int of_slot;
    struct area out, in;
    double out_bytes, in_bytes; /* what these need */
    /* On the first one: */
    MPI_Request *running;       /* a notice of each other one that it sends */
    MPI_Request begin, stop;    /* what the first victim says */
    int all_run, begun, stopped;
    int64_t burst_began, cycle_began, cycle_ns;
    int bursts;                 /* since the victims began */
    int64_t slots;              /* that are done since `began` */
    int64_t began, ended, done; /* from when on they are counted; until when, and how many that were */
};

static void add(int *list, int *count, int rank) { list[(*count)++] = rank; }

static int place_in_order(const struct aggressors *all)
{
    int place = 0;
    while (all->order[place] != all->rank)
        place++;
    return place;
}

/* To whom this aggressor sends, and from whom it receives. */
static void choose_partners(struct aggressors *all, enum aggressor aggressor)
{
    const int rank = all->rank, ranks = all->ranks, first = rank == 0;
    const int place = place_in_order(all);
    all->target_count = all->source_count = 0;
    for (int i = 1; i < ranks; i++) {
        const int next = (rank + i) % ranks, last = (rank - i + ranks) % ranks;
        if (aggressor == ALL_TO_ALL || (first && aggressor == OUTCAST) || (i == 1 && aggressor == RING))
            add(all->targets, &all->target_count, next);
        if (aggressor == ALL_TO_ALL || (first && aggressor == INCAST) || (i == 1 && aggressor == RING))
            add(all->sources, &all->source_count, last);
    }
    if (aggressor == INCAST && !first)
        add(all->targets, &all->target_count, 0);
    if (aggressor == OUTCAST && !first)
        add(all->sources, &all->source_count, 0);
    if (aggressor == PERMUTATION) {
        add(all->targets, &all->target_count, all->order[(place + 1) % ranks]);
        add(all->sources, &all->source_count, all->order[(place - 1 + ranks) % ranks]);
    }
}

/* How many messages all of them send in a slot. */
static double messages_of_slot(enum aggressor aggressor, int ranks)
{
    if (aggressor == ALL_TO_ALL)
        return (double)ranks * (ranks - 1);
    return aggressor == INCAST || aggressor == OUTCAST ? ranks - 1 : ranks;
}

/* Messages that are received at once need places of their own, unless nobody reads them. */
static int places(int window, int sources) { return IS_SIMULATED ? 1 : window * sources; }

/* The room that the largest of the loads needs. */
static void plan_room(struct aggressors *all, const struct congestion_options *options)
{
    size_t requests = 1;
    all->in_bytes = all->out_bytes = 1.0;
    for (int i = 0; i < options->load_count; i++) {
        const struct load *load = &options->loads[i];
        choose_partners(all, load->aggressor);
        const size_t needed =
            (size_t)load->window * (size_t)(all->target_count + all->source_count);
        requests = needed > requests ? needed : requests;
        all->out_bytes = fmax(all->out_bytes, (double)load->bytes);
        all->in_bytes =
            fmax(all->in_bytes, (double)load->bytes * places(load->window, all->source_count));
    }
    all->requests = allocate(requests * sizeof *all->requests);
}

double aggressors_needed(const struct aggressors *all) { return all->out_bytes + all->in_bytes; }

void aggressors_allocate(struct aggressors *all, enum memory memory)
{
    all->out = area_of(memory, all->out_bytes, 1, 0);
    all->in = area_of(memory, all->in_bytes, 2, 0);
}

struct aggressors *aggressors_open(const struct launch *launch, MPI_Comm comm, MPI_Comm world,
                                   int first_victim)
{
    struct aggressors *all = allocate(sizeof *all);
    uint64_t state = random_state(launch->options->seed + 1);
    *all = (struct aggressors){.comm = comm, .world = world, .first_victim = first_victim};
    ranks_of(comm, &all->rank, &all->ranks);
    const size_t bytes = (size_t)all->ranks * sizeof(int);
    all->statuses = allocate(2 * (size_t)all->ranks * sizeof *all->statuses);
    all->order = allocate(bytes);
    all->targets = allocate(bytes);
    all->sources = allocate(bytes);
    all->running = allocate((size_t)all->ranks * sizeof *all->running);
    shuffled_numbers(all->order, all->ranks, &state);
    plan_room(all, &launch->options->congestion);
    return all;
}

void aggressors_close(struct aggressors *all)
{
    free(all->statuses);
    free(all->order);
    free(all->targets);
    free(all->sources);
    free(all->running);
    free(all->requests);
    area_release(&all->out);
    area_release(&all->in);
    free(all);
}

/* A receive and a send for each partner in each slot; none has begun. SimGrid 3.32 loses persistent
   sends that are small enough to be detached (smpi/send-is-detached-thresh) when they are started
   again, and their receiver waits for ever: there they are made anew each time. They are synchronous:
   a detached send takes no simulated time, and one that only sends would never let any pass. */
static void make_requests(struct aggressors *all, const struct load *load)
{
    MPI_Request *request = all->requests;
    const int bytes = (int)load->bytes;
    choose_partners(all, load->aggressor);
    all->of_slot = all->source_count + all->target_count;
    for (int slot = 0; slot < load->window && !IS_SIMULATED; slot++) {
        for (int i = 0; i < all->source_count; i++) {
            const int place = slot * all->source_count + i;
            check(MPI_Recv_init(all->in.base + (size_t)place * load->bytes, bytes, MPI_BYTE,
                                all->sources[i], TAG_LOAD, all->comm, request++),
                  "MPI_Recv_init");
        }
        for (int i = 0; i < all->target_count; i++)
            check(MPI_Send_init(all->out.base, bytes, MPI_BYTE, all->targets[i], TAG_LOAD, all->comm,
                                request++),
                  "MPI_Send_init");
    }
}

static void free_requests(struct aggressors *all, const struct load *load)
{
    for (int i = 0; i < load->window * all->of_slot && !IS_SIMULATED; i++)
        check(MPI_Request_free(&all->requests[i]), "MPI_Request_free");
}

static void post_slot(struct aggressors *all, const struct load *load, MPI_Request *request)
{
    const int bytes = (int)load->bytes;
    for (int i = 0; i < all->source_count; i++)
        check(MPI_Irecv(all->in.base, bytes, MPI_BYTE, all->sources[i], TAG_LOAD, all->comm,
                        request++),
              "MPI_Irecv");
    for (int i = 0; i < all->target_count; i++)
        check(MPI_Issend(all->out.base, bytes, MPI_BYTE, all->targets[i], TAG_LOAD, all->comm,
                         request++),
              "MPI_Issend");
}

static void start_slot(struct aggressors *all, const struct load *load, int slot)
{
    MPI_Request *of_slot = all->requests + slot * all->of_slot;
    if (IS_SIMULATED)
        post_slot(all, load, of_slot);
    else
        check(MPI_Startall(all->of_slot, of_slot), "MPI_Startall");
}

static void wait_for_slot(struct aggressors *all, int slot)
{
    check(MPI_Waitall(all->of_slot, all->requests + slot * all->of_slot, all->statuses),
          "MPI_Waitall");
    all->slots++;
}

static void count_from_now(struct aggressors *all)
{
    all->began = clock_ns();
    all->slots = 0;
}

static void count_until_now(struct aggressors *all)
{
    all->ended = clock_ns();
    all->done = all->slots;
}

/* Bursts are counted by whole periods. */
static void count_burst(struct aggressors *all)
{
    if (!all->begun)
        return;
    if (all->bursts++ == 0)
        count_from_now(all);
    else
        count_until_now(all);
}

static void start_window(struct aggressors *all, const struct load *load)
{
    all->burst_began = clock_ns();
    for (int slot = 0; slot < load->window; slot++)
        start_slot(all, load, slot);
}

static void end_window(struct aggressors *all, const struct load *load)
{
    for (int slot = 0; slot < load->window; slot++)
        wait_for_slot(all, slot);
}

/* On the first aggressor, between slots, when always the same is in flight: what do the victims say? They
   are listened to until what is exchanged is known, over a whole window or period. */
static void listen(struct aggressors *all, const struct load *load)
{
    const int bursts = load->burst_ns > 0.0;
    if (!all->all_run || all->stopped)
        return;
    if (!all->begun) {
        check(MPI_Test(&all->begin, &all->begun, MPI_STATUS_IGNORE), "MPI_Test");
        count_from_now(all);
    } else if (bursts ? all->bursts > 1 : all->slots >= load->window) {
        check(MPI_Test(&all->stop, &all->stopped, MPI_STATUS_IGNORE), "MPI_Test");
        if (!bursts)
            count_until_now(all);
    }
}

/* On the first aggressor, at the beginning of a cycle. */
static enum next decide(struct aggressors *all, const struct load *load)
{
    if (!all->all_run) {
        check(MPI_Testall(all->ranks - 1, all->running, &all->all_run, all->statuses),
              "MPI_Testall");
        if (!all->all_run || all->slots < load->window)
            return all->all_run = 0, GO_ON;
        check(MPI_Send(NULL, 0, MPI_BYTE, all->first_victim, TAG_ALL_RUN, all->world), "MPI_Send");
    }
    listen(all, load);
    if (all->stopped)
        return STOP;
    /* This cycle and what is in flight after it are still sent. */
    const double longest_ns = load->burst_ns - 1.5 * (double)all->cycle_ns;
    const int over = load->burst_ns > 0.0 && (double)(clock_ns() - all->burst_began) >= longest_ns;
    return over ? PAUSE : GO_ON;
}

/* Returns when the first aggressor has decided that it is enough; all messages have arrived. */
static void make_cycles(struct aggressors *all, const struct load *load)
{
    int notified = 0;
    start_window(all, load);
    for (int next = GO_ON; next != STOP;) {
        MPI_Request decided;
        if (all->rank == 0)
            next = decide(all, load);
        all->cycle_began = clock_ns();
        check(MPI_Ibcast(&next, 1, MPI_INT, 0, all->comm, &decided), "MPI_Ibcast");
        for (int slot = 0; slot < load->window; slot++) {
            wait_for_slot(all, slot);
            start_slot(all, load, slot);
            if (all->rank == 0)
                listen(all, load);
        }
        if (all->rank > 0 && !notified++)
            check(MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_RUNNING, all->comm), "MPI_Send");
        check(MPI_Wait(&decided, MPI_STATUS_IGNORE), "MPI_Wait");
        all->cycle_ns = clock_ns() - all->cycle_began;
        if (next == GO_ON)
            continue;
        end_window(all, load);
        if (next == PAUSE) {
            clock_sleep((int64_t)load->gap_ns);
            count_burst(all);
            start_window(all, load);
        }
    }
}

/* On the first aggressor: receives of what it must learn meanwhile. */
static void expect(struct aggressors *all)
{
    all->all_run = all->begun = all->stopped = all->bursts = 0;
    for (int i = 1; i < all->ranks; i++)
        check(MPI_Irecv(NULL, 0, MPI_BYTE, i, TAG_RUNNING, all->comm, &all->running[i - 1]), "MPI_Irecv");
    check(MPI_Irecv(NULL, 0, MPI_BYTE, all->first_victim, TAG_BEGIN, all->world, &all->begin), "MPI_Irecv");
    check(MPI_Irecv(NULL, 0, MPI_BYTE, all->first_victim, TAG_STOP, all->world, &all->stop), "MPI_Irecv");
}

void aggressors_run(struct aggressors *all, const struct load *load)
{
    make_requests(all, load);
    all->slots = 0;
    if (all->rank == 0)
        expect(all);
    all->cycle_ns = 0;
    make_cycles(all, load);
    const double rate_Bps = (double)all->done * messages_of_slot(load->aggressor, all->ranks) *
                            (double)load->bytes / ((double)(all->ended - all->began) * 1e-9);
    free_requests(all, load);
    tree_reduce(NULL, (struct tree_layout){0}, all->comm); /* the others are silent too */
    if (all->rank == 0)
        check(MPI_Send(&rate_Bps, 1, MPI_DOUBLE, all->first_victim, TAG_REPORT, all->world),
              "MPI_Send");
}

void aggressors_await(MPI_Comm world, int first_aggressor)
{
    check(MPI_Recv(NULL, 0, MPI_BYTE, first_aggressor, TAG_ALL_RUN, world, MPI_STATUS_IGNORE), "MPI_Recv");
}

void aggressors_begin(MPI_Comm world, int first_aggressor)
{
    check(MPI_Send(NULL, 0, MPI_BYTE, first_aggressor, TAG_BEGIN, world), "MPI_Send");
}

double aggressors_stop(MPI_Comm world, int first_aggressor)
{
    double rate_Bps;
    check(MPI_Send(NULL, 0, MPI_BYTE, first_aggressor, TAG_STOP, world), "MPI_Send");
    check(MPI_Recv(&rate_Bps, 1, MPI_DOUBLE, first_aggressor, TAG_REPORT, world, MPI_STATUS_IGNORE),
          "MPI_Recv");
    return rate_Bps;
}
