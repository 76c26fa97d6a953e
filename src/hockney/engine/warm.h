/* Exchanges before anything is timed, until they are as short as they become. */
#ifndef HOCKNEY_WARM_H
#define HOCKNEY_WARM_H

#include "launch.h"

/* Exchanges messages in memory of an accelerator: libraries register it, open it for other processes and make
   buffers of their own at the first exchanges, which may take a thousand times as long.
   Collective over the launch's ranks. */
void warm_devices(struct launch *launch);

#endif
