/* One-sided operations and windows. Included for each width of counts: COUNT, UNIT, SUFFIX. */

#define TO_TARGET                                                                                  \
    COUNT elements, MPI_Datatype datatype, int target, MPI_Aint place, COUNT there,                \
        MPI_Datatype there_type
#define TARGET elements, datatype, target, place, there, there_type

CALL(Put, ACCESSES(out), (out, TARGET, window), const void *out, TO_TARGET, MPI_Win window)
CALL(Get, ACCESSES(in), (in, TARGET, window), void *in, TO_TARGET, MPI_Win window)
CALL(Accumulate, ACCESSES(out), (out, TARGET, op, window), const void *out, TO_TARGET, MPI_Op op,
     MPI_Win window)
CALL(Rput, REQUESTS(out), (out, TARGET, window, request), const void *out, TO_TARGET, MPI_Win window,
     MPI_Request *request)
CALL(Rget, REQUESTS(in), (in, TARGET, window, request), void *in, TO_TARGET, MPI_Win window,
     MPI_Request *request)
CALL(Raccumulate, REQUESTS(out), (out, TARGET, op, window, request), const void *out, TO_TARGET, MPI_Op op,
     MPI_Win window, MPI_Request *request)

/* What is sent counts for nothing with MPI_NO_OP: the elements are those of the result. */
#define BOTH_WAYS                                                                                  \
    const void *out, COUNT out_elements, MPI_Datatype out_type, void *in, COUNT elements,          \
        MPI_Datatype datatype, int target, MPI_Aint place, COUNT there, MPI_Datatype there_type,   \
        MPI_Op op, MPI_Win window
#define BOTH                                                                                       \
    out, out_elements, out_type, in, elements, datatype, target, place, there, there_type, op, window
CALL(Get_accumulate, ACCESSES(in), (BOTH), BOTH_WAYS)
CALL(Rget_accumulate, REQUESTS(in), (BOTH, request), BOTH_WAYS, MPI_Request *request)

CALL(Win_create, ON_COMM, (base, size, unit, info, comm, window), void *base, MPI_Aint size,
     UNIT unit, MPI_Info info, MPI_Comm comm, MPI_Win *window)
CALL(Win_allocate, ON_COMM, (size, unit, info, comm, base, window), MPI_Aint size, UNIT unit,
     MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window)
CALL(Win_allocate_shared, ON_COMM, (size, unit, info, comm, base, window), MPI_Aint size, UNIT unit,
     MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window)

#undef TO_TARGET
#undef TARGET
#undef BOTH_WAYS
#undef BOTH
