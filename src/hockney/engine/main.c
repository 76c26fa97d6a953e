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
#include "node.h"
#include "options.h"
#include "place.h"
#include "records.h"

enum { TAG_FAREWELL = 1 };
/* Ranks without a part look this often whether it is over; in between they sleep. */
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

/* Ranks without a part: asleep until the first rank says farewell. */
static void sit_out(MPI_Comm world, int first)
{
    MPI_Request request;
    int done = 0;
    check(MPI_Irecv(NULL, 0, MPI_BYTE, first, TAG_FAREWELL, world, &request), "MPI_Irecv");
    while (check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test"), !done)
        nanosleep(&NAP, NULL);
}

static void say_farewell(MPI_Comm world, const int *peers, int ranks)
{
    for (int rank = 0; rank < ranks; rank++)
        if (rank != peers[0] && rank != peers[1])
            check(MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_FAREWELL, world), "MPI_Send");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "fit") == 0)
        return fit_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "algorithms") == 0)
        return algorithms_main();

    struct options options;
    options_read(&options, argc, argv);
    records_open(options.launch, options.table);
    die_with_launcher();
    struct place place = {0};
    const int early = place_local_rank();
    if (early >= 0)
        place_pin(&place, options.policy, options.cpus, early);

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
    if (early < 0)
        place_pin(&place, options.policy, options.cpus, node_of(world).rank);
    if (place.wrong[0] != '\0')
        fail(EXIT_ASKED_WRONGLY, "%s", place.wrong);
    place_observe(&place);

    const int *peers = options.peers; /* the first two where all take part */
    struct place *places =
        rank == peers[0] ? allocate((size_t)ranks * sizeof *places) : NULL;
    check(MPI_Gather(&place, (int)sizeof place, MPI_BYTE, places, (int)sizeof place, MPI_BYTE,
                     peers[0], world),
          "MPI_Gather");

    MPI_Comm comm;
    const int takes_part =
        !is_of_two(&options) || rank == peers[0] || rank == peers[1];
    check(MPI_Comm_split(world, takes_part ? 0 : MPI_UNDEFINED, rank == peers[0] ? -1 : rank, &comm),
          "MPI_Comm_split");
    if (takes_part) {
        launch_run(&options, &place, places, ranks, comm);
        check(MPI_Comm_free(&comm), "MPI_Comm_free");
    } else {
        sit_out(world, peers[0]);
    }
    if (rank == peers[0] && is_of_two(&options))
        say_farewell(world, peers, ranks);
    free(places);
    free(options.sizes);
    free(options.trains);
    records_flush();
    check(MPI_Finalize(), "MPI_Finalize");
    return EXIT_SUCCESS;
}
