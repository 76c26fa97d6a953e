/* A piece of memory for message buffers; areas.h makes them. */
#ifndef HOCKNEY_AREA_H
#define HOCKNEY_AREA_H

#include "accelerator.h"

struct area {
    char *base;
    size_t span;
    size_t at; /* where the walk through cold memory goes on in the next visit */
    enum memory memory;
    /* Libraries register cold memory of a device allocation by allocation: where each of them
       begins, from `base` on, and which is next. NULL: it is one allocation. */
    ptrdiff_t *places;
    int place_count, place;
    char *mirror; /* host memory that is filled and checked in its place; NULL where none is needed */
    ptrdiff_t *mirror_places; /* as `places`, from `mirror` on */
};

/* Message buffers of a thread in one memory. */
struct areas {
    struct area out, in; /* may be the same memory */
};

#endif
