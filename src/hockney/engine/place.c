#include "place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "affinity.h"
#include "check.h"
#include "clock.h"
#include "json.h"

static int is_pinned(void)
{
    struct mask now;
    const int pinned = affinity_read(&now) == NULL && mask_count(&now) == 1;
    free(now.bits);
    return pinned;
}

struct place place_observe(struct pin *pin)
{
    struct place place = {.topology = getenv("SLURM_TOPOLOGY_ADDR"), .allowed = -1};
    if (pin->allowed.words > 0)
        place.allowed = mask_count(&pin->allowed);
    memcpy(place.refused, pin->refused, sizeof place.refused);
    if (IS_SIMULATED) { /* on a host of the platform, and on no PU of this machine */
        char name[MPI_MAX_PROCESSOR_NAME];
        int length;
        check(MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
        snprintf(place.host, sizeof place.host, "%.*s", length, name);
        place.topology = NULL;
        place.pu = topology_pu(&pin->topology, -1);
        return place;
    }
    if (gethostname(place.host, sizeof place.host) != 0)
        snprintf(place.host, sizeof place.host, "unknown");
    place.host[sizeof place.host - 1] = '\0';
    place.pinned = is_pinned();
    place.pu = topology_pu(&pin->topology, affinity_current_pu());
    place.last_cache_bytes = topology_last_cache_bytes(&place.pu);
    return place;
}

/* One place as a JSON object and a comma behind it; the caller frees it. */
static char *place_text(const struct place *place, int rank, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (out == NULL)
        fail(EXIT_WENT_WRONG, "no memory for the record of a place");
    fprintf(out, "{\"rank\":%d,\"host\":", rank);
    json_string(out, place->host);
    json_id(out, "package", place->pu.package);
    json_id(out, "numa", place->pu.numa);
    json_id(out, "l3", place->pu.l3);
    json_id(out, "l2", place->pu.l2);
    json_id(out, "core", place->pu.core);
    json_id(out, "pu", place->pu.pu);
    fprintf(out, ",\"pinned\":%s", place->pinned ? "true" : "false");
    json_id(out, "allowed", place->allowed);
    fputs(",\"refused\":", out);
    json_string(out, place->refused[0] != '\0' ? place->refused : NULL);
    fputs(",\"topology\":", out);
    json_string(out, place->topology);
    fputs("},", out);
    if (fclose(out) != 0)
        fail(EXIT_WENT_WRONG, "no memory for the record of a place");
    return text;
}

/* Where each rank's text begins; returns the length of all. */
static int place_offsets(const int *lengths, int ranks, int *offsets)
{
    long long total = 0;
    for (int rank = 0; rank < ranks; rank++) {
        offsets[rank] = (int)total;
        total += lengths[rank];
        if (total > INT_MAX)
            fail(EXIT_WENT_WRONG, "the places of %d ranks take more than 2 GiB", ranks);
    }
    return (int)total;
}

char *place_gather(const struct place *place, int rank, int ranks, int root, MPI_Comm world)
{
    size_t bytes;
    char *text = place_text(place, rank, &bytes), *all = NULL;
    const int length = (int)bytes;
    int *lengths = NULL, *offsets = NULL;
    if (rank == root) {
        lengths = allocate((size_t)ranks * sizeof *lengths);
        offsets = allocate((size_t)ranks * sizeof *offsets);
    }
    check(MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, root, world), "MPI_Gather");
    int total = 0;
    if (rank == root) {
        total = place_offsets(lengths, ranks, offsets);
        all = allocate((size_t)total);
    }
    check(MPI_Gatherv(text, length, MPI_CHAR, all, lengths, offsets, MPI_CHAR, root, world),
          "MPI_Gatherv");
    if (rank == root)
        all[total - 1] = '\0'; /* instead of the last comma */
    free(text);
    free(lengths);
    free(offsets);
    return all;
}
