/* Memory of message buffers, of any kind. */
#ifndef HOCKNEY_AREAS_H
#define HOCKNEY_AREAS_H

#include "area.h"

/* Every byte of it `filled`, in whole pages. The buffers of simulated ranks, all in this machine's memory,
   lie upon each other where nobody reads them. */
struct area area_of(enum memory memory, double bytes, int filled, int is_read);
/* So many allocations of a device, each of `bytes`. */
struct area area_of_many(double bytes, int filled, int count);
void area_release(struct area *area);

/* Gives memory that the host cannot read a mirror. */
void area_mirror(struct area *area);
/* The first bytes of the mirror, or of that of each allocation, to the memory, and back; nothing without a
   mirror. */
void area_put(const struct area *area, size_t bytes);
void area_get(const struct area *area, size_t bytes);

#endif
