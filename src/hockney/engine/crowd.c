#include "crowd.h"

#include <math.h>
#include <stdlib.h>

#include "calibrate.h"
#include "check.h"
#include "exposures.h"
#include "grouping.h"
#include "matrix.h"
#include "order.h"
#include "pairing.h"
#include "records.h"
#include "reports.h"
#include "start.h"
#include "tree.h"
#include "visit.h"

enum { TAG_AGREE = 5, MOST_BATCHES = 4, MOST_SINGLES = 64, MOST_COUNTED_SINGLES = 1 << 24 };
/* Until this many times its planned length a visit goes undisturbed. */
static const double WHOLE_VISIT = 1.25;

struct pair_visit {
    int64_t arrangement;
    int window;
    const struct method *method;
    const struct size_option *size;
    int partner;
};

static struct pair_visit pair_visit_of(const struct crowd *crowd, int64_t point)
{
    const struct options *options = crowd->launch->options;
    const int64_t sizes = options->size_count, methods = options->method_count;
    const int64_t rest = point / (sizes * methods);
    return (struct pair_visit){
        .arrangement = rest / crowd->window_count,
        .window = crowd->windows[rest % crowd->window_count],
        .method = &options->methods[point / sizes % methods],
        .size = &options->sizes[point % sizes],
    };
}

/* Whether the second rank of a pair leads. One way this is drawn for each pair, so that no rank always
   receives while the same others send, and is the other way round in every second pass. */
static int second_leads(const struct crowd *crowd, struct pair pair)
{
    const struct options *options = crowd->launch->options;
    if (!options->one_way)
        return 0;
    uint64_t state = random_state((uint64_t)pair.first * (uint64_t)crowd->ranks + (uint64_t)pair.second);
    next_random(&state);
    const int drawn = (int)(next_random(&state) >> 63);
    return (drawn + options->pass + crowd->is_reversed) % 2;
}

static void set_context(struct crowd *crowd, struct pair_visit *visit)
{
    struct launch *launch = crowd->launch;
    struct context *context = &launch->context;
    pairing_enter(&crowd->pairing, visit->arrangement);
    const int partner =
        pairing_partner(&crowd->pairing, visit->arrangement, crowd->rank, &context->leads);
    const struct pair pair = context->leads ? (struct pair){crowd->rank, partner}
                                            : (struct pair){partner, crowd->rank};
    visit->partner = context->peer = partner;
    context->leads = context->leads != second_leads(crowd, pair);
    if (visit->partner >= 0)
        visit_prepare(launch, visit->method->operation, visit->method, visit->size->bytes,
                      visit->window);
}

/* Both ranks of a pair go by what the leading one saw. */
static void share_with_partner(const struct context *context, double *value)
{
    if (context->leads)
        check(MPI_Send(value, 1, MPI_DOUBLE, context->peer, TAG_AGREE, context->comm), "MPI_Send");
    else
        check(MPI_Recv(value, 1, MPI_DOUBLE, context->peer, TAG_AGREE, context->comm,
                       MPI_STATUS_IGNORE),
              "MPI_Recv");
}

/* Untimed repetitions, twice as many each time, until they show how long one takes: they fill a least
   batch. */
static double warm_up(struct crowd *crowd, const struct pair_visit *visit)
{
    struct launch *launch = crowd->launch;
    const double enough_ns = batch_least_ns(&launch->clock);
    const int doubles = !IS_ABRIDGED && visit->size->repetitions == 0;
    double spent_ns = 0.0;
    int64_t count = visit->size->warmup > 0 ? visit->size->warmup : 1;
    visit_warm(launch, visit->method->operation, 1); /* waits for the other rank to be here */
    for (;; count *= 2) {
        const int64_t start = clock_ns();
        visit_warm(launch, visit->method->operation, count);
        spent_ns = (double)(clock_ns() - start);
        share_with_partner(&launch->context, &spent_ns);
        if (!doubles || spent_ns >= enough_ns)
            break;
    }
    return fmax(spent_ns / (double)count, 1.0);
}

/* As many as were asked for, and 0 where the visit's length decides. Untimed rounds make only one: the
   warm-up before it is as long as was asked for, too, and a round may take the whole budget. */
static int64_t asked_repetitions(const struct crowd *crowd, const struct pair_visit *visit)
{
    const int64_t asked = visit->size->repetitions;
    return crowd->round < 0 && asked > 0 ? 1 : asked;
}

/* Nanoseconds that all pairs shall communicate for: the slowest one's single repetition, if that is
   long, so that no pair is done while another still communicates. */
static double length_of(const struct crowd *crowd, const struct pair_visit *visit, double slowest_ns,
                        double worth_ns)
{
    const int64_t asked = asked_repetitions(crowd, visit);
    if (asked > 0)
        return slowest_ns * (double)asked;
    return LEAD_IN_OF_PAIRS_NS + fmax(worth_ns, slowest_ns);
}

/* As many repetitions as fill the visit, in a few batches. */
static void plan(struct crowd *crowd, const struct pair_visit *visit, double repetition_ns,
                 double visit_ns)
{
    const struct launch *launch = crowd->launch;
    struct report *mine = crowd->reports.mine;
    const int single = times_each(launch->options);
    const double least_ns = IS_ABRIDGED ? 0.0 : batch_least_ns(&launch->clock);
    const int64_t asked = asked_repetitions(crowd, visit);
    if (asked > 0) {
        mine->repetitions = single ? 1 : asked;
        mine->count = single ? asked : 1;
        return;
    }
    const double batches = fmin(fmax(floor(visit_ns / fmax(repetition_ns, least_ns)), 1.0),
                                single ? MOST_SINGLES : MOST_BATCHES);
    mine->count = (int64_t)batches;
    mine->repetitions = single ? 1 : (int64_t)fmax(round(visit_ns / repetition_ns / batches), 1.0);
}

/* Untimed repetitions and the timed ones, from the moment on. */
static void make_repetitions(struct crowd *crowd, const struct pair_visit *visit, double repetition_ns,
                             double visit_ns, double moment)
{
    struct launch *launch = crowd->launch;
    struct report *mine = crowd->reports.mine;
    const struct operation *operation = visit->method->operation;
    const int64_t lead_in =
        visit->size->repetitions == 0 ? (int64_t)(LEAD_IN_OF_PAIRS_NS / repetition_ns) : 0;
    plan(crowd, visit, repetition_ns, visit_ns - (double)lead_in * repetition_ns);
    mine->notified_ns = crowd->start.notified_ns;
    mine->began = start_wait(&crowd->start, moment);
    if (lead_in > 0)
        visit_warm(launch, operation, lead_in);
    visit_time(launch, operation, mine->repetitions, (int)mine->count, mine->ns);
}

static void record_pair(struct crowd *crowd, const struct sample_key *shared, int rank, int partner)
{
    const int peers[] = {rank, partner};
    struct sample_key key = *shared;
    const int single = times_each(crowd->launch->options);
    const struct report *own = report_of(&crowd->reports, rank);
    const struct report *other = report_of(&crowd->reports, partner);
    for (int64_t i = 0; i < own->count; i++)
        crowd->samples[i] = single ? own->ns[i] : fmax(own->ns[i], other->ns[i]);
    key.peers = peers;
    key.repetitions = own->repetitions;
    record_samples(&key, crowd->samples, (int)own->count);
    crowd->total += (long)own->count;
}

/* In a pass: the median of each pair; one way, of each direction, in the order of their measurement. */
static void keep_pairs(struct crowd *crowd, const struct pair_visit *visit)
{
    const int pairs = pairing_count(&crowd->pairing, visit->arrangement);
    const int size = (int)(visit->size - crowd->launch->options->sizes);
    for (int i = 0; i < pairs; i++) {
        const struct pair pair = pairing_pair(&crowd->pairing, visit->arrangement, i);
        const struct report *one = report_of(&crowd->reports, pair.first);
        const struct report *other = report_of(&crowd->reports, pair.second);
        for (int64_t j = 0; j < one->count; j++)
            crowd->samples[j] = fmax(one->ns[j], other->ns[j]);
        matrix_add(crowd->matrix, size, crowd_ways(crowd) * i + crowd->is_reversed,
                   second_leads(crowd, pair) ? (struct pair){pair.second, pair.first} : pair,
                   median_of(crowd->samples, (int)one->count));
    }
    crowd->total += pairs;
}

/* One line a pair, or a line a rank where each exchange was timed by itself. */
static void record_pairs(struct crowd *crowd, const struct pair_visit *visit, double at_s)
{
    const struct options *options = crowd->launch->options;
    const int pairs = pairing_count(&crowd->pairing, visit->arrangement);
    const struct sample_key key = {
        .round = crowd->round,
        .operation = visit->method->operation,
        .method = visit->method,
        .algorithm = visit->method->operation->algorithm,
        .window = options->operation->counts_window ? visit->window : 0,
        .pairs = pairs,
        .bytes = visit->size->bytes,
        .ranks = 2 * pairs,
        .peer_count = 2,
        .at_s = at_s,
    };
    for (int i = 0; i < pairs; i++) {
        const struct pair pair = pairing_pair(&crowd->pairing, visit->arrangement, i);
        record_pair(crowd, &key, pair.first, pair.second);
        if (times_each(options) && !is_timed_by_leader(visit->method->operation))
            record_pair(crowd, &key, pair.second, pair.first);
    }
}

/* On the first rank: how far apart the pairs began, and how early the next start must be named. */
static void record_beginning(struct crowd *crowd, const struct pair_visit *visit, double moment)
{
    const int pairs = pairing_count(&crowd->pairing, visit->arrangement);
    double first = HUGE_VAL, last = -HUGE_VAL, notified_ns = 0.0;
    for (int i = 0; i < pairs; i++) {
        const struct pair pair = pairing_pair(&crowd->pairing, visit->arrangement, i);
        const struct report *reports[] = {report_of(&crowd->reports, pair.first),
                                          report_of(&crowd->reports, pair.second)};
        for (int j = 0; j < 2; j++) {
            first = fmin(first, reports[j]->began);
            last = fmax(last, reports[j]->began);
            notified_ns = fmax(notified_ns, reports[j]->notified_ns);
        }
    }
    start_adapt(&crowd->start, notified_ns, last - moment);
    if (crowd->round < 0 || (crowd->matrix != NULL && pairs == 1))
        return;
    record_start(&(struct start_facts){
        .round = crowd->round,
        .operation = visit->method->operation->name,
        .bytes = visit->size->bytes,
        .ranks = 2 * pairs,
        .begin = "clock",
        .skew_s = (last - first) * 1e-9,
        .clock = &crowd->start.clock,
    });
}

int crowd_ways(const struct crowd *crowd) { return crowd->launch->options->one_way ? 2 : 1; }

int crowd_most_times(const struct crowd *crowd) { return crowd->ranks / 2 * crowd_ways(crowd); }

double crowd_elapsed_s(const struct crowd *crowd)
{
    return launch_now_s() - crowd->launch->started_s;
}

/* What this rank thinks; the first one knows the time. The first round is made whole. A pass need not
   be, as it can be continued, but its first arrangement must: launches that end before it would all
   begin again with the same one, and measure nothing. */
static enum ending ending_of(const struct crowd *crowd)
{
    if (watch_interrupted())
        return INTERRUPTED;
    const int64_t made = crowd->matrix != NULL ? crowd->whole : crowd->round;
    return crowd->rank == 0 && made > 0 &&
                   crowd_elapsed_s(crowd) > crowd->launch->options->seconds
               ? BUDGET_SPENT
               : GOES_ON;
}

enum ending crowd_visit(struct crowd *crowd, int64_t point)
{
    struct pair_visit visit = pair_visit_of(crowd, point);
    set_context(crowd, &visit);
    const int speaks = visit.partner >= 0;
    const double own_ns = speaks ? warm_up(crowd, &visit) : 0.0;
    double largest[] = {own_ns, (double)ending_of(crowd),
                        crowd->rank == 0 ? start_visit_ns(&crowd->start) : 0.0};
    tree_reduce(largest, (struct tree_layout){.largest = 3}, crowd->comm);
    tree_bcast(largest, sizeof largest, crowd->comm);
    if (largest[1] > (double)GOES_ON) {
        if (speaks)
            visit_release(crowd->launch, visit.method->operation);
        return (enum ending)largest[1];
    }
    const double at_s = crowd_elapsed_s(crowd);
    const double visit_ns = length_of(crowd, &visit, largest[0], largest[2]);
    const double moment = start_agree(&crowd->start), end = moment + WHOLE_VISIT * visit_ns;
    if (speaks) {
        make_repetitions(crowd, &visit, own_ns, visit_ns, moment);
        visit_release(crowd->launch, visit.method->operation);
        start_wait(&crowd->start, end);
    } else {
        start_sleep(&crowd->start, end);
    }
    reports_gather(&crowd->reports, &crowd->pairing, visit.arrangement, speaks);
    if (crowd->rank == 0) {
        record_beginning(crowd, &visit, moment);
        if (crowd->round >= 0 && crowd->matrix != NULL)
            keep_pairs(crowd, &visit);
        else if (crowd->round >= 0)
            record_pairs(crowd, &visit, at_s);
    }
    return GOES_ON;
}

void crowd_show_progress(struct crowd *crowd)
{
    const struct options *options = crowd->launch->options;
    const double now_s = crowd_elapsed_s(crowd);
    if (now_s - crowd->progress_s < CROWD_PROGRESS_S)
        return;
    crowd->progress_s = now_s;
    record_progress(&(struct progress_facts){
        .round = crowd->round,
        .bytes = options->sizes[0].bytes,
        .worst = -1.0,
        .points = crowd->points,
        .samples = crowd->total,
        .left_s = options->seconds - now_s,
    });
    records_flush();
}

/* How many samples a rank has of one visit. */
static int most_samples(const struct options *options)
{
    const int single = times_each(options);
    int64_t most = single ? MOST_SINGLES : MOST_BATCHES;
    for (int i = 0; i < options->size_count && single; i++)
        most = options->sizes[i].repetitions > most ? options->sizes[i].repetitions : most;
    if (most > MOST_COUNTED_SINGLES)
        fail(EXIT_ASKED_WRONGLY, "--every-iteration: more than %d repetitions a visit",
             MOST_COUNTED_SINGLES);
    return (int)most;
}

static void open_pass(struct crowd *crowd)
{
    const struct options *options = crowd->launch->options;
    if (options->switches != NULL)
        pairing_of_groups(&crowd->pairing, grouping_open(options->switches, crowd->comm));
    else
        pairing_of_pass(&crowd->pairing, crowd->ranks, options->parallel);
    if (crowd->rank == 0)
        crowd->matrix = matrix_open(options, crowd_most_times(crowd));
}

void crowd_open(struct crowd *crowd, struct launch *launch)
{
    static const int no_window = 1;
    const struct options *options = launch->options;
    *crowd = (struct crowd){.launch = launch, .comm = launch->context.comm};
    crowd->rank = launch->context.rank;
    crowd->ranks = launch->context.ranks;
    if (options->experiment == FABRIC)
        open_pass(crowd);
    else if (options->experiment == CORES)
        pairing_of_all(&crowd->pairing, crowd->ranks, options->parallel);
    else
        pairing_of_list(&crowd->pairing, options->pairing, crowd->ranks, options->seed,
                        options->pairs.active, options->pairs.active_count);
    if (options->operation->one_sided)
        exposures_of_pairs(launch, &crowd->pairing);
    const int windows = options->operation->counts_window;
    crowd->windows = windows ? options->windows : &no_window;
    crowd->window_count = windows ? options->window_count : 1;
    crowd->points = crowd->pairing.arrangements * crowd->window_count * options->method_count *
                    options->size_count;
    reports_open(&crowd->reports, crowd->comm, most_samples(options));
    crowd->samples = allocate((size_t)crowd->reports.room * sizeof(double));
    crowd->random = random_state(options->seed);
    start_open(&crowd->start, crowd->comm, options->sync == SYNC_MESSAGES);
}

void crowd_close(struct crowd *crowd)
{
    start_close(&crowd->start);
    reports_close(&crowd->reports);
    pairing_free(&crowd->pairing);
    matrix_close(crowd->matrix);
    free(crowd->samples);
}
