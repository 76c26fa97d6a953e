#include "place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "affinity.h"
#include "check.h"
#include "clock.h"
#include "device_record.h"
#include "json.h"
#include "tree.h"

enum { TAG_PLACES = 8 };

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
    place.thread_pus = pin->pus;
    place.threads = pin->threads;
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

/* The PU of each thread: one that is not pinned by itself stays on its rank's. */
static void put_threads(FILE *out, const struct place *place)
{
    fputs(",\"thread_pus\":[", out);
    for (int i = 0; i < place->threads; i++) {
        const int pu = place->thread_pus[i] >= 0 ? place->thread_pus[i] : place->pu.pu;
        fprintf(out, pu >= 0 ? "%s%d" : "%snull", json_comma(i), pu);
    }
    putc(']', out);
}

/* One place as a JSON object and a comma behind it; the caller frees it. */
static char *place_text(const struct options *options, const struct place *place, int rank, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (out == NULL)
        fail(EXIT_WENT_WRONG, "no memory for the record of a place");
    fprintf(out, "{\"rank\":%d", rank);
    json_text(out, "host", place->host);
    json_id(out, "package", place->pu.package);
    json_id(out, "numa", place->pu.numa);
    json_id(out, "l3", place->pu.l3);
    json_id(out, "l2", place->pu.l2);
    json_id(out, "core", place->pu.core);
    json_id(out, "pu", place->pu.pu);
    fprintf(out, ",\"pinned\":%s", place->pinned ? "true" : "false");
    json_id(out, "allowed", place->allowed);
    json_text(out, "refused", place->refused[0] != '\0' ? place->refused : NULL);
    json_text(out, "topology", place->topology);
    if (place->threads > 1)
        put_threads(out, place);
    if (options->memories.count > 0) {
        fputs(",\"device\":", out);
        device_record(out, options, place->pu.pu);
    }
    fputs("},", out);
    if (fclose(out) != 0)
        fail(EXIT_WENT_WRONG, "no memory for the record of a place");
    return text;
}

/* The texts of all ranks, each in `room` bytes, joined in place. */
static char *joined(char *all, int ranks, size_t room)
{
    char *end = all;
    for (int rank = 0; rank < ranks; rank++) {
        const char *text = all + (size_t)rank * room;
        const size_t length = strlen(text);
        memmove(end, text, length);
        end += length;
    }
    end[-1] = '\0'; /* instead of the last comma */
    return all;
}

/* The first rank's text to the rank that writes the records. */
static char *passed_on(char *text, int rank, int root, MPI_Comm world)
{
    if (rank == 0) {
        text_pass(text, root, TAG_PLACES, world);
        free(text);
    }
    return rank == root ? text_take(0, TAG_PLACES, world) : NULL;
}

char *place_gather(const struct options *options, const struct place *place, int rank, int ranks, int root,
                   MPI_Comm world)
{
    size_t bytes;
    char *text = place_text(options, place, rank, &bytes), *all = NULL;
    double longest = (double)bytes + 1.0;
    tree_reduce(&longest, (struct tree_layout){.largest = 1}, world);
    tree_bcast(&longest, sizeof longest, world);
    const int room = (int)longest;
    char *padded = allocate((size_t)room);
    memcpy(padded, text, bytes);
    free(text);
    if (rank == 0)
        all = allocate((size_t)room * (size_t)ranks);
    tree_gather(padded, all, room, world);
    free(padded);
    if (rank == 0)
        all = joined(all, ranks, (size_t)room);
    return root == 0 ? all : passed_on(all, rank, root, world);
}
