/* The options that each experiment and operation accepts; others are refused before MPI starts. */
#ifndef HOCKNEY_ACCEPT_H
#define HOCKNEY_ACCEPT_H

#include "options.h"

/* Chooses what is usual where nothing was asked, and the ways to exchange messages. Ends the program where
   `options` has something that its experiment or operation cannot honour. */
void accept_or_refuse(struct options *options);

#endif
