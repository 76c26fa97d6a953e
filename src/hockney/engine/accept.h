/* The options that each experiment and operation accepts; others are refused before MPI starts. */
#ifndef HOCKNEY_ACCEPT_H
#define HOCKNEY_ACCEPT_H

#include <getopt.h>

#include "options.h"

/* What getopt_long returns for each option: values that no letter has. */
enum {
    BEFORE_OPTIONS = 255,
#define OPTION(kind, member, name, argument, experiments, words, is_axis, usage) OPTION_##member,
#include "options.def"
    AFTER_OPTIONS,
};
enum { ACCEPTED_OPTIONS = AFTER_OPTIONS - BEFORE_OPTIONS - 1 };

/* All options as getopt_long takes them, ended by a row of zeros; the caller frees them. */
struct option *accept_options(void);

/* Ends the program where `options` has something that its experiment or operation cannot honour;
   `given[ACCEPTED_OPTIONS]` marks the options that were given. Chooses the usual buffers if none were. */
void accept_or_refuse(struct options *options, const char *experiment, const int *given);

#endif
