/* The data of --verify for halo exchanges. */
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "../pattern.h"
#include "halo.h"

/* The initial content of receive buffers, which differs from any expected content. */
enum { NOTHING = 0xee };

/* Where the data of a slot's message lies: in a row, or in a column of an array. */
static char *data_of(const struct halo *halo, char *base, int at, int *is_column)
{
    const size_t slot = (size_t)at;
    *is_column = halo->is_column || halo->array_pitch > 0;
    return halo->array_pitch > 0 ? base + halo->array + slot * halo->array_pitch
                                 : base + halo->first + slot * halo->pitch;
}

static void fill(const struct halo *halo, char *base, int slot, int label, int repetition)
{
    int is_column;
    char *data = data_of(halo, base, slot, &is_column);
    char *row = is_column ? allocate(halo->bytes) : data;
    pattern_fill(row, halo->bytes, halo->rank, label, repetition);
    if (!is_column)
        return;
    for (size_t at = 0; at < halo->bytes; at += ELEMENT)
        memcpy(data + at / ELEMENT * LINE, row + at, ELEMENT);
    free(row);
}

static void compare(const struct halo *halo, char *base, int direction, int label, int repetition)
{
    int is_column;
    char *data = data_of(halo, base, halo->slots[direction], &is_column);
    char *row = is_column ? allocate(halo->bytes) : data;
    for (size_t at = 0; is_column && at < halo->bytes; at += ELEMENT)
        memcpy(row + at, data + at / ELEMENT * LINE, ELEMENT);
    pattern_check(row, halo->bytes, halo->peers[direction], label, halo->rank, repetition);
    if (is_column)
        free(row);
}

/* What a message in this direction is called by its sender: the direction. Between two ranks that are
   neighbours twice, neighbourhood collectives may exchange both messages, and they have one name. */
static int label_of(const struct halo *halo, int direction, int is_collective)
{
    for (int i = 0; is_collective && i < direction; i++)
        if (halo->peers[i] == halo->peers[direction])
            return i;
    return direction;
}

/* The same on the receiver's side, where its sender sees it in the opposite direction. */
static int label_from(const struct halo *halo, int direction, int is_collective)
{
    int label = direction ^ 1;
    for (int i = 0; is_collective && i < halo->directions; i++)
        if (halo->peers[i] == halo->peers[direction] && (i ^ 1) < label)
            label = i ^ 1;
    return label;
}

static void fill_all(struct context *context, int is_collective, int repetition)
{
    const struct halo *halo = context->halo;
    char *out = context->out.base + context->out.at;
    memset(context->in.base + context->in.at, NOTHING, context->in.bytes);
    for (int i = 0; i < halo->directions; i++)
        if (halo->peers[i] != MPI_PROC_NULL)
            fill(halo, out, halo->slots[i], label_of(halo, i, is_collective), repetition);
}

static void check_all(struct context *context, int is_collective, int repetition)
{
    const struct halo *halo = context->halo;
    char *in = context->in.base + context->in.at;
    for (int i = 0; i < halo->directions; i++)
        if (halo->peers[i] != MPI_PROC_NULL)
            compare(halo, in, i, label_from(halo, i, is_collective), repetition);
}

void halo_fill(struct context *context, int repetition) { fill_all(context, 0, repetition); }

void halo_check(struct context *context, int repetition) { check_all(context, 0, repetition); }

void halo_neighbor_fill(struct context *context, int repetition)
{
    fill_all(context, 1, repetition);
}

void halo_neighbor_check(struct context *context, int repetition)
{
    check_all(context, 1, repetition);
}

/* All neighbours receive the same: what the rank has in its last slot. */
void halo_gather_fill(struct context *context, int repetition)
{
    const struct halo *halo = context->halo;
    memset(context->in.base + context->in.at, NOTHING, context->in.bytes);
    fill(halo, context->out.base + context->out.at, halo->directions - 1, 0, repetition);
}

void halo_gather_check(struct context *context, int repetition)
{
    const struct halo *halo = context->halo;
    for (int i = 0; i < halo->directions; i++)
        if (halo->peers[i] != MPI_PROC_NULL)
            compare(halo, context->in.base + context->in.at, i, 0, repetition);
}

void halo_message_fill(struct context *context, int repetition)
{
    if (context->rank == 0)
        pattern_fill(context->out.base + context->out.at, context->bytes, 0, 0, repetition);
    memset(context->in.base + context->in.at, NOTHING, context->bytes);
}

void halo_message_check(struct context *context, int repetition)
{
    if (context->rank == context->peer)
        pattern_check(context->in.base + context->in.at, context->bytes, 0, 0, context->rank,
                      repetition);
}
