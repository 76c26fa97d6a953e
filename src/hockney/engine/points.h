/* What is measured. */
#ifndef HOCKNEY_POINTS_H
#define HOCKNEY_POINTS_H

#include "launch.h"

/* Makes launch->points. */
void points_make(struct launch *launch);

#endif
