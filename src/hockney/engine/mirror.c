#include "mirror.h"

#include "areas.h"
#include "threads.h"

/* The memories of a context's messages: sent from, received into, exposed; NULL for none. */
enum { AREAS = 3 };

static void list_areas(struct launch *launch, int thread, const struct context *context,
                       const struct area *areas[AREAS])
{
    const struct areas *own = threads_areas(launch, thread);
    areas[0] = &own->out;
    areas[1] = own->in.base != own->out.base ? &own->in : NULL;
    const struct one_sided *one_sided = &context->one_sided;
    areas[2] = one_sided->way != NULL ? &one_sided->exposures[one_sided->way->kind]->area : NULL;
}

/* Each message may lie in any of these memories, as operations swap them. */
static void move(struct message *message, const struct area *const areas[AREAS], int enters)
{
    for (int i = 0; i < AREAS; i++) {
        if (areas[i] == NULL || areas[i]->mirror == NULL)
            continue;
        char *const from = enters ? areas[i]->base : areas[i]->mirror;
        if (message->base == from) {
            message->base = enters ? areas[i]->mirror : areas[i]->base;
            if (message->places != NULL) {
                message->places = enters ? areas[i]->mirror_places : areas[i]->places;
                message->at = (size_t)message->places[message->place];
            }
            return;
        }
    }
}

static void move_all(struct launch *launch, int thread, struct context *context, int enters)
{
    const struct area *areas[AREAS];
    list_areas(launch, thread, context, areas);
    move(&context->out, areas, enters);
    move(&context->in, areas, enters);
    move(&context->one_sided.exposed, areas, enters);
}

void mirror_enter(struct launch *launch, int thread, struct context *context)
{
    move_all(launch, thread, context, 1);
}

void mirror_leave(struct launch *launch, int thread, struct context *context)
{
    move_all(launch, thread, context, 0);
}

/* What of a memory, or of each allocation of it, the context's messages reach: all of it where they walk. */
static size_t reached(const struct area *area, const struct context *context)
{
    const struct message *const messages[] = {&context->out, &context->in, &context->one_sided.exposed};
    size_t most = 0;
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        const struct message *message = messages[i];
        const size_t end = message->stride > 0 ? message->span : message->bytes;
        if ((message->base == area->base || message->base == area->mirror) && end > most)
            most = end;
    }
    return most < area->span ? most : area->span;
}

static void copy_all(struct launch *launch, int thread, const struct context *context,
                     void (*copy)(const struct area *area, size_t bytes))
{
    const struct area *areas[AREAS];
    list_areas(launch, thread, context, areas);
    for (int i = 0; i < AREAS; i++)
        if (areas[i] != NULL)
            copy(areas[i], reached(areas[i], context));
}

void mirror_put(struct launch *launch, int thread, const struct context *context)
{
    copy_all(launch, thread, context, area_put);
}

void mirror_get(struct launch *launch, int thread, const struct context *context)
{
    copy_all(launch, thread, context, area_get);
}
