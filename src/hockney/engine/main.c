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

#include "algorithms.h"
#include "check.h"
#include "fit.h"
#include "launch.h"
#include "options.h"
#include "pin.h"
#include "place.h"
#include "records.h"

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

static void measure(int argc, char **argv)
{
    struct options options;
    options_read(&options, argc, argv);
    records_open(options.launch, options.table);
    die_with_launcher();
    struct pin pin = pin_hint(options.policy, options.cpus);

    check(MPI_Init(&argc, &argv), "MPI_Init");
    records_buffer();
    const MPI_Comm world = MPI_COMM_WORLD;
    check(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    int rank, ranks;
    check(MPI_Comm_rank(world, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(world, &ranks), "MPI_Comm_size");
    check_world(&options, ranks);
    if (options.read_back != NULL)
        algorithms_read_back(options.read_back);
    const int *peers = options.peers; /* the first two where all take part */
    pin_node(&pin, options.policy, options.cpus, world);
    const struct place place = place_observe(&pin);
    pin_free(&pin);
    char *places = place_gather(&place, rank, ranks, peers[0], world);

    MPI_Comm comm;
    const int takes_part =
        !is_of_two(&options) || rank == peers[0] || rank == peers[1];
    if (!is_of_two(&options)) /* no communicator of our own: its members are known to every rank */
        comm = world;
    else
        check(MPI_Comm_split(world, takes_part ? 0 : MPI_UNDEFINED,
                             rank == peers[0] ? -1 : rank, &comm),
              "MPI_Comm_split");
    if (takes_part) {
        launch_run(&options, &place, places, comm);
        if (comm != world)
            check(MPI_Comm_free(&comm), "MPI_Comm_free");
    }
    if (is_of_two(&options) && ranks > 2)
        farewell(world, peers[0], !takes_part);
    free(places);
    free(options.sizes);
    free(options.trains);
    records_flush();
    check(MPI_Finalize(), "MPI_Finalize");
}

int main(int argc, char **argv)
{
    int status = EXIT_SUCCESS;
    if (argc > 1 && strcmp(argv[1], "fit") == 0)
        status = fit_main(argc, argv);
    else if (argc > 1 && strcmp(argv[1], "algorithms") == 0)
        status = algorithms_main();
    else
        measure(argc, argv);
    records_flush();
    return status;
}
