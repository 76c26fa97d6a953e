#include "exposures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "areas.h"
#include "buffers.h"
#include "check.h"
#include "library.h"
#include "node.h"
#include "records.h"

enum { TAG_ADDRESS = 12 };

/* The window itself, over the area or one of the library's; returns MPI's code. */
static int make(struct exposure *exposure, enum window_kind kind, MPI_Comm comm)
{
    const MPI_Aint span = (MPI_Aint)exposure->area.span;
    const MPI_Info info = MPI_INFO_NULL;
    if (kind == ALLOCATE)
        return MPI_Win_allocate(span, 1, info, comm, &exposure->area.base, &exposure->win);
    if (kind == SHARED)
        return MPI_Win_allocate_shared(span, 1, info, comm, &exposure->area.base, &exposure->win);
    exposure->area = area_of(exposure->area.memory, (double)span, 1, 1);
    exposure->owns_area = 1;
    if (kind == CREATE)
        return MPI_Win_create(exposure->area.base, span, 1, info, comm, &exposure->win);
    int code = MPI_Win_create_dynamic(info, comm, &exposure->win);
    if (code == MPI_SUCCESS)
        code = MPI_Win_attach(exposure->win, exposure->area.base, span);
    exposure->is_attached = code == MPI_SUCCESS;
    return code;
}

/* Displacements of a dynamic window are addresses of the other rank. */
static void find_there(struct exposure *exposure, MPI_Comm comm)
{
    MPI_Aint here;
    check(MPI_Get_address(exposure->area.base, &here), "MPI_Get_address");
    check(MPI_Sendrecv(&here, 1, MPI_AINT, exposure->other, TAG_ADDRESS, &exposure->there, 1,
                       MPI_AINT, exposure->other, TAG_ADDRESS, comm, MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
}

static void set_group(struct exposure *exposure, MPI_Comm comm)
{
    MPI_Group both;
    check(MPI_Comm_group(comm, &both), "MPI_Comm_group");
    check(MPI_Group_incl(both, 1, &exposure->other, &exposure->other_group), "MPI_Group_incl");
    check(MPI_Group_free(&both), "MPI_Group_free");
}

/* Collective: the names of the kinds of which the library makes a small window. */
static void name_kinds(char *names, size_t room, MPI_Comm comm)
{
    names[0] = '\0';
    for (int kind = 0; kind < WINDOW_KINDS; kind++) {
        struct exposure small = {.area.span = 8};
        const size_t length = strlen(names);
        if (window_all_made(make(&small, (enum window_kind)kind, comm), comm))
            snprintf(names + length, room - length, "%s%s", length > 0 ? ", " : "",
                     window_kind_names[kind]);
    }
}

static noreturn void refuse(const char *kind, int code, MPI_Comm comm)
{
    char names[64];
    name_kinds(names, sizeof names, comm);
    char text[MPI_MAX_ERROR_STRING];
    window_refusal(code, text);
    fail(EXIT_ASKED_WRONGLY, "--window-kind %s: %.100s makes no such window here (%.200s); it makes: %s",
         kind, library_description(), text, names);
}

static struct exposure *open_one(const struct launch *launch, enum window_kind kind, MPI_Comm comm)
{
    struct exposure *exposure = allocate(sizeof *exposure);
    exposure->area = (struct area){.span = exposure_span(launch), .memory = launch_memory(launch, launch->method)};
    check(MPI_Comm_rank(comm, &exposure->own), "MPI_Comm_rank");
    exposure->other = 1 - exposure->own;
    if (kind == SHARED && !IS_SIMULATED && node_of(comm).ranks < 2)
        fail(EXIT_ASKED_WRONGLY, "--window-kind shared: the ranks are on different nodes");
    const int code = make(exposure, kind, comm);
    if (!window_all_made(code, comm))
        refuse(window_kind_names[kind], code, comm);
    return_window_errors(exposure->win);
    if (!exposure->owns_area)
        memset(exposure->area.base, 1, exposure->area.span);
    if (launch->options->verify)
        area_mirror(&exposure->area);
    set_group(exposure, comm);
    if (kind == DYNAMIC)
        find_there(exposure, comm);
    return exposure;
}

/* One repetition by each way, at the smallest size: what a window does not take is known before anything
   is timed. */
static void try_ways(struct launch *launch)
{
    const struct options *options = launch->options;
    for (int i = 0; i < options->method_count; i++) {
        const struct operation *operation = options->methods[i].operation;
        const struct way *way = operation->way;
        if (way == NULL)
            continue;
        launch->method = &options->methods[i];
        launch->context.one_sided.way = way;
        exposures_enter(launch);
        buffers_set(launch, operation, options->sizes[0].bytes, 1);
        int code = operation->prepare(&launch->context);
        code = code == MPI_SUCCESS ? operation->repeat(&launch->context, 1) : code;
        code = code == MPI_SUCCESS ? operation->settle(&launch->context) : code;
        code = code == MPI_SUCCESS ? operation->finish(&launch->context) : code;
        if (code != MPI_SUCCESS) {
            char text[MPI_MAX_ERROR_STRING];
            error_text(code, text);
            fail(EXIT_ASKED_WRONGLY, "%s by %s does not work with a window by %s: %s",
                 operation->name, synchronization_names[way->synchronization],
                 window_kind_names[way->kind], text);
        }
        buffers_release(launch);
    }
}

void exposures_open(struct launch *launch, MPI_Comm comm)
{
    const struct options *options = launch->options;
    const int kinds = options->one_sided.window_kind_count;
    const int memories = options->memories.plain_count;
    launch->exposures.of = allocate((size_t)memories * sizeof *launch->exposures.of);
    for (int i = 0; i < kinds * memories; i++) {
        const enum window_kind kind = (enum window_kind)options->one_sided.window_kinds[i % kinds];
        launch->method = &options->memories.plain[i / kinds];
        launch->exposures.of[i / kinds][kind] = open_one(launch, kind, comm);
    }
    try_ways(launch);
}

void exposures_enter(struct launch *launch)
{
    if (launch->exposures.of != NULL)
        memcpy(launch->context.one_sided.exposures, launch->exposures.of[launch->method->memory_number],
               sizeof launch->context.one_sided.exposures);
}

void exposures_of_pairs(struct launch *launch, const struct pairing *pairing)
{
    struct context *context = &launch->context;
    const int64_t all = pairing->number[context->rank];
    int leads = 0, partner = -1;
    if (all >= 0) {
        const struct pair pair = pairing->list[all];
        leads = pair.first == context->rank;
        partner = leads ? pair.second : pair.first;
    }
    check(MPI_Comm_split(context->comm, partner < 0 ? MPI_UNDEFINED : (int)all, !leads,
                         &launch->exposures.comm),
          "MPI_Comm_split");
    if (partner < 0)
        return;
    context->leads = leads;
    context->peer = partner;
    exposures_open(launch, launch->exposures.comm);
}

static void close_one(struct exposure *exposure)
{
    if (exposure->is_attached)
        check(MPI_Win_detach(exposure->win, exposure->area.base), "MPI_Win_detach");
    check(MPI_Group_free(&exposure->other_group), "MPI_Group_free");
    check(MPI_Win_free(&exposure->win), "MPI_Win_free");
    if (exposure->owns_area)
        area_release(&exposure->area);
    else
        free(exposure->area.mirror);
    free(exposure);
}

void exposures_close(struct launch *launch)
{
    struct exposures *exposures = &launch->exposures;
    const int memories = launch->options->memories.plain_count;
    for (int i = 0; exposures->of != NULL && i < memories * WINDOW_KINDS; i++)
        if (exposures->of[i / WINDOW_KINDS][i % WINDOW_KINDS] != NULL)
            close_one(exposures->of[i / WINDOW_KINDS][i % WINDOW_KINDS]);
    free(exposures->of);
    if (exposures->comm != MPI_COMM_NULL)
        check(MPI_Comm_free(&exposures->comm), "MPI_Comm_free");
}
