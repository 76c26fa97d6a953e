#include "elements.h"

#include <stdint.h>
#include <string.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include "check.h"

/* No part of the MPI standard: MPICH and Intel MPI have both types, Open MPI the first, if the compiler
   that it was built with did. */
#if defined MPIX_BFLOAT16
#define TYPE_OF_BFLOAT16 MPIX_BFLOAT16
#elif defined MPIX_C_BF16
#define TYPE_OF_BFLOAT16 MPIX_C_BF16
#else
#define TYPE_OF_BFLOAT16 MPI_DATATYPE_NULL
#endif
/* MPICH 4.0 has the type, and dies of an addition; 5.0 adds, and so does Intel MPI, whatever MPICH it names. */
#if defined MPICH_NUMVERSION && !defined I_MPI_NUMVERSION && MPICH_NUMVERSION < 50000000
#define TYPE_OF_FLOAT16 MPI_DATATYPE_NULL
#elif defined MPIX_C_FLOAT16
#define TYPE_OF_FLOAT16 MPIX_C_FLOAT16
#else
#define TYPE_OF_FLOAT16 MPI_DATATYPE_NULL
#endif

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

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The upper half of a float. */
static void store_bfloat16(void *array, size_t i, double value)
{
    ((uint16_t *)array)[i] = (uint16_t)(bits_of((float)value) >> 16);
}

static double load_bfloat16(const void *array, size_t i)
{
    return (double)of_bits((uint32_t)((const uint16_t *)array)[i] << 16);
}

/* A float has 8 bits of exponent, from -127, and 23 of fraction; this one 5, from -15, and 10. What is
   stored is zero or neither too small nor too large for that. */
enum { FRACTION = 10, CUT = 23 - FRACTION, SPECIAL = 31, SHIFTED = 127 - 15 };

static void store_float16(void *array, size_t i, double value)
{
    const uint32_t bits = bits_of((float)value), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
    const uint32_t moved = rest == 0 ? 0 : (rest >> CUT) - ((uint32_t)SHIFTED << FRACTION);
    ((uint16_t *)array)[i] = (uint16_t)(sign | moved);
}

static double load_float16(const void *array, size_t i)
{
    const uint32_t half = ((const uint16_t *)array)[i];
    const uint32_t sign = (half & 0x8000u) << 16, exponent = half >> FRACTION & SPECIAL, fraction = half & 0x3ffu;
    if (exponent == 0)
        return (sign ? -0x1p-24 : 0x1p-24) * (double)fraction;
    const uint32_t wide = exponent == SPECIAL ? 255u : exponent + SHIFTED;
    return (double)of_bits(sign | wide << 23 | fraction << CUT);
}

static MPI_Datatype int8_type(void) { return MPI_INT8_T; }
static MPI_Datatype int32_type(void) { return MPI_INT32_T; }
static MPI_Datatype int64_type(void) { return MPI_INT64_T; }
static MPI_Datatype float16_type(void) { return TYPE_OF_FLOAT16; }
static MPI_Datatype bfloat16_type(void) { return TYPE_OF_BFLOAT16; }
static MPI_Datatype float_type(void) { return MPI_FLOAT; }
static MPI_Datatype double_type(void) { return MPI_DOUBLE; }
static MPI_Datatype byte_type(void) { return MPI_BYTE; }

#define ELEMENT(name_, bytes_, is_integer_, reduces_, precision_, largest_)                        \
    {.name = #name_, .bytes = bytes_, .is_integer = is_integer_, .reduces = reduces_,              \
     .precision = precision_, .largest = largest_,                                                 \
     .type = name_##_type, .store = store_##name_, .load = load_##name_}

static const struct element elements[] = {
    ELEMENT(int8, 1, 1, 1, 0x1p7, 127.0),
    ELEMENT(int32, 4, 1, 1, 0x1p31, 2147483647.0),
    ELEMENT(int64, 8, 1, 1, 0x1p53, 0x1p63),
    ELEMENT(float16, 2, 0, 1, 0x1p11, 65504.0),
    ELEMENT(bfloat16, 2, 0, 1, 0x1p8, 0x1p127),
    ELEMENT(float, 4, 0, 1, 0x1p24, 0x1p127),
    ELEMENT(double, 8, 0, 1, 0x1p53, 0x1p1023),
    ELEMENT(byte, 1, 1, 0, 0x1p8, 255.0),
};
const char element_names[] = "int8, int32, int64, float16, bfloat16, float, double, byte";

const struct element *element_named(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    return NULL;
}

/* All libraries can add up the types that MPI itself has. */
void element_check(const struct element *element, double largest_sum)
{
    if (largest_sum > element->largest)
        fail(EXIT_ASKED_WRONGLY, "--element %s: sums of so many ranks, up to %.0f, overflow", element->name,
             largest_sum);
    if (element->bytes != sizeof(uint16_t))
        return;
    const MPI_Datatype type = element->type();
    uint16_t one, sum;
    int bytes = 0;
    element->store(&one, 0, 1.0);
    element->store(&sum, 0, 1.0);
    if (type == MPI_DATATYPE_NULL || MPI_Type_size(type, &bytes) != MPI_SUCCESS ||
        bytes != (int)element->bytes || MPI_Reduce_local(&one, &sum, 1, type, MPI_SUM) != MPI_SUCCESS ||
        element->load(&sum, 0) != 2.0)
        fail(EXIT_ASKED_WRONGLY, "--element %s: this MPI library adds up no numbers of this type", element->name);
}

double element_tolerance(const struct element *element, int count, double sum)
{
    return sum <= element->precision || element->is_integer ? 0.0 : (count - 1) * sum / element->precision / 2.0;
}
