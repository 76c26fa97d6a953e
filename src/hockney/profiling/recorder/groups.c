/* Communicators and windows, by the ranks that they hold. A group is worked out when a handle is
   first seen, and forgotten when the handle is freed. */
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

enum {
    HANDLES = 4096,                  /* a power of two */
    MOST_HANDLES = HANDLES / 4 * 3,  /* beyond, handles belong to the group of all others */
    MOST_RANKS = 4 * 1024 * 1024,    /* of all groups together: 16 MiB */
    OTHERS = GROUPS - 1,             /* the group of what finds no place */
};

struct known {
    uintptr_t handle; /* 0: free, 1: was freed */
    uint16_t group;
    uint16_t is_window;
};

static struct known table[HANDLES];
static int handles, ranks_held;
static int32_t *ranks_of[GROUPS]; /* in MPI_COMM_WORLD; NULL where they are the same, or not known */
static uint8_t is_known[GROUPS];
static uintptr_t last_handle;
static uint16_t last_group;

static uint32_t place_of(uintptr_t handle)
{
    return (uint32_t)((handle * 0x9e3779b97f4a7c15u) >> 40) & (HANDLES - 1);
}

/* Groups of the same ranks, name and size; -1 for none. */
static int same_group(const struct group *group)
{
    for (uint32_t i = 0; i < recorded->header.groups; i++) {
        const struct group *other = &recorded->groups[i];
        if (other->members == group->members && other->size == group->size &&
            other->rank == group->rank && strcmp(other->name, group->name) == 0)
            return (int)i;
    }
    return -1;
}

/* A group as the library describes it. */
struct described {
    struct group group;
    int32_t *ranks; /* in MPI_COMM_WORLD; NULL where they cannot be known */
    int is_valid;
};

/* Takes the ranks. */
static uint16_t add_group(const struct described *described)
{
    const struct group *group = &described->group;
    int32_t *ranks = described->ranks;
    int found = described->is_valid ? same_group(group) : OTHERS;
    if (found < 0 && recorded->header.groups < OTHERS) {
        found = (int)recorded->header.groups++;
        recorded->groups[found] = *group;
        is_known[found] = ranks != NULL;
        if (ranks && ranks_held + group->size <= MOST_RANKS) {
            ranks_held += group->size;
            ranks_of[found] = ranks;
            return (uint16_t)found;
        }
        is_known[found] = 0;
    }
    free(ranks);
    return (uint16_t)(found < 0 ? OTHERS : found);
}

typedef int translates(MPI_Group, int, const int *, MPI_Group, int *);

/* The ranks of a group in MPI_COMM_WORLD; NULL where they cannot be known. */
static int32_t *ranks_in_world(MPI_Group group, int size)
{
    int (*group_of_comm)(MPI_Comm, MPI_Group *) =
        REAL(MPI_Comm_group);
    int (*release)(MPI_Group *) = REAL(MPI_Group_free);
    translates *translate = REAL(MPI_Group_translate_ranks);
    int32_t *ranks = malloc((size_t)size * sizeof *ranks);
    int *own = malloc((size_t)size * sizeof *own);
    MPI_Group all;
    const int is_kept = is_world_of_session(&all);
    int is_done = 0;
    if (ranks && own && (is_kept || group_of_comm(world(), &all) == MPI_SUCCESS)) {
        for (int i = 0; i < size; i++)
            own[i] = i;
        is_done = translate(group, size, own, all, ranks) == MPI_SUCCESS;
        if (!is_kept)
            release(&all);
    }
    free(own);
    if (!is_done) {
        free(ranks);
        return NULL;
    }
    for (int i = 0; i < size; i++)
        ranks[i] = ranks[i] < 0 ? UNKNOWN_PEER : ranks[i];
    return ranks;
}

static uint64_t digest(const int32_t *ranks, int size)
{
    uint64_t sum = 14695981039346656037u;
    for (int i = 0; i < size; i++)
        sum = (sum ^ (uint32_t)ranks[i]) * 1099511628211u;
    return sum;
}

/* peers: the group that ranks of calls name. */
static struct described describe(MPI_Group own, MPI_Group peers, const char *name)
{
    int (*get_size)(MPI_Group, int *) = REAL(MPI_Group_size);
    int (*get_rank)(MPI_Group, int *) = REAL(MPI_Group_rank);
    struct group group = {0};
    int size = 0;
    get_size(peers, &size);
    group.size = size;
    get_rank(own, &group.rank);
    /* Open MPI names each communicator after where it came from. */
    if (strncmp(name, "MPI COMMUNICATOR", 16) != 0)
        copy_text(group.name, name, sizeof group.name);
    int32_t *ranks = ranks_in_world(peers, size);
    group.members = ranks ? digest(ranks, size) : 0;
    return (struct described){group, ranks, 1};
}

static struct described describe_comm(MPI_Comm comm)
{
    int (*group_of_comm)(MPI_Comm, MPI_Group *) =
        REAL(MPI_Comm_group);
    int (*remote_of)(MPI_Comm, MPI_Group *) =
        REAL(MPI_Comm_remote_group);
    int (*test_inter)(MPI_Comm, int *) = REAL(MPI_Comm_test_inter);
    int (*get_name)(MPI_Comm, char *, int *) =
        REAL(MPI_Comm_get_name);
    int (*release)(MPI_Group *) = REAL(MPI_Group_free);
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int is_inter = 0, length = 0;
    MPI_Group own, remote;
    test_inter(comm, &is_inter);
    get_name(comm, name, &length);
    if (group_of_comm(comm, &own) != MPI_SUCCESS)
        return (struct described){0};
    struct described found = {0};
    if (!is_inter)
        found = describe(own, own, name);
    else if (remote_of(comm, &remote) == MPI_SUCCESS) {
        found = describe(own, remote, name);
        release(&remote);
    }
    release(&own);
    return found;
}

static struct described describe_window(MPI_Win window)
{
    int (*group_of_win)(MPI_Win, MPI_Group *) =
        REAL(MPI_Win_get_group);
    int (*release)(MPI_Group *) = REAL(MPI_Group_free);
    MPI_Group group;
    if (group_of_win(window, &group) != MPI_SUCCESS)
        return (struct described){0};
    const struct described found = describe(group, group, "");
    release(&group);
    return found;
}

/* Everything below holds the lock, or takes it; what is above asks the library, without it. */
static struct known *find(uintptr_t handle, int is_window)
{
    uint32_t place = place_of(handle);
    for (int i = 0; i < HANDLES && table[place].handle; i++, place = (place + 1) & (HANDLES - 1))
        if (table[place].handle == handle && table[place].is_window == is_window)
            return &table[place];
    return NULL;
}

static void add(uintptr_t handle, int is_window, uint16_t group)
{
    if (handles >= MOST_HANDLES)
        return;
    uint32_t place = place_of(handle);
    while (table[place].handle > 1)
        place = (place + 1) & (HANDLES - 1);
    table[place] = (struct known){handle, group, (uint16_t)is_window};
    handles++;
}

/* Searches end at free places, so that many freed handles are taken out from time to time. */
static void forget(uintptr_t handle, int is_window)
{
    static int freed;
    last_handle = 0;
    keys++;
    struct known *known = find(handle, is_window);
    if (!known)
        return;
    known->handle = 1;
    handles--;
    if (++freed < HANDLES / 8)
        return;
    freed = 0;
    static struct known before[HANDLES]; /* too much for the stack of a thread */
    memcpy(before, table, sizeof table);
    memset(table, 0, sizeof table);
    handles = 0;
    for (int i = 0; i < HANDLES; i++)
        if (before[i].handle > 1)
            add(before[i].handle, before[i].is_window, before[i].group);
}

void forget_all_handles(void)
{
    memset(table, 0, sizeof table);
    handles = 0;
    last_handle = 0;
}

/* The group of a handle; -1 where it was not seen before, or was forgotten. */
static int known_group(uintptr_t handle, int is_window)
{
    if (handle == last_handle && !is_window)
        return last_group;
    const struct known *known = find(handle, is_window);
    if (!known)
        return handles < MOST_HANDLES ? -1 : OTHERS;
    if (!is_window) {
        last_group = known->group;
        last_handle = handle;
    }
    return known->group;
}

static int look_up(uintptr_t handle, int is_window)
{
    lock_recorder();
    const int found = known_group(handle, is_window);
    unlock_recorder();
    return found;
}

/* Another thread may have been quicker. */
static uint16_t remember(uintptr_t handle, int is_window, const struct described *described)
{
    lock_recorder();
    int found = known_group(handle, is_window);
    if (found < 0) {
        found = add_group(described);
        add(handle, is_window, (uint16_t)found);
    } else {
        free(described->ranks);
    }
    unlock_recorder();
    return (uint16_t)found;
}

uint16_t group_of(MPI_Comm comm)
{
    const int found = look_up(HANDLE(comm), 0);
    if (found >= 0)
        return (uint16_t)found;
    if (comm == MPI_COMM_NULL) /* what is made of an empty group */
        return NO_GROUP;
    const struct described described = describe_comm(comm);
    return remember(HANDLE(comm), 0, &described);
}

uint16_t group_if_known(MPI_Comm comm)
{
    const int found = look_up(HANDLE(comm), 0);
    return found < 0 ? NO_GROUP : (uint16_t)found;
}

uint16_t group_of_window(MPI_Win window)
{
    const int found = look_up(HANDLE(window), 1);
    if (found >= 0)
        return (uint16_t)found;
    const struct described described = describe_window(window);
    return remember(HANDLE(window), 1, &described);
}

/* Ranks of a group stay as they are once a handle of it is known. */
int32_t peer_in(uint16_t group, int rank)
{
    if (rank < 0)
        return rank == MPI_ANY_SOURCE ? UNKNOWN_PEER : NO_PEER;
    if (group >= GROUPS || !is_known[group] || rank >= recorded->groups[group].size)
        return UNKNOWN_PEER;
    return ranks_of[group][rank];
}

uint64_t members_of(uint16_t group)
{
    return group < GROUPS ? recorded->groups[group].members : 0;
}

void forget_comm(MPI_Comm comm)
{
    lock_recorder();
    forget(HANDLE(comm), 0);
    unlock_recorder();
}

void forget_window(MPI_Win window)
{
    lock_recorder();
    forget(HANDLE(window), 1);
    unlock_recorder();
}
