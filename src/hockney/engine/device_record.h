/* What records have of accelerators: that of a rank, and the library of all. */
#ifndef HOCKNEY_DEVICE_RECORD_H
#define HOCKNEY_DEVICE_RECORD_H

#include <stdio.h>

#include "options.h"

/* This rank's device as a JSON object, seen from the PU on which it runs; null where it has none. */
void device_record(FILE *out, const struct options *options, int pu);
/* On stdout: the interface, its driver, and what the MPI library says of itself, as the member "accelerator" of an
   object behind a comma; nothing without a library. */
void device_record_library(void);

#endif
