/* Wrappers. A table has one line for each function of MPI: CALL(NAME, ROLE, (ARGUMENTS), PARAMETERS), where
   ROLE says what is counted when it has come back, `done`. It makes MPI_NAME and PMPI_NAME (bindings for Fortran
   call either), which count calls of the program and no others: not those that the library or another tool
   makes on its behalf. */
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
        static _Atomic(FULL##_function *) known;                                                   \
        FULL##_function *real = atomic_load_explicit(&known, memory_order_relaxed);                \
        if (__builtin_expect(!real, 0)) {                                                          \
            real = (FULL##_function *)real_of(#SYMBOL);                                            \
            atomic_store_explicit(&known, real, memory_order_relaxed);                             \
        }                                                                                          \
        if (!is_recording() || depth || is_from_library(__builtin_return_address(0)))              \
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

/* A function whose body follows, in which `real` is the library's and `call` the number of the call. Functions
   with counts exist twice since MPI 4.0: SUFFIX is empty or _c. Both are one call. */
#define WRAP(NAME, ARGUMENTS, ...)                                                                 \
    WRAP_JOINED("MPI_" #NAME, JOIN(NAME, SUFFIX), ARGUMENTS, __VA_ARGS__)

#define CALL(NAME, ROLE, ARGUMENTS, ...)                                                           \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real ARGUMENTS;                                                         \
        const struct done done = {call, result, enter, ticks()};                                   \
        ROLE;                                                                                      \
        return result;                                                                             \
    }

/* The same, of a function whose `status` says what was received: the program need not have asked for it. */
#define CALL_WITH_STATUS(NAME, ROLE, ARGUMENTS, ...)                                               \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        MPI_Status own;                                                                            \
        status = status == MPI_STATUS_IGNORE ? &own : status;                                      \
        const uint64_t enter = ticks();                                                            \
        const int result = real ARGUMENTS;                                                         \
        const struct done done = {call, result, enter, ticks()};                                   \
        ROLE;                                                                                      \
        return result;                                                                             \
    }

/* Nothing is asked of a call that failed: its arguments need not be valid. */
static inline int has_failed(const struct done *done)
{
    return done->result != MPI_SUCCESS;
}

/* A call that moves no data of its own. */
static inline void count_plain(const struct done *done, uint16_t group, int32_t peer)
{
    if (!begin_entry())
        return;
    count(&(struct operation){.call = done->call, .group = group, .peer = peer},
          done->exit - done->enter);
    if (traced)
        trace_other(done->enter, done->exit);
    unlock_recorder();
}

/* Roles of such calls: of nothing that is known, or of a communicator. */
#define PLAIN count_plain(&done, NO_GROUP, NO_PEER)
#define ON_COMM ON(comm)
#define ON(COMM) count_plain(&done, has_failed(&done) ? NO_GROUP : group_of(COMM), NO_PEER)

#endif
