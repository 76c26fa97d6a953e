/* What a halo is asked for; each ends the program where it was asked wrongly. */
#ifndef HOCKNEY_HALO_OPTIONS_H
#define HOCKNEY_HALO_OPTIONS_H

#include "options.h"

/* The exchanges that `exchange` and `form` list: neighbourhood collectives in each of the forms; the
   others have none. */
void halo_read_exchanges(struct options *options);
/* What a halo cannot honour. */
void halo_accept_or_refuse(const struct options *options);

#endif
