/* One-sided operations. Included for each width of counts: COUNT, SUFFIX. */

#define TO_TARGET                                                                                  \
    COUNT elements, MPI_Datatype datatype, int target, MPI_Aint place, COUNT there,                \
        MPI_Datatype there_type
#define TARGET elements, datatype, target, place, there, there_type

#define ACCESS(NAME, ARGUMENTS, ...)                                                               \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real ARGUMENTS;                                                         \
        count_access(call, window, (uint64_t)elements, datatype, target, 0, enter);                \
        return result;                                                                             \
    }

#define REQUESTED(NAME, ARGUMENTS, ...)                                                            \
    WRAP(NAME, (UNPACK ARGUMENTS, request), __VA_ARGS__, MPI_Request *request)                     \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real(UNPACK ARGUMENTS, request);                                        \
        const uintptr_t handle = result == MPI_SUCCESS ? HANDLE(*request) : 0;                     \
        count_access(call, window, (uint64_t)elements, datatype, target, handle, enter);           \
        return result;                                                                             \
    }

ACCESS(Put, (out, TARGET, window), const void *out, TO_TARGET, MPI_Win window)
ACCESS(Get, (in, TARGET, window), void *in, TO_TARGET, MPI_Win window)
ACCESS(Accumulate, (out, TARGET, op, window), const void *out, TO_TARGET, MPI_Op op, MPI_Win window)
REQUESTED(Rput, (out, TARGET, window), const void *out, TO_TARGET, MPI_Win window)
REQUESTED(Rget, (in, TARGET, window), void *in, TO_TARGET, MPI_Win window)
REQUESTED(Raccumulate, (out, TARGET, op, window), const void *out, TO_TARGET, MPI_Op op,
          MPI_Win window)

#define BOTH_WAYS                                                                                  \
    const void *out, COUNT elements, MPI_Datatype datatype, void *in, COUNT in_elements,           \
        MPI_Datatype in_type, int target, MPI_Aint place, COUNT there, MPI_Datatype there_type,    \
        MPI_Op op, MPI_Win window
#define BOTH                                                                                       \
    (out, elements, datatype, in, in_elements, in_type, target, place, there, there_type, op, window)
ACCESS(Get_accumulate, BOTH, BOTH_WAYS)
REQUESTED(Rget_accumulate, BOTH, BOTH_WAYS)

#undef TO_TARGET
#undef TARGET
#undef BOTH_WAYS
#undef BOTH
