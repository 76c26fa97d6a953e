#include "one_sided.h"

#include <stdint.h>
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

#define ELEMENT_OF(name_, ctype, is_integer_, reduces_, type_)                                     \
    {.name = name_, .bytes = sizeof(ctype), .is_integer = is_integer_, .reduces = reduces_,        \
     .type = type_##_type, .store = store_##type_, .load = load_##type_}

#define ACCESS(name, ctype)                                                                        \
    static void store_##name(void *array, size_t i, double value)                                  \
    {                                                                                              \
        ((ctype *)array)[i] = (ctype)value;                                                        \
    }                                                                                              \
    static double load_##name(const void *array, size_t i)                                         \
    {                                                                                              \
        return (double)((const ctype *)array)[i];                                                  \
    }
ACCESS(int8, int8_t)
ACCESS(int32, int32_t)
ACCESS(int64, int64_t)
ACCESS(float, float)
ACCESS(double, double)
ACCESS(byte, unsigned char)

static const struct element elements[] = {
    ELEMENT_OF("int8", int8_t, 1, 1, int8),
    ELEMENT_OF("int32", int32_t, 1, 1, int32),
    ELEMENT_OF("int64", int64_t, 1, 1, int64),
    ELEMENT_OF("float", float, 0, 1, float),
    ELEMENT_OF("double", double, 0, 1, double),
    ELEMENT_OF("byte", unsigned char, 1, 0, byte),
};
const char element_names[] = "int8, int32, int64, float, double, byte";

const struct element *element_named(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    return NULL;
}
