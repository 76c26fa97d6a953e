/* What the record of a launch has of its options, on stdout. */
#ifndef HOCKNEY_OPTIONS_RECORD_H
#define HOCKNEY_OPTIONS_RECORD_H

#include "options.h"

/* The command line as strings of an array: the words, then each option that was given by its whole name, in
   the order of options.def, as "--sizes=8". */
void put_asked(const struct options *options);

/* The axes that all samples of the launch share, as members of an object; nothing for a default. */
void put_shared_axes(const struct options *options);

#endif
