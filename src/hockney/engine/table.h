/* For people: a table and the line through it, where nobody reads the records. */
#ifndef HOCKNEY_TABLE_H
#define HOCKNEY_TABLE_H

#include "launch.h"

void table_print(const struct launch *launch, const char *definition);

#endif
