/* The options that each experiment and operation accepts; others are refused before MPI starts. */
#ifndef HOCKNEY_ACCEPT_H
#define HOCKNEY_ACCEPT_H

#include <getopt.h>

#include "options.h"

enum { ACCEPTED_OPTIONS = 68 };

/* Options without a letter. */
enum {
    OPTION_THREADS = 256,
    OPTION_THREAD_COMMS,
    OPTION_DATATYPE,
    OPTION_RECEIVE_DATATYPE,
    OPTION_PACKING,
    OPTION_PARTITIONS,
    OPTION_STAGGER,
    OPTION_ANY_SOURCE,
    OPTION_ARRIVAL,
    OPTION_SKEW_NS,
    OPTION_SKEW_TIMES,
    OPTION_FRACTIONS,
    OPTION_SYNCHRONIZATION,
    OPTION_WINDOW_KIND,
    OPTION_DIRECTION,
    OPTION_ELEMENT,
    OPTION_REDUCTION,
    OPTION_LAUNCHED_AT,
    OPTION_SWITCHES,
    OPTION_PASS,
    OPTION_FROM,
    OPTION_VISITS,
    OPTION_LOADS,
    OPTION_ROLES,
    OPTION_TAILS,
    OPTION_SCHEDULES,
    OPTION_OVERSUBSCRIBE,
};

/* All options as getopt_long takes them, ended by a row of zeros; the caller frees them. */
struct option *accept_options(void);

/* Ends the program where `options` has something that its experiment or operation cannot honour;
   `given[ACCEPTED_OPTIONS]` marks the options that were given. Chooses the usual buffers if none were. */
void accept_or_refuse(struct options *options, const char *experiment, const int *given);

#endif
