#include "layout.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST_DIMENSIONS = 3, MOST_PARTS = 1 << 16, DOUBLE_BYTES = 8 };
/* No part of a layout is larger: MPI counts its elements in an int. */
static const unsigned long long LARGEST_NUMBER = INT_MAX;

/* One layout while it is read. */
struct text {
    const char *whole, *at, *option;
};

static noreturn void refuse(const struct text *text, const char *reason)
{
    fail(EXIT_ASKED_WRONGLY, "%s %.80s: %s", text->option, text->whole, reason);
}

static size_t number_at(struct text *text)
{
    char *end;
    errno = 0;
    const unsigned long long value = *text->at >= '0' && *text->at <= '9' ? strtoull(text->at, &end, 10)
                                                                        : ULLONG_MAX;
    if (errno != 0 || value > LARGEST_NUMBER)
        refuse(text, "expected a number");
    text->at = end;
    return (size_t)value;
}

static int skips(struct text *text, const char *word)
{
    const size_t length = strlen(word);
    const int found = strncmp(text->at, word, length) == 0;
    text->at += found ? length : 0;
    return found;
}

static void expect(struct text *text, const char *word)
{
    if (!skips(text, word))
        refuse(text, "a part is missing or one is too many");
}

static void add_run(struct layout *layout, struct run run)
{
    const size_t end = run.offset + (run.count - 1) * run.stride + run.length;
    if (layout->run_count == MOST_PARTS)
        fail(EXIT_ASKED_WRONGLY, "%.80s: more than %d parts", layout->text, MOST_PARTS);
    layout->runs = grown(layout->runs, (size_t)layout->run_count, sizeof run);
    layout->runs[layout->run_count++] = run;
    layout->bytes += run.length * run.count;
    layout->upper = end > layout->upper ? end : layout->upper;
}

static void read_vector(struct layout *layout, struct text *text)
{
    const size_t count = number_at(text);
    expect(text, ":");
    const size_t block = number_at(text);
    expect(text, ":");
    const size_t stride = number_at(text);
    if (count == 0 || block == 0)
        refuse(text, "it has no data");
    if (stride < block)
        refuse(text, "its blocks overlap: the stride is less than a block");
    add_run(layout, (struct run){0, block, count, stride});
    layout->extent = layout->upper;
}

/* Where `run` overlaps no earlier one. */
static void add_apart(struct layout *layout, const struct text *text, struct run run)
{
    for (int i = 0; i < layout->run_count; i++)
        if (run.offset < layout->runs[i].offset + layout->runs[i].length &&
            layout->runs[i].offset < run.offset + run.length)
            refuse(text, "two parts overlap");
    if (run.length == 0)
        refuse(text, "a part has no data");
    add_run(layout, run);
}

static void read_indexed(struct layout *layout, struct text *text)
{
    size_t lowest = SIZE_MAX;
    do {
        const size_t length = number_at(text);
        expect(text, "@");
        const size_t offset = number_at(text);
        add_apart(layout, text, (struct run){offset, length, 1, length});
        lowest = offset < lowest ? offset : lowest;
    } while (skips(text, ":"));
    layout->extent = layout->upper - lowest;
}

static const struct member {
    const char *name;
    size_t bytes;
    MPI_Datatype type;
} members[] = {{"char", 1, MPI_CHAR}, {"int", 4, MPI_INT}, {"float", 4, MPI_FLOAT}, {"double", 8, MPI_DOUBLE}};
enum { MEMBERS = sizeof members / sizeof members[0] };

/* The member that a part of a struct begins with, and how many of it. */
static const struct member *member_at(struct text *text, size_t *count)
{
    *count = 1;
    if (*text->at >= '0' && *text->at <= '9') {
        *count = number_at(text);
        expect(text, "x");
    }
    for (int i = 0; i < MEMBERS; i++)
        if (skips(text, members[i].name))
            return &members[i];
    refuse(text, "a member is char, int, float or double");
}

/* As a compiler lays out a struct, its extent is a multiple of its strictest alignment. */
static void read_struct(struct layout *layout, struct text *text)
{
    size_t strictest = 1;
    do {
        size_t count;
        const struct member *member = member_at(text, &count);
        expect(text, "@");
        const size_t offset = number_at(text), bytes = count * member->bytes;
        if (offset % member->bytes != 0)
            refuse(text, "a member is not aligned");
        add_apart(layout, text, (struct run){offset, bytes, 1, bytes});
        strictest = member->bytes > strictest ? member->bytes : strictest;
    } while (skips(text, ":"));
    layout->extent = (layout->upper + strictest - 1) / strictest * strictest;
}

static int dimensions_at(struct text *text, int *numbers)
{
    int count = 0;
    do {
        if (count == MOST_DIMENSIONS)
            refuse(text, "a subarray has 2 or 3 dimensions");
        numbers[count++] = (int)number_at(text);
    } while (skips(text, "x"));
    return count;
}

/* The three lists of numbers of a subarray; the starts are 0 unless given. */
struct subarray {
    int dimensions, whole[MOST_DIMENSIONS], part[MOST_DIMENSIONS], start[MOST_DIMENSIONS];
};

static struct subarray subarray_at(struct text *text)
{
    struct subarray found = {0};
    found.dimensions = dimensions_at(text, found.whole);
    expect(text, ":");
    if (found.dimensions < 2 || dimensions_at(text, found.part) != found.dimensions ||
        (skips(text, ":") && dimensions_at(text, found.start) != found.dimensions))
        refuse(text, "a subarray has 2 or 3 dimensions, the same number everywhere");
    double bytes = DOUBLE_BYTES;
    for (int i = 0; i < found.dimensions; i++) {
        if (found.part[i] == 0 || found.start[i] > found.whole[i] - found.part[i])
            refuse(text, "the part does not lie in the array");
        bytes *= found.whole[i];
    }
    if (bytes > (double)LARGEST_NUMBER)
        refuse(text, "the array is larger than 2 GiB");
    return found;
}

/* Rows are contiguous: the last index runs fastest. */
static void read_subarray(struct layout *layout, struct text *text)
{
    const struct subarray all = subarray_at(text);
    const int last = all.dimensions - 1, planes = last == 2 ? all.part[0] : 1;
    const size_t row = (size_t)all.whole[last] * DOUBLE_BYTES, rows = (size_t)all.whole[last - 1];
    for (int plane = 0; plane < planes; plane++) {
        const size_t skipped = last == 2 ? (size_t)(all.start[0] + plane) * rows : 0;
        add_run(layout, (struct run){
                            .offset = (skipped + (size_t)all.start[last - 1]) * row +
                                      (size_t)all.start[last] * DOUBLE_BYTES,
                            .length = (size_t)all.part[last] * DOUBLE_BYTES,
                            .count = (size_t)all.part[last - 1],
                            .stride = row,
                        });
    }
    layout->extent = rows * row * (last == 2 ? (size_t)all.whole[0] : 1);
}

/* What a program would send these bytes as: doubles where all of it is a multiple of 8 bytes. */
static MPI_Datatype element_type(const struct layout *layout, int *bytes)
{
    static const struct { int bytes; MPI_Datatype type; } widths[] = {{8, MPI_DOUBLE}, {4, MPI_FLOAT}, {1, MPI_BYTE}};
    int i = 0;
    for (int fits = 0; !fits; i += !fits) {
        fits = 1;
        for (int run = 0; run < layout->run_count; run++)
            fits = fits && (layout->runs[run].offset | layout->runs[run].length |
                            layout->runs[run].stride) % (size_t)widths[i].bytes == 0;
    }
    *bytes = widths[i].bytes;
    return widths[i].type;
}

static void make_vector(struct layout *layout, MPI_Datatype element, int width)
{
    const struct run *run = &layout->runs[0];
    check(MPI_Type_vector((int)run->count, (int)run->length / width, (int)run->stride / width, element,
                          &layout->type),
          "MPI_Type_vector");
}

static void make_indexed(struct layout *layout, MPI_Datatype element, int width)
{
    int *lengths = allocate((size_t)layout->run_count * sizeof(int));
    int *offsets = allocate((size_t)layout->run_count * sizeof(int));
    for (int i = 0; i < layout->run_count; i++) {
        lengths[i] = (int)layout->runs[i].length / width;
        offsets[i] = (int)layout->runs[i].offset / width;
    }
    check(MPI_Type_indexed(layout->run_count, lengths, offsets, element, &layout->type),
          "MPI_Type_indexed");
    free(lengths);
    free(offsets);
}

static void make_struct(struct layout *layout, MPI_Datatype element, int width)
{
    (void)element, (void)width; /* its members have types of their own */
    const size_t parts = (size_t)layout->run_count;
    struct text text = {layout->text, layout->text + strlen("struct:"), ""};
    int *counts = allocate(parts * sizeof *counts);
    MPI_Aint *offsets = allocate(parts * sizeof *offsets);
    MPI_Datatype *types = allocate(parts * sizeof *types), plain;
    for (size_t i = 0; i < parts; i++) {
        size_t count;
        types[i] = member_at(&text, &count)->type;
        counts[i] = (int)count;
        expect(&text, "@");
        offsets[i] = (MPI_Aint)number_at(&text);
        skips(&text, ":");
    }
    check(MPI_Type_create_struct((int)parts, counts, offsets, types, &plain),
          "MPI_Type_create_struct");
    check(MPI_Type_create_resized(plain, 0, (MPI_Aint)layout->extent, &layout->type),
          "MPI_Type_create_resized");
    check(MPI_Type_free(&plain), "MPI_Type_free");
    free(counts);
    free(offsets);
    free(types);
}

static void make_subarray(struct layout *layout, MPI_Datatype element, int width)
{
    (void)element, (void)width; /* its elements are doubles */
    struct text text = {layout->text, layout->text + strlen("subarray:"), ""};
    const struct subarray all = subarray_at(&text);
    check(MPI_Type_create_subarray(all.dimensions, all.whole, all.part, all.start, MPI_ORDER_C,
                                   MPI_DOUBLE, &layout->type),
          "MPI_Type_create_subarray");
}

static const struct {
    const char *name;
    void (*read)(struct layout *layout, struct text *text);
    void (*make)(struct layout *layout, MPI_Datatype element, int width);
} kinds[] = {
    {"vector:", read_vector, make_vector},
    {"indexed:", read_indexed, make_indexed},
    {"struct:", read_struct, make_struct},
    {"subarray:", read_subarray, make_subarray},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct layout *layout_read(const char *whole, const char *option)
{
    struct text text = {whole, whole, option};
    struct layout *layout = allocate(sizeof *layout);
    *layout = (struct layout){.text = whole, .type = MPI_DATATYPE_NULL};
    int kind = 0;
    while (kind < KINDS && !skips(&text, kinds[kind].name))
        kind++;
    if (kind == KINDS)
        refuse(&text, "not a vector, indexed, struct or subarray");
    kinds[kind].read(layout, &text);
    layout->make = kinds[kind].make;
    if (*text.at != '\0')
        refuse(&text, "a part is missing or one is too many");
    return layout;
}

void layout_commit(struct layout *layout)
{
    int width;
    const MPI_Datatype element = element_type(layout, &width);
    layout->make(layout, element, width);
    check(MPI_Type_commit(&layout->type), "MPI_Type_commit");
}

void layout_free(struct layout *layout)
{
    if (layout->type != MPI_DATATYPE_NULL)
        check(MPI_Type_free(&layout->type), "MPI_Type_free");
    free(layout->runs);
    free(layout);
}

size_t layout_span(const struct layout *layout, size_t elements)
{
    return elements == 0 ? 0 : (elements - 1) * layout->extent + layout->upper;
}

/* Blocks of 8 and 4 bytes are copied as a loop over numbers copies them, without a call. Exactly one
   of the two sides moves on by `from_step` or `to_step` bytes more than a block. */
static void copy_blocks(const char *from, size_t from_step, char *to, size_t to_step, size_t length,
                        size_t count)
{
    if (length == sizeof(uint64_t)) {
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * to_step, from + i * from_step, sizeof(uint64_t));
    } else if (length == sizeof(uint32_t)) {
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * to_step, from + i * from_step, sizeof(uint32_t));
    } else {
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * to_step, from + i * from_step, length);
    }
}

void layout_pack(const struct layout *layout, size_t elements, const char *from, char *to)
{
    for (size_t i = 0; i < elements; i++, from += layout->extent)
        for (int j = 0; j < layout->run_count; j++) {
            const struct run *run = &layout->runs[j];
            copy_blocks(from + run->offset, run->stride, to, run->length, run->length, run->count);
            to += run->length * run->count;
        }
}

void layout_unpack(const struct layout *layout, size_t elements, const char *from, char *to)
{
    for (size_t i = 0; i < elements; i++, to += layout->extent)
        for (int j = 0; j < layout->run_count; j++) {
            const struct run *run = &layout->runs[j];
            copy_blocks(from, run->length, to + run->offset, run->stride, run->length, run->count);
            from += run->length * run->count;
        }
}
