/* The measuring program: options in, an experiment, records out. It runs under any launcher,
   with nothing but MPI and libc on the node. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "accept.h"
#include "algorithms.h"
#include "check.h"
#include "beyond.h"
#include "devices.h"
#include "experiment.h"
#include "fit.h"
#include "library.h"
#include "options.h"
#include "pin.h"
#include "place.h"
#include "records.h"
#include "run.h"
#include "startup.h"
#include "state.h"

/* Idle ranks sleep, and check this often whether the launch is over. */
static const struct timespec NAP = {.tv_nsec = 5000000};

/* A rank must not outlive its launcher: it would spin on a core for ever. */
static void die_with_launcher(void)
{
#if defined(__linux__) && !defined(SMPI_H)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static void check_world(const struct options *options, int ranks)
{
    const int of_two = is_of_two(options);
    if (options->ranks > 0 && ranks != options->ranks)
        fail(EXIT_WENT_WRONG, "the launcher started a world of %d rank%s where %d were asked for%s",
             ranks, ranks == 1 ? "" : "s", options->ranks,
             ranks == 1 ? "; launcher and MPI library probably do not belong together" : "");
    if (options->experiment == HALO && ranks != grid_ranks(&options->halo.grid))
        fail(EXIT_ASKED_WRONGLY, "--grid has %d ranks, this world has %d", grid_ranks(&options->halo.grid),
             ranks);
    if (options->experiment == OVERLAP && ranks != 2)
        fail(EXIT_ASKED_WRONGLY, "overlap is between 2 ranks, this world has %d", ranks);
    if (ranks % options->groups != 0 || (options->groups > 1 && ranks / options->groups < 2))
        fail(EXIT_ASKED_WRONGLY, "%d ranks are not %d groups of the same number, two or more", ranks,
             options->groups);
    if (ranks < 2)
        fail(EXIT_ASKED_WRONGLY, "%s needs at least 2 ranks, this world has %d",
             of_two ? "a ping-pong" : "this", ranks);
    for (int i = 0; i < 2 && of_two; i++)
        if (options->peers[i] >= ranks)
            fail(EXIT_ASKED_WRONGLY, "--peers %d,%d: there is no rank %d in a world of %d",
                 options->peers[0], options->peers[1], options->peers[i], ranks);
}

/* The first rank wakes the ranks without a part, along a tree: it ends their sleep by a broadcast in
   which all ranks of the world join. The byte is never read, but a broadcast of none could return
   without waiting. */
static void farewell(MPI_Comm world, int first, int is_asleep)
{
    char over = 1;
    MPI_Request request;
    check(MPI_Ibcast(&over, 1, MPI_CHAR, first, world, &request), "MPI_Ibcast");
    for (int done = !is_asleep; !done;) {
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (!done)
            nanosleep(&NAP, NULL);
    }
    check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

static void print_about(const struct options *options)
{
    for (const char *const *part = options_usage; options->help && *part != NULL; part++)
        fputs(*part, stdout);
    if (options->version)
        printf("hockney-engine %s for %s\n", HOCKNEY_VERSION,
               library_name() != NULL ? library_name() : "an unknown MPI");
}

/* What must be known or done before MPI_Init. */
static struct pin prepare(const struct options *options)
{
    const int threads = methods_most_threads(options);
    devices_open(options);
    const struct pin pin =
        pin_hint(options->policy, options->cpus, threads > 0 ? threads : 1, devices_near(options));
    devices_enter_likely(options, pin_local_rank());
    return pin;
}

/* Threads of a rank need a library that lets them call it at once; others are spared its locks. */
static void start_mpi(int *argc, char ***argv, int threads)
{
    if (threads == 0) {
        check(MPI_Init(argc, argv), "MPI_Init");
        return;
    }
    int granted;
    check(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &granted), "MPI_Init_thread");
    if (granted < MPI_THREAD_MULTIPLE)
        fail(EXIT_ASKED_WRONGLY, "--threads needs MPI_THREAD_MULTIPLE, and %s grants %s",
             library_description(), library_thread_level());
}

static struct place take_place(const struct options *options, struct pin *pin, int rank, MPI_Comm world)
{
    const int crowded = pin_node(pin, options->policy, options->cpus, world);
    if (crowded && !options->oversubscribe)
        fail(EXIT_ASKED_WRONGLY, "ranks or threads of a node would share CPUs: start fewer, or add "
                                 "--oversubscribe");
    struct place place = place_observe(pin);
    place.crowded = crowded;
    devices_choose(options, rank, place.pu.pu, world);
    return place;
}

/* The others sleep meanwhile. */
static void run_two(const struct options *options, const struct place *place, const char *places, int rank,
                    int ranks, MPI_Comm world)
{
    const int *peers = options->peers;
    const int takes_part = rank == peers[0] || rank == peers[1];
    MPI_Comm comm;
    check(MPI_Comm_split(world, takes_part ? 0 : MPI_UNDEFINED, rank == peers[0] ? -1 : rank, &comm),
          "MPI_Comm_split");
    if (takes_part) {
        run_launch(options, place, places, comm);
        check(MPI_Comm_free(&comm), "MPI_Comm_free");
    } else {
        state_enter("sleeping");
    }
    if (ranks > 2)
        farewell(world, peers[0], !takes_part);
}

/* From MPI_Init to MPI_Finalize. */
static void run(const struct options *options, struct startup *startup, struct pin *pin)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    int rank, ranks;
    return_errors(world);
    ranks_of(world, &rank, &ranks);
    state_rank(rank, ranks);
    state_enter("setting up");
    check_world(options, ranks);
    if (options->experiment == STARTUP)
        startup_messages(options, startup, world);
    if (options->read_back != NULL)
        algorithms_read_back(options->read_back);
    const struct place place = take_place(options, pin, rank, world);
    /* The first two ranks are the peers where all take part. */
    char *places = place_gather(options, &place, rank, ranks, options->peers[0], world);
    if (options->experiment == STARTUP)
        startup_run(options, startup, places, world);
    else if (is_of_two(options))
        run_two(options, &place, places, rank, ranks, world);
    else /* no communicator of our own: the world's members are known to every rank */
        run_launch(options, &place, places, world);
    free(places);
}

static void measure(int argc, char **argv)
{
    struct options options;
    struct startup startup = {.entered = clock_ns()};
    options_read(&options, argc, argv);
    if (options.help || options.version) {
        print_about(&options);
        return;
    }
    experiment_read(&options);
    accept_or_refuse(&options);
    records_open(options.launch, options.table);
    die_with_launcher();
    state_open();
    struct pin pin = prepare(&options);

    state_enter("MPI_Init");
    startup.before = clock_ns();
    start_mpi(&argc, &argv, methods_most_threads(&options));
    startup.after = clock_ns();
    records_buffer();
    run(&options, &startup, &pin);
    pin_free(&pin);
    methods_free(&options);
    options_free(&options);
    records_flush();
    state_enter("MPI_Finalize");
    const int64_t before = clock_ns();
    check(MPI_Finalize(), "MPI_Finalize");
    if (options.experiment == STARTUP)
        startup_finalized(&startup, clock_ns() - before);
}

int main(int argc, char **argv)
{
    int status = EXIT_SUCCESS;
    fail_also(record_failure);
    if (argc > 1 && strcmp(argv[1], "fit") == 0)
        status = fit_main(argc, argv);
    else if (argc > 1 && strcmp(argv[1], "algorithms") == 0)
        status = algorithms_main(argc > 2 && strcmp(argv[2], "all") == 0);
    else if (argc > 1 && strcmp(argv[1], "features") == 0)
        status = features_main();
    else
        measure(argc, argv);
    records_flush();
    return status;
}
