/* Calls in full, to be set beside the same calls of other ranks: then it is known who waited for
   whom. All ranks keep the same part of them, by their number in a channel; when there is no more
   room, half of that. */
#include <string.h>

#include "recorder.h"

enum { CHANNELS = 8192, MOST_CHANNELS = CHANNELS / 4 * 3 };
#define NO_NUMBER UINT32_MAX

struct channel {
    uint64_t members;
    int32_t peer, tag;
    uint32_t next[3]; /* by kind */
};

static struct channel channels[CHANNELS];
static int channels_used;

static struct channel *channel_of(uint64_t members, int32_t peer, int tag)
{
    uint64_t mixed = (members ^ ((uint64_t)(uint32_t)peer << 32 | (uint32_t)tag)) * 0x9e3779b97f4a7c15u;
    uint32_t place = (uint32_t)(mixed >> 40) & (CHANNELS - 1);
    while (channels[place].members) {
        struct channel *channel = &channels[place];
        if (channel->members == members && channel->peer == peer && channel->tag == tag)
            return channel;
        place = (place + 1) & (CHANNELS - 1);
    }
    if (channels_used >= MOST_CHANNELS)
        return NULL;
    channels_used++;
    channels[place] = (struct channel){.members = members, .peer = peer, .tag = tag};
    return &channels[place];
}

void forget_channels(void)
{
    memset(channels, 0, sizeof channels);
    channels_used = 0;
}

uint32_t next_message(uint16_t group, int32_t peer, int tag, enum kind kind)
{
    const uint64_t members = recorded->groups[group].members;
    if (!members || peer < 0)
        return NO_NUMBER;
    struct channel *channel = channel_of(members, peer, tag);
    return channel ? channel->next[kind]++ : NO_NUMBER;
}

static void keep_half(struct events *events)
{
    const uint32_t mask = events->mask << 1 | 1;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < events->count; i++)
        if (!(scattered(events->event[i].number) & mask))
            events->event[kept++] = events->event[i];
    events->count = kept;
    events->mask = mask;
}

static void keep(struct events *events, const struct event *event)
{
    if (event->number == NO_NUMBER || scattered(event->number) & events->mask)
        return;
    if (events->count == EVENTS)
        keep_half(events);
    if (events->count < EVENTS && !(scattered(event->number) & events->mask))
        events->event[events->count++] = *event;
}

void log_message(uint16_t group, int32_t peer, int tag, enum kind kind, uint32_t number,
                 uint32_t cell, uint64_t enter, uint64_t exit)
{
    const struct event event = {.enter = enter, .exit = exit,
                                .members = recorded->groups[group].members, .number = number,
                                .cell = cell, .peer = peer, .tag = tag, .kind = (uint16_t)kind};
    keep(&recorded->messages, &event);
}

/* Collectives of groups of the same ranks are numbered together, whatever their names are. */
void log_collective(uint16_t group, uint32_t cell, uint64_t enter, uint64_t exit)
{
    const struct group *of = &recorded->groups[group];
    if (of->size < 2 || !of->members)
        return;
    struct channel *channel = channel_of(of->members, NO_PEER, 0);
    const struct event event = {.enter = enter, .exit = exit, .members = of->members,
                                .number = channel ? channel->next[0]++ : NO_NUMBER, .cell = cell,
                                .peer = NO_PEER, .kind = COLLECTIVE};
    keep(&recorded->collectives, &event);
}
