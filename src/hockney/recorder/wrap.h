/* WRAP(NAME, (ARGUMENTS), PARAMETERS) { BODY }: MPI_NAME and PMPI_NAME, which call the library's
   function of the same name. The body does so for calls that are counted: those of the program, not
   those that the library or another tool makes on its behalf. Bindings for Fortran call either of the two
   names, by library. In the body, `real` is the library's function and `call` the number of the call. */
#ifndef HOCKNEY_RECORDER_WRAP_H
#define HOCKNEY_RECORDER_WRAP_H

#include "recorder.h"

/* Both names have the body in them: a call less for each of the program's. */
#define INLINE static inline __attribute__((always_inline))
#define UNPACK(...) __VA_ARGS__
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#define ENTRY(SYMBOL, FULL, ARGUMENTS, ...)                                                        \
    VISIBLE int SYMBOL(__VA_ARGS__)                                                                \
    {                                                                                              \
        static FULL##_function *real;                                                              \
        if (__builtin_expect(!real, 0))                                                            \
            real = (FULL##_function *)real_of(#SYMBOL);                                            \
        if (!recorded || depth || is_from_library(__builtin_return_address(0)))                    \
            return real ARGUMENTS;                                                                 \
        depth++;                                                                                   \
        const int result = FULL##_counted(real, number_of(&FULL##_call), UNPACK ARGUMENTS);        \
        depth--;                                                                                   \
        return result;                                                                             \
    }

#define WRAP_AS(SHOWN, FULL, ARGUMENTS, ...)                                                       \
    typedef int FULL##_function(__VA_ARGS__);                                                      \
    INLINE int FULL##_counted(FULL##_function *real, uint16_t call, __VA_ARGS__);                  \
    static struct call FULL##_call = {SHOWN, 0};                                                   \
    ENTRY(MPI_##FULL, FULL, ARGUMENTS, __VA_ARGS__)                                                \
    ENTRY(PMPI_##FULL, FULL, ARGUMENTS, __VA_ARGS__)                                               \
    INLINE int FULL##_counted(FULL##_function *real, uint16_t call, __VA_ARGS__)

#define WRAP_JOINED(SHOWN, FULL, ARGUMENTS, ...) WRAP_AS(SHOWN, FULL, ARGUMENTS, __VA_ARGS__)

/* Functions with counts exist twice since MPI 4.0: SUFFIX is empty or _c. Both are one call. */
#define WRAP(NAME, ARGUMENTS, ...)                                                                 \
    WRAP_JOINED("MPI_" #NAME, JOIN(NAME, SUFFIX), ARGUMENTS, __VA_ARGS__)

enum { NO_GROUP = UINT16_MAX };

/* A call that moves no data of its own. */
static inline void count_plain(uint16_t call, uint16_t group, int32_t peer, uint64_t enter)
{
    const uint64_t spent = ticks() - enter;
    lock_recorder();
    count(&(struct operation){.call = call, .group = group, .peer = peer}, spent);
    if (traced)
        trace_other(enter, enter + spent);
    unlock_recorder();
}

/* The same, of a function of `comm`. */
#define ON_COMM(NAME, ARGUMENTS, ...)                                                              \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real ARGUMENTS;                                                         \
        count_plain(call, group_of(comm), NO_PEER, enter);                                         \
        return result;                                                                             \
    }

#endif
