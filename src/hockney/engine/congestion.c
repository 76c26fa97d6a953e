#include "congestion.h"

#include <stdlib.h>
#include <string.h>

#include "aggressors.h"
#include "check.h"
#include "order.h"
#include "tree.h"
#include "visit.h"

/* Ranks without a part in a visit look this often whether it is over. */
static const int64_t NAP_NS = 200000;

enum role { VICTIM, AGGRESSOR, IDLE };

struct congestion {
    struct cast cast;
    enum role role;
    MPI_Comm world, comm; /* all ranks; those of the same role, MPI_COMM_NULL without one */
    struct aggressors *aggressors; /* NULL unless this rank is one */
    uint64_t random;      /* on the first victim */
    double *rate_Bps;     /* of each visit of a round */
};

static int first_victim(const struct congestion *congestion) { return congestion->cast.ranks[0]; }

static int first_aggressor(const struct congestion *congestion)
{
    return congestion->cast.ranks[congestion->cast.victims];
}

static int place_of(const struct cast *cast, int rank)
{
    const int count = cast->victims + cast->aggressors;
    int place = 0;
    while (place < count && cast->ranks[place] != rank)
        place++;
    return place;
}

static void check_victims(const struct launch *launch, const struct cast *cast)
{
    const struct operation *operation = launch->options->operation;
    if (!operation->between_all && cast->victims != 2)
        fail(EXIT_ASKED_WRONGLY, "%s has two victims, not %d", operation->name, cast->victims);
}

/* A victim's operation takes place among victims only. */
static void enter_victims(struct launch *launch, struct congestion *congestion, int place)
{
    launch->group = (struct group){congestion->comm, place, congestion->cast.victims};
    launch->context.leads = place == 0;
    launch->context.peer = 1 - place;
}

struct congestion *congestion_open(struct launch *launch, MPI_Comm comm)
{
    struct congestion *congestion = allocate(sizeof *congestion);
    const struct options *options = launch->options;
    *congestion = (struct congestion){.world = comm, .random = random_state(options->seed)};
    congestion->cast = cast_of(&options->congestion, launch->context.ranks, options->seed);
    const struct cast *cast = &congestion->cast;
    check_victims(launch, cast);
    const int place = place_of(cast, launch->context.rank);
    const int playing = place < cast->victims + cast->aggressors;
    congestion->role = !playing ? IDLE : place < cast->victims ? VICTIM : AGGRESSOR;
    check(MPI_Comm_split(comm, playing ? (int)congestion->role : MPI_UNDEFINED, place, &congestion->comm),
          "MPI_Comm_split");
    if (playing)
        return_errors(congestion->comm);
    if (congestion->role == VICTIM)
        enter_victims(launch, congestion, place);
    if (congestion->role == AGGRESSOR)
        congestion->aggressors = aggressors_open(launch, congestion->comm, comm, first_victim(congestion));
    const size_t bytes = (size_t)(options->size_count * (options->congestion.load_count + 1)) * sizeof(double);
    congestion->rate_Bps = allocate(bytes);
    return congestion;
}

double congestion_needed(const struct congestion *congestion)
{
    return congestion->aggressors != NULL ? aggressors_needed(congestion->aggressors) : 0.0;
}

void congestion_allocate(struct congestion *congestion, enum memory memory)
{
    if (congestion->aggressors != NULL)
        aggressors_allocate(congestion->aggressors, memory);
}

void congestion_close(struct congestion *congestion)
{
    if (congestion->aggressors != NULL)
        aggressors_close(congestion->aggressors);
    if (congestion->role != IDLE)
        check(MPI_Comm_free(&congestion->comm), "MPI_Comm_free");
    free(congestion->cast.ranks);
    free(congestion->rate_Bps);
    free(congestion);
}

const struct cast *congestion_cast(const struct congestion *congestion) { return &congestion->cast; }

/* Somewhere in a period of bursts, which visits would else all begin at the same place of. */
static void wait_for_phase(struct congestion *congestion, const struct load *load)
{
    const double fraction = (double)(next_random(&congestion->random) >> 11) * 0x1p-53;
    if (load_period_ns(load) > 0.0)
        clock_sleep((int64_t)(fraction * load_period_ns(load)));
}

/* Victims begin when all of them are here, and every aggressor sends. */
static void begin(struct congestion *congestion, const struct load *load, int leads)
{
    char begun = 1;
    tree_reduce(NULL, (struct tree_layout){0}, congestion->comm);
    if (leads && load != NULL) {
        aggressors_await(congestion->world, first_aggressor(congestion));
        wait_for_phase(congestion, load);
        aggressors_begin(congestion->world, first_aggressor(congestion));
    }
    tree_bcast(&begun, 1, congestion->comm);
}

static void be_victim(struct launch *launch, const struct point *point, const struct visit *visit, int number,
                      int at)
{
    struct congestion *congestion = launch->congestion;
    const int leads = launch->context.leads;
    launch_enter(launch, &launch->group);
    visit_prepare(launch, point->operation, point->method, point->size.bytes, point->window);
    begin(congestion, point->load, leads);
    visit_warm(launch, point->operation, visit->untimed);
    visit_time(launch, point->operation, visit->repetitions, visit->batches, launch->own_ns + at);
    tree_reduce(NULL, (struct tree_layout){0}, congestion->comm); /* the last victim is done */
    if (leads && point->load != NULL)
        congestion->rate_Bps[number] = aggressors_stop(congestion->world, first_aggressor(congestion));
    visit_release(launch, point->operation);
    launch_enter(launch, &launch->everyone);
}

/* Returns when the first victim has finished the visit. Nobody else looks for it all the time. */
static void await_end(const struct congestion *congestion)
{
    char over = 1;
    MPI_Request request;
    int done = congestion->role == VICTIM || IS_SIMULATED;
    check(MPI_Ibcast(&over, 1, MPI_CHAR, first_victim(congestion), congestion->world, &request), "MPI_Ibcast");
    while (!done) {
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (!done)
            clock_sleep(NAP_NS);
    }
    check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

void congestion_visit(struct launch *launch, struct visit *visit, int number, int at)
{
    struct congestion *congestion = launch->congestion;
    const struct point *point = &launch->points[visit->point];
    visit->at_s = launch_now_s() - launch->started_s;
    congestion->rate_Bps[number] = 0.0;
    memset(launch->own_ns + at, 0, (size_t)visit->batches * sizeof(double));
    if (congestion->role == VICTIM)
        be_victim(launch, point, visit, number, at);
    else if (congestion->role == AGGRESSOR && point->load != NULL)
        aggressors_run(congestion->aggressors, point->load);
    await_end(congestion);
}

void congestion_reduce(struct launch *launch, int visits)
{
    tree_reduce(launch->congestion->rate_Bps, (struct tree_layout){.largest = visits}, launch->everyone.comm);
}

double congestion_rate_Bps(const struct launch *launch, int number)
{
    return launch->congestion->rate_Bps[number];
}
