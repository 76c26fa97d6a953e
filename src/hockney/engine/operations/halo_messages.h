/* What all exchanges of a halo do with its messages: where they lie, packing by hand, the timed loop. */
#ifndef HOCKNEY_HALO_MESSAGES_H
#define HOCKNEY_HALO_MESSAGES_H

#include <string.h>

#include "../clock.h"
#include "halo.h"

static inline char *message_at(const struct halo *halo, char *base, int slot)
{
    return base + halo->first + (size_t)slot * halo->pitch;
}

static inline char *slot_of(const struct halo *halo, char *base, int direction)
{
    return message_at(halo, base, halo->slots[direction]);
}

static inline char *column_at(const struct halo *halo, char *base, int slot)
{
    return base + halo->array + (size_t)slot * halo->array_pitch;
}

/* The bytes of a message from `from` to `end`. */
static inline void pack_part(const struct halo *halo, char *base, int slot, size_t from, size_t end)
{
    const char *column = column_at(halo, base, slot) + from / ELEMENT * LINE;
    char *message = message_at(halo, base, slot);
    for (size_t at = from; at < end; at += ELEMENT, column += LINE)
        memcpy(message + at, column, ELEMENT);
}

static inline void pack_slot(const struct halo *halo, char *base, int slot)
{
    pack_part(halo, base, slot, 0, halo->bytes);
}

static inline int is_packed(const struct halo *halo, int direction)
{
    return halo->array_pitch > 0 && halo->peers[direction] != MPI_PROC_NULL;
}

static inline void pack(const struct halo *halo, char *base, int direction)
{
    if (is_packed(halo, direction))
        pack_slot(halo, base, halo->slots[direction]);
}

static inline void unpack(const struct halo *halo, char *base, int direction)
{
    if (!is_packed(halo, direction))
        return;
    char *column = column_at(halo, base, halo->slots[direction]);
    const char *message = slot_of(halo, base, direction);
    for (size_t at = 0; at < halo->bytes; at += ELEMENT, column += LINE)
        memcpy(column, message + at, ELEMENT);
}

static inline void pack_all(const struct halo *halo, char *base)
{
    for (int i = 0; i < halo->directions; i++)
        pack(halo, base, i);
}

/* The same data for all neighbours: that of the last slot. */
static inline void pack_last(const struct halo *halo, char *base)
{
    if (halo->array_pitch > 0)
        pack_slot(halo, base, halo->directions - 1);
}

static inline void unpack_all(const struct halo *halo, char *base)
{
    for (int i = 0; i < halo->directions; i++)
        unpack(halo, base, i);
}

static inline void compute(const struct context *context)
{
    if (context->compute_ns > 0.0)
        clock_compute((int64_t)context->compute_ns);
}

/* A timed loop whose body sets `code` from `halo`, `out` and `in`. */
#define REPEATED(name, ...)                                                                        \
    static int name(struct context *context, int64_t repetitions)                                  \
    {                                                                                              \
        struct halo *const halo = context->halo;                                                   \
        int code = MPI_SUCCESS;                                                                    \
        for (int64_t i = 0; i < repetitions && code == MPI_SUCCESS; i++) {                         \
            char *const out = message_next(&context->out), *const in = message_next(&context->in); \
            __VA_ARGS__                                                                            \
        }                                                                                          \
        return code;                                                                               \
    }

#define HALO(name_)                                                                                \
    .name = "halo", .exchange = name_, .messages = 1.0, .between_all = 1,                          \
    .buffers = BUFFERS_SEPARATE, .out_blocks = BLOCKS_OF_NEIGHBORS,                                \
    .in_blocks = BLOCKS_OF_NEIGHBORS

/* Lists an exchange between two ranks in a file of its own; those of halo.c are in one table. */
#define LISTED_EXCHANGE(one)                                                                       \
    static const struct operation *const listed_##one                                             \
        GATHERED(exchanges) = &(one)

#endif
