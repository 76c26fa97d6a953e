#include "one_sided.h"

#include <stddef.h>

const char *const synchronization_names[] = {"fence", "pscw",  "lock",        "lock-all",
                                             "flush", "flush-local", NULL};
const char *const window_kind_names[] = {"allocate", "create", "dynamic", "shared", NULL};
const char *const direction_names[] = {"one-way", "both-ways", NULL};
const char *const reduction_names[] = {"sum", "min",  "max",     "band", "bor",
                                       "bxor", "replace", "no-op", NULL};
