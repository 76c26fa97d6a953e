/* Which experiment is made, of which operation: the words of the command line that are no options. */
#ifndef HOCKNEY_EXPERIMENT_H
#define HOCKNEY_EXPERIMENT_H

#include "options.h"

/* After options_read(). Ends the program where a word is unknown, missing or one too many. */
void experiment_read(struct options *options);

#endif
