/* The accelerator whose memory this rank's buffers lie in: which library, and which of its devices. */
#ifndef HOCKNEY_DEVICES_H
#define HOCKNEY_DEVICES_H

#include <mpi.h>

#include "accelerator.h"
#include "mask.h"
#include "options.h"

/* Before MPI_Init: opens the library where any buffer lies in memory that it knows, and ends the program
   where it cannot be had, or no device of it has what the buffers need. */
void devices_open(const struct options *options);

/* PUs near any of the devices, to which ranks may be pinned; none where that is not known, or the devices
   were named. The caller frees the bits. */
struct mask devices_near(const struct options *options);

/* Before MPI_Init, as libraries look for a context there: the device that the node's rank of that number
   probably gets (-1: not known), near where it runs. */
void devices_enter_likely(const struct options *options, int local_rank);

/* Collective over the world, once ranks are pinned: the device of each rank that needs one, each another
   one of its node unless they were named. `pu` is where this rank runs. Ends the launch where there are
   too few. */
void devices_choose(const struct options *options, int rank, int pu, MPI_Comm world);

/* Makes the rank's device, if it has one, that of the calling thread as well. */
void devices_join(void);

/* The library that was opened, or NULL, and how many devices it has. */
const struct accelerator *devices_library(void);
int devices_count(void);
/* This rank's device and its number; NULL and -1 where it has none. */
const struct device *devices_own(int *number);
/* The first line of a file of the device's directory in sysfs, without its end; empty where there is none. */
void devices_read(const struct options *options, int number, const char *file, char *line, int room);
/* Whether the PU is near the device; -1 where that is not known. */
int devices_is_near(const struct options *options, int number, int pu);

/* Memory of a kind; a failure ends the launch. */
void *devices_allocate(enum memory memory, size_t bytes);
void devices_release(enum memory memory, void *at);
/* From any memory to any, over on return. */
void devices_copy(void *to, const void *from, size_t bytes);
/* The same inside a timed region: over on return if one is pinned. Returns MPI's code of success, or of an
   error of another kind. */
int devices_copy_timed(void *to, const void *from, size_t bytes);
/* Until all that was begun on this rank's device is over, if it has one. Returns as above. */
int devices_wait(void);
/* Free bytes of this rank's device. */
double devices_available(void);
/* Its name for people. */
const char *devices_name(void);

#endif
