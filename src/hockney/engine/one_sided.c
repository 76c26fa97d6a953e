#include "one_sided.h"

#include <string.h>

const char *const synchronization_names[] = {"fence", "pscw",  "lock",        "lock-all",
                                             "flush", "flush-local", NULL};
const char *const window_kind_names[] = {"allocate", "create", "dynamic", "shared", NULL};
const char *const direction_names[] = {"one-way", "both-ways", NULL};
const char *const reduction_names[] = {"sum", "min",  "max",     "band", "bor",
                                       "bxor", "replace", "no-op", NULL};

static MPI_Datatype int8_type(void) { return MPI_INT8_T; }
static MPI_Datatype int32_type(void) { return MPI_INT32_T; }
static MPI_Datatype int64_type(void) { return MPI_INT64_T; }
static MPI_Datatype float_type(void) { return MPI_FLOAT; }
static MPI_Datatype double_type(void) { return MPI_DOUBLE; }
static MPI_Datatype byte_type(void) { return MPI_BYTE; }

static const struct element elements[] = {
    {.name = "int8", .bytes = 1, .is_integer = 1, .reduces = 1, .type = int8_type},
    {.name = "int32", .bytes = 4, .is_integer = 1, .reduces = 1, .type = int32_type},
    {.name = "int64", .bytes = 8, .is_integer = 1, .reduces = 1, .type = int64_type},
    {.name = "float", .bytes = 4, .is_integer = 0, .reduces = 1, .type = float_type},
    {.name = "double", .bytes = 8, .is_integer = 0, .reduces = 1, .type = double_type},
    {.name = "byte", .bytes = 1, .is_integer = 1, .reduces = 0, .type = byte_type},
};
const char element_names[] = "int8, int32, int64, float, double, byte";

const struct element *element_named(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    return NULL;
}
