/* The counters of a node's network ports, as sysfs shows them: what went through each of them, and its
   faults. What a counter means is for whoever reads the records. */
#ifndef HOCKNEY_PORTS_H
#define HOCKNEY_PORTS_H

#include <stdio.h>

struct ports; /* one reading of all */

/* Finds and reads what there is below `sys`, where sysfs is mounted; never NULL. Waits before it for
   counters that a driver holds back for some time, some ms. */
struct ports *ports_read(const char *sys);

/* Reads the same counters once more. */
struct ports *ports_again(const struct ports *before);

/* Writes an array of JSON: the ports of which a counter changed, or may have stopped at its largest value,
   with both values of each. With `sys` all ports, and what is known of each. */
void ports_write(FILE *out, const struct ports *before, const struct ports *after, const char *sys);

void ports_free(struct ports *ports);

#endif
