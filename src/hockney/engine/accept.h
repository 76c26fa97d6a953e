/* The options that each experiment and operation accepts; others are refused before MPI starts. */
#ifndef HOCKNEY_ACCEPT_H
#define HOCKNEY_ACCEPT_H

#include <getopt.h>

#include "options.h"

enum { ACCEPTED_OPTIONS = 36 };

/* All options as getopt_long takes them, ended by a row of zeros; the caller frees them. */
struct option *accept_options(void);

/* Ends the program where `options` has something that its experiment or operation cannot honour;
   `given[ACCEPTED_OPTIONS]` marks the options that were given. Chooses the usual buffers if none were. */
void accept_or_refuse(struct options *options, const char *experiment, const int *given);

#endif
