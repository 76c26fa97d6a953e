#include "pin.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "affinity.h"
#include "assign.h"
#include "check.h"
#include "clock.h"
#include "line.h"

int pin_local_rank(void)
{
    static const char *const names[] = {
        "MPI_LOCALRANKID",  "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "PALS_LOCAL_RANKID",
        "FLUX_TASK_LOCAL_ID", "JSM_NAMESPACE_LOCAL_RANK",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && *value != '\0')
            return atoi(value);
    }
    return -1;
}

static int pins(const char *policy, const char *cpus)
{
    return !IS_SIMULATED && (cpus != NULL || strcmp(policy, "none") != 0);
}

static void pin_to(struct pin *pin, int pu)
{
    const char *refused = pu < 0 ? NULL : affinity_pin(pu);
    if (pu < 0)
        return;
    pin->refused[0] = '\0';
    if (refused != NULL)
        snprintf(pin->refused, sizeof pin->refused, "CPU %d: %s", pu, refused);
}

/* Takes what is not near from the mask, if as many as are needed remain. */
static void keep_near(struct mask *mask, const struct mask *near, int needed)
{
    int count = 0;
    for (int word = 0; word < mask->words && word < near->words; word++)
        for (uint64_t left = mask->bits[word] & near->bits[word]; left != 0; left &= left - 1)
            count++;
    for (int word = 0; word < mask->words && count > 0 && count >= needed; word++)
        mask->bits[word] &= word < near->words ? near->bits[word] : 0;
}

/* Where the local rank would be on a node whose ranks all have this one's mask. */
static int likely_pu(struct pin *pin, const char *policy, const char *cpus, int local_rank)
{
    const int ranks = local_rank + 1, count = mask_count(&pin->allowed);
    if (count == 0 || local_rank < 0 || ranks > 1 << 20)
        return -1;
    int *pus = allocate((size_t)(ranks > count ? ranks : count) * sizeof *pus);
    int pu;
    if (cpus != NULL) {
        const int found = assign_entries(cpus, pus, ranks);
        pu = found >= ranks && mask_has(&pin->allowed, pus[local_rank]) ? pus[local_rank] : -1;
    } else {
        assign_order(&pin->topology, &pin->allowed, policy, pus);
        pu = pus[local_rank % count];
    }
    free(pus);
    return pu;
}

struct pin pin_hint(const char *policy, const char *cpus, int threads, struct mask near)
{
    struct pin pin = {.threads = threads, .near = near};
    const char *unknown = affinity_read(&pin.allowed);
    if (!pins(policy, cpus))
        return pin;
    if (unknown != NULL)
        snprintf(pin.refused, sizeof pin.refused, "the CPUs that it may run on are not known: %s",
                 unknown);
    pin_to(&pin, likely_pu(&pin, policy, cpus, pin_local_rank() * threads));
    return pin;
}

/* A number of 62 bits that identifies the running kernel. */
static uint64_t kernel_id(void)
{
    char text[256] = "";
    if (!line_read("/proc/sys/kernel/random/boot_id", text, sizeof text))
        gethostname(text, sizeof text - 1);
    uint64_t hash = 14695981039346656037u; /* FNV-1a of 64 bits: its offset and its prime */
    for (const char *at = text; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    return hash >> 2;
}

MPI_Comm pin_ranks_of_kernel(MPI_Comm world)
{
    const uint64_t id = kernel_id();
    MPI_Comm some, node;
    check(MPI_Comm_split(world, (int)(id >> 31), 0, &some), "MPI_Comm_split");
    check(MPI_Comm_split(some, (int)(id & 0x7fffffff), 0, &node), "MPI_Comm_split");
    check(MPI_Comm_free(&some), "MPI_Comm_free");
    return node;
}

/* The masks of all ranks of the node, on its first rank; else NULL. The first is the one to free. */
static struct mask *gather_masks(const struct mask *own, int rank, int ranks, MPI_Comm node)
{
    int words;
    check(MPI_Allreduce(&own->words, &words, 1, MPI_INT, MPI_MAX, node), "MPI_Allreduce");
    uint64_t *padded = allocate((size_t)words * sizeof *padded);
    if (own->words > 0)
        memcpy(padded, own->bits, (size_t)own->words * sizeof *padded);
    struct mask *masks = rank == 0 ? allocate((size_t)ranks * sizeof *masks) : NULL;
    uint64_t *all = rank == 0 ? allocate((size_t)ranks * (size_t)words * sizeof *all) : NULL;
    check(MPI_Gather(padded, words, MPI_UINT64_T, all, words, MPI_UINT64_T, 0, node), "MPI_Gather");
    for (int i = 0; i < ranks && masks != NULL; i++)
        masks[i] = (struct mask){words, all + (size_t)i * (size_t)words};
    free(padded);
    return masks;
}

/* All PUs that any rank may run on; the caller frees its bits. */
static struct mask union_of(const struct mask *masks, int ranks)
{
    struct mask all = {masks[0].words, NULL};
    all.bits = allocate((size_t)all.words * sizeof *all.bits);
    for (int rank = 0; rank < ranks; rank++)
        for (int word = 0; word < all.words; word++)
            all.bits[word] |= masks[rank].bits[word];
    return all;
}

/* The mask of each rank once for each of its threads. */
static struct mask *masks_of_threads(const struct mask *masks, int ranks, int threads)
{
    struct mask *all = allocate((size_t)ranks * (size_t)threads * sizeof *all);
    for (int i = 0; i < ranks * threads; i++)
        all[i] = masks[i / threads];
    return all;
}

/* Fills in `pus[ranks]`, on the node's first rank. Returns whether two ranks share a PU. */
static int assign(struct pin *pin, const char *policy, const char *cpus, const struct mask *masks,
                  int ranks, int *pus)
{
    char wrong[192];
    int shares, unknown = 0;
    if (cpus != NULL) {
        shares = assign_listed(cpus, masks, ranks, pus, wrong, sizeof wrong);
        if (wrong[0] != '\0')
            fail(EXIT_ASKED_WRONGLY, "%s", wrong);
    } else {
        struct mask all = union_of(masks, ranks);
        keep_near(&all, &pin->near, ranks);
        int *order = allocate((size_t)mask_count(&all) * sizeof *order);
        const int count = assign_order(&pin->topology, &all, policy, order);
        shares = assign_pus(order, count, masks, ranks, pus);
        free(order);
        free(all.bits);
    }
    for (int rank = 0; rank < ranks; rank++)
        unknown |= pus[rank] < 0;
    return shares || (unknown && ranks > sysconf(_SC_NPROCESSORS_ONLN));
}

/* The same for `pus[ranks * threads]`: a PU for each thread, or, where they would share, one for each
   rank and -1 for its other threads, which stay there. */
static int assign_threads(struct pin *pin, const char *policy, const char *cpus,
                          const struct mask *masks, int ranks, int *pus)
{
    const int threads = pin->threads, all = ranks * threads;
    const int names_all = cpus == NULL || assign_entries(cpus, pus, all) >= all;
    struct mask *each = masks_of_threads(masks, ranks, threads);
    const int shares = names_all ? assign(pin, policy, cpus, each, all, pus) : 1;
    free(each);
    if (!shares || (names_all && (threads == 1 || cpus != NULL)))
        return shares;
    int *of_ranks = allocate((size_t)ranks * sizeof *of_ranks);
    assign(pin, policy, cpus, masks, ranks, of_ranks);
    for (int i = 0; i < all; i++)
        pus[i] = i % threads == 0 ? of_ranks[i / threads] : -1;
    free(of_ranks);
    return 1;
}

int pin_node(struct pin *pin, const char *policy, const char *cpus, MPI_Comm world)
{
    int rank, ranks, shares = 0, any_shares;
    const int threads = pin->threads;
    pin->pus = allocate((size_t)threads * sizeof *pin->pus);
    for (int i = 0; i < threads; i++)
        pin->pus[i] = -1;
    if (IS_SIMULATED) /* its hosts are not this machine */
        return 0;
    MPI_Comm node = pin_ranks_of_kernel(world);
    ranks_of(node, &rank, &ranks);
    struct mask *masks = gather_masks(&pin->allowed, rank, ranks, node);
    int *pus = rank == 0 ? allocate((size_t)ranks * (size_t)threads * sizeof *pus) : NULL;
    if (rank == 0) {
        shares = assign_threads(pin, policy, cpus, masks, ranks, pus);
        free(masks[0].bits);
    }
    check(MPI_Scatter(pus, threads, MPI_INT, pin->pus, threads, MPI_INT, 0, node), "MPI_Scatter");
    check(MPI_Comm_free(&node), "MPI_Comm_free");
    free(masks);
    free(pus);
    if (pins(policy, cpus))
        pin_to(pin, pin->pus[0]);
    else
        for (int i = 0; i < threads; i++)
            pin->pus[i] = -1;
    check(MPI_Allreduce(&shares, &any_shares, 1, MPI_INT, MPI_MAX, world), "MPI_Allreduce");
    return any_shares;
}

void pin_free(struct pin *pin)
{
    free(pin->allowed.bits);
    free(pin->near.bits);
    free(pin->pus);
    topology_free(&pin->topology);
    *pin = (struct pin){0};
}
