/* What the first rank does for every rank of a launch, timed without MPI between them: one process, as
   many made-up ranks as asked. Prints nanoseconds a rank on stderr; records go to stdout. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "operations.h"
#include "pairing.h"
#include "place.h"
#include "probe.h"
#include "records.h"
#include "tree.h"

static int64_t began;

static void begin(void)
{
    fflush(stdout);
    began = clock_ns();
}

static void end(const char *what, int ranks)
{
    fflush(stdout);
    fprintf(stderr, "%-58s %8.1f ns a rank\n", what, (double)(clock_ns() - began) / ranks);
}

static void time_noise(int ranks)
{
    const struct noise noise = {1.234567, 1.2, 0.0123, 0.01, 17, 1, 3.1e-6, 3.0e-6, 3.3e-6, 0};
    begin();
    for (int rank = 0; rank < ranks; rank++)
        record_noise(rank, &noise);
    end("disturbances of each rank, once a launch", ranks);
}

static void time_pairs(int ranks)
{
    struct pairing pairing;
    const int all = ranks / 2;
    int leads = 0;
    long sum = 0;
    double samples[4] = {1234.5, 1235.6, 1233.4, 1236.7};
    begin();
    pairing_of_list(&pairing, "halves", ranks, 1, &all, 1);
    end("making the pairs, on every rank, once a launch", ranks);
    begin();
    for (int rank = 0; rank < ranks; rank++)
        sum += pairing_partner(&pairing, 0, rank, &leads);
    end("finding its partner, each rank for itself, once a visit", ranks);
    begin();
    for (int i = 0; i < all; i++) {
        const struct pair pair = pairing_pair(&pairing, 0, i);
        const int peers[2] = {pair.first, pair.second};
        record_samples(&(struct sample_key){.operation = operation_named("stream", NULL),
                                            .window = 64,
                                            .pairs = all,
                                            .bytes = 8,
                                            .peers = peers,
                                            .peer_count = 2,
                                            .ranks = ranks,
                                            .repetitions = 100,
                                            .at_s = 1.5},
                       samples, 4);
    }
    end("records of a visit of all pairs", ranks);
    if (sum < 0)
        abort();
    pairing_free(&pairing);
}

int main(int argc, char **argv)
{
    const int ranks = argc > 1 ? atoi(argv[1]) : 100000;
    MPI_Init(&argc, &argv);
    records_open(0, 0);
    records_buffer();
    time_noise(ranks);
    time_pairs(ranks);
    MPI_Finalize();
    return 0;
}
