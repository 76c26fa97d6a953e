/* Many pairs: rounds over all points (arrangement, window, size) in an order shuffled alike on all
   ranks. In a visit the pairs of its arrangement warm up, agree on how many repetitions fill the
   visit, begin together, and tell the first rank what they saw; the other ranks sleep meanwhile. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "pairing.h"
#include "random.h"
#include "records.h"
#include "start.h"
#include "visit.h"

enum { TAG_AGREE = 5, MOST_BATCHES = 4, MOST_SINGLES = 64 };
/* A visit takes about this long, or as long as the slowest pair's one repetition: no pair is done
   while another still speaks. */
static const double VISIT_NS = IS_SIMULATED ? 0.0 : 500e3;
/* Agreeing on a start leaves caches and the library's queues cold: pairs exchange messages for this
   long before the timed ones. */
static const double LEAD_IN_NS = IS_SIMULATED ? 0.0 : 100e3;
/* The first rounds find out how early a start must be named. */
enum { UNTIMED_ROUNDS = 2 };
/* Until this many times its planned length a visit goes undisturbed. */
static const double WHOLE_VISIT = 1.25;
static const double PROGRESS_S = 0.25;

/* What a rank tells of a visit. */
struct report {
    double began;
    int64_t repetitions;
    double count;
    double ns[]; /* per message */
};

struct crowd {
    struct launch *launch;
    struct pairing pairing;
    struct start start;
    MPI_Comm comm;
    int rank, ranks;
    int *windows, window_count;
    int points;
    int *order;
    uint64_t random;
    int round;
    int room; /* samples of a report */
    size_t report_bytes;
    struct report *mine;
    char *all; /* on the first rank: the reports of all */
    double *samples;
    double progress_s;
    long total;
};

struct visit {
    int arrangement, window;
    const struct size_option *size;
    int partner;
};

static struct visit visit_of(const struct crowd *crowd, int point)
{
    const struct options *options = crowd->launch->options;
    const int sizes = options->size_count, rest = point / sizes;
    return (struct visit){
        .arrangement = rest / crowd->window_count,
        .window = crowd->windows[rest % crowd->window_count],
        .size = &options->sizes[point % sizes],
    };
}

static void set_exchange(struct crowd *crowd, struct visit *visit)
{
    struct launch *launch = crowd->launch;
    struct exchange *exchange = &launch->exchange;
    visit->partner =
        pairing_partner(&crowd->pairing, visit->arrangement, crowd->rank, &exchange->leads);
    exchange->peer = visit->partner;
    exchange->window = visit->window;
    if (visit->partner >= 0)
        visit_prepare(launch, launch->options->operation, visit->size->bytes);
}

/* Both ranks of a pair go by what the leading one saw. */
static void tell_partner(const struct exchange *exchange, double *value)
{
    if (exchange->leads)
        check(MPI_Send(value, 1, MPI_DOUBLE, exchange->peer, TAG_AGREE, exchange->comm), "MPI_Send");
    else
        check(MPI_Recv(value, 1, MPI_DOUBLE, exchange->peer, TAG_AGREE, exchange->comm,
                       MPI_STATUS_IGNORE),
              "MPI_Recv");
}

/* Untimed repetitions, twice as many each time, until they tell how long one takes: they fill a least
   batch. */
static double warm_up(struct crowd *crowd, const struct visit *visit)
{
    struct launch *launch = crowd->launch;
    const struct exchange *exchange = &launch->exchange;
    const double enough_ns = batch_least_ns(&launch->clock);
    const int doubles = !IS_SIMULATED && visit->size->repetitions == 0;
    double spent_ns = 0.0;
    int64_t count = visit->size->warmup > 0 ? visit->size->warmup : 1;
    visit_warm(launch, launch->options->operation, 1); /* waits for the other rank to be here */
    for (;; count *= 2) {
        const int64_t start = clock_ns();
        visit_warm(launch, launch->options->operation, count);
        spent_ns = (double)(clock_ns() - start);
        tell_partner(exchange, &spent_ns);
        if (!doubles || spent_ns >= enough_ns)
            break;
    }
    return fmax(spent_ns / (double)count, 1.0);
}

/* Nanoseconds that all pairs shall speak for: the slowest one's single repetition, if that is long. */
static double length_of(const struct visit *visit, double slowest_ns)
{
    if (visit->size->repetitions > 0)
        return slowest_ns * (double)visit->size->repetitions;
    return LEAD_IN_NS + fmax(VISIT_NS, slowest_ns);
}

/* As many repetitions as fill the visit, in a few batches. */
static void plan(const struct crowd *crowd, const struct visit *visit, double repetition_ns,
                 double visit_ns)
{
    const struct launch *launch = crowd->launch;
    struct report *mine = crowd->mine;
    const int single = launch->options->every_iteration;
    const double least_ns = IS_SIMULATED ? 0.0 : batch_least_ns(&launch->clock);
    if (visit->size->repetitions > 0) {
        mine->repetitions = single ? 1 : visit->size->repetitions;
        mine->count = single ? (double)visit->size->repetitions : 1.0;
        return;
    }
    const double batches = fmin(fmax(floor(visit_ns / fmax(repetition_ns, least_ns)), 1.0),
                                single ? MOST_SINGLES : MOST_BATCHES);
    mine->count = batches;
    mine->repetitions = single ? 1 : (int64_t)fmax(round(visit_ns / repetition_ns / batches), 1.0);
}

/* All are silent until the slowest pair should be done: those that did not speak sleep. What is told
   now disturbs nobody. */
static void meet(const struct crowd *crowd, int speaks, double end)
{
    if (speaks)
        start_wait(&crowd->start, end);
    else
        start_sleep(&crowd->start, end);
    check(MPI_Gather(crowd->mine, (int)crowd->report_bytes, MPI_BYTE, crowd->all,
                     (int)crowd->report_bytes, MPI_BYTE, 0, crowd->comm),
          "MPI_Gather");
}

static const struct report *report_of(const struct crowd *crowd, int rank)
{
    return (const struct report *)(const void *)(crowd->all + (size_t)rank * crowd->report_bytes);
}

static const char *algorithm_of(const struct crowd *crowd, const struct visit *visit)
{
    static char words[48];
    const struct operation *operation = crowd->launch->options->operation;
    if (!operation->counts_window)
        return operation->algorithm;
    snprintf(words, sizeof words, "window %d", visit->window);
    return words;
}

/* One line a pair, or a line a rank where each exchange was timed by itself. */
static void record_pairs(struct crowd *crowd, const struct visit *visit, double at_s)
{
    const struct options *options = crowd->launch->options;
    struct sample_key key = {
        .launch = options->launch,
        .round = crowd->round,
        .operation = options->operation->name,
        .algorithm = algorithm_of(crowd, visit),
        .bytes = visit->size->bytes,
        .ranks = pairing_speakers(&crowd->pairing, visit->arrangement),
        .peer_count = 2,
        .at_s = at_s,
    };
    for (int rank = 0; rank < crowd->ranks; rank++) {
        int leads;
        const int partner = pairing_partner(&crowd->pairing, visit->arrangement, rank, &leads);
        if (partner < 0 || (!leads && !options->every_iteration))
            continue;
        const struct report *own = report_of(crowd, rank), *other = report_of(crowd, partner);
        for (int i = 0; i < (int)own->count; i++)
            crowd->samples[i] = options->every_iteration ? own->ns[i]
                                                         : fmax(own->ns[i], other->ns[i]);
        key.peers = (int[]){rank, partner};
        key.repetitions = own->repetitions;
        record_samples(&key, crowd->samples, (int)own->count);
        crowd->total += (long)own->count;
    }
}

/* On the first rank: how far apart the speakers began. */
static double record_beginning(struct crowd *crowd, const struct visit *visit, double moment)
{
    double first = HUGE_VAL, last = -HUGE_VAL;
    for (int rank = 0; rank < crowd->ranks; rank++) {
        int leads;
        if (pairing_partner(&crowd->pairing, visit->arrangement, rank, &leads) < 0)
            continue;
        first = fmin(first, report_of(crowd, rank)->began);
        last = fmax(last, report_of(crowd, rank)->began);
    }
    if (crowd->round >= 0)
        record_start(&(struct start_facts){
            .launch = crowd->launch->options->launch,
            .round = crowd->round,
            .operation = crowd->launch->options->operation->name,
            .bytes = visit->size->bytes,
            .ranks = pairing_speakers(&crowd->pairing, visit->arrangement),
            .skew_s = (last - first) * 1e-9,
            .error_s = crowd->start.clock.largest_error_ns * 1e-9,
            .known_error_s = crowd->start.clock.known_error_ns * 1e-9,
        });
    return last - moment;
}

static void make_visit(struct crowd *crowd, int point)
{
    struct launch *launch = crowd->launch;
    const struct operation *operation = launch->options->operation;
    struct visit visit = visit_of(crowd, point);
    set_exchange(crowd, &visit);
    const int speaks = visit.partner >= 0;
    double slowest_ns = 0.0, repetition_ns = speaks ? warm_up(crowd, &visit) : 0.0;
    check(MPI_Allreduce(&repetition_ns, &slowest_ns, 1, MPI_DOUBLE, MPI_MAX, crowd->comm),
          "MPI_Allreduce");
    const double at_s = (double)clock_ns() * 1e-9 - launch->started_s;
    const double visit_ns = length_of(&visit, slowest_ns);
    const double moment = start_agree(&crowd->start);
    if (speaks) {
        const int64_t lead_in =
            visit.size->repetitions == 0 ? (int64_t)(LEAD_IN_NS / repetition_ns) : 0;
        plan(crowd, &visit, repetition_ns, visit_ns - (double)lead_in * repetition_ns);
        crowd->mine->began = start_wait(&crowd->start, moment);
        if (lead_in > 0)
            visit_warm(launch, operation, lead_in);
        visit_time(launch, operation, crowd->mine->repetitions, (int)crowd->mine->count,
                   crowd->mine->ns);
        visit_release(launch, operation);
    }
    meet(crowd, speaks, moment + WHOLE_VISIT * visit_ns);
    if (crowd->rank != 0)
        return;
    start_adapt(&crowd->start, record_beginning(crowd, &visit, moment));
    if (crowd->round >= 0)
        record_pairs(crowd, &visit, at_s);
}

static void show_progress(struct crowd *crowd, double elapsed_s)
{
    const struct options *options = crowd->launch->options;
    if (elapsed_s - crowd->progress_s < PROGRESS_S)
        return;
    crowd->progress_s = elapsed_s;
    record_progress(options->launch, crowd->round, options->sizes[0].bytes, -1.0, 0, crowd->points,
                    crowd->total, options->seconds - elapsed_s);
}

/* Collective: why it is over, or NULL. Precision is judged over launches, by who reads the records. */
static const char *decide(struct crowd *crowd, double round_s, int interrupted)
{
    const struct options *options = crowd->launch->options;
    const double elapsed_s = (double)clock_ns() * 1e-9 - crowd->launch->started_s;
    const int done = crowd->round + 1;
    int over = interrupted ? 1 : 0;
    if (done >= (IS_SIMULATED ? 1 : options->most_rounds) ||
        (done >= 1 && elapsed_s + round_s > options->seconds))
        over = over ? 1 : 2;
    check(MPI_Bcast(&over, 1, MPI_INT, 0, crowd->comm), "MPI_Bcast");
    return over == 0 ? NULL : over == 1 ? "interrupted" : IS_SIMULATED ? "complete" : "budget";
}

/* Of one visit of a rank. */
static int most_samples(const struct options *options)
{
    int64_t most = options->every_iteration ? MOST_SINGLES : MOST_BATCHES;
    for (int i = 0; i < options->size_count && options->every_iteration; i++)
        most = options->sizes[i].repetitions > most ? options->sizes[i].repetitions : most;
    if (most > 1 << 24)
        fail(EXIT_ASKED_WRONGLY, "--every-iteration: more than %d repetitions a visit", 1 << 24);
    return (int)most;
}

static void open_crowd(struct crowd *crowd, struct launch *launch)
{
    const struct options *options = launch->options;
    static int no_window = 1;
    *crowd = (struct crowd){.launch = launch, .comm = launch->exchange.comm};
    crowd->rank = launch->exchange.rank;
    crowd->ranks = launch->exchange.ranks;
    if (options->experiment == CORES)
        pairing_of_all(&crowd->pairing, crowd->ranks, options->parallel);
    else
        pairing_of_list(&crowd->pairing, options->pairing, crowd->ranks, options->seed,
                        options->active, options->active_count);
    const int windows = options->operation->counts_window;
    crowd->windows = windows ? options->windows : &no_window;
    crowd->window_count = windows ? options->window_count : 1;
    crowd->points = crowd->pairing.arrangements * crowd->window_count * options->size_count;
    crowd->order = allocate((size_t)crowd->points * sizeof *crowd->order);
    for (int i = 0; i < crowd->points; i++)
        crowd->order[i] = i;
    crowd->room = most_samples(options);
    crowd->report_bytes = sizeof(struct report) + (size_t)crowd->room * sizeof(double);
    crowd->mine = allocate(crowd->report_bytes);
    *crowd->mine = (struct report){.count = 0.0};
    crowd->samples = allocate((size_t)crowd->room * sizeof(double));
    crowd->all = crowd->rank == 0 ? allocate(crowd->report_bytes * (size_t)crowd->ranks) : NULL;
    crowd->random = random_state(options->seed);
    start_open(&crowd->start, crowd->comm, options->sync == SYNC_MESSAGES);
}

static void close_crowd(struct crowd *crowd)
{
    start_close(&crowd->start);
    pairing_free(&crowd->pairing);
    free(crowd->order);
    free(crowd->mine);
    free(crowd->samples);
    free(crowd->all);
}

const char *pairs_run(struct launch *launch)
{
    struct crowd crowd;
    const char *reason = NULL;
    open_crowd(&crowd, launch);
    for (crowd.round = IS_SIMULATED ? -1 : -UNTIMED_ROUNDS; reason == NULL; crowd.round++) {
        const double began_s = (double)clock_ns() * 1e-9;
        random_shuffle(crowd.order, crowd.points, &crowd.random);
        sync_again(&crowd.start.clock);
        probe_state(launch, crowd.round);
        for (int i = 0; i < crowd.points; i++)
            make_visit(&crowd, crowd.order[i]);
        const int interrupted = look_at_noise(launch, crowd.round);
        if (crowd.rank == 0) {
            show_progress(&crowd, began_s - launch->started_s);
            records_flush();
        }
        reason = decide(&crowd, (double)clock_ns() * 1e-9 - began_s, interrupted);
    }
    close_crowd(&crowd);
    return reason;
}
