/* Collectives. Included for each width of counts: COUNT, DISPLACEMENT, SUFFIX. COLLECTIVE(NAME, INAME,
   BYTES, TYPE, ROOT, (ARGUMENTS), PARAMETERS) is the blocking one, the nonblocking one and, since MPI 4.0,
   the persistent one. BYTES are a rank's own: its block, or the whole buffer of a broadcast or a
   reduction; where blocks differ, all that the rank sends (of a scatter: receives). */

#define BLOCKING(NAME, BYTES, TYPE, ROOT, ARGUMENTS, ...)                                          \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real ARGUMENTS;                                                         \
        const uint64_t exit = ticks();                                                             \
        count_collective(call, comm, BYTES, TYPE, ROOT, enter, exit);                              \
        return result;                                                                             \
    }

#define NONBLOCKING(NAME, BYTES, TYPE, ROOT, ARGUMENTS, ...)                                       \
    WRAP(NAME, (UNPACK ARGUMENTS, request), __VA_ARGS__, MPI_Request *request)                     \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real(UNPACK ARGUMENTS, request);                                        \
        const uint64_t exit = ticks();                                                             \
        if (result == MPI_SUCCESS)                                                                 \
            count_started(call, comm, BYTES, TYPE, ROOT, HANDLE(*request), 0, enter, exit);        \
        return result;                                                                             \
    }

#if MPI_VERSION >= 4
#define PERSISTENT(NAME, BYTES, TYPE, ROOT, ARGUMENTS, ...)                                        \
    WRAP(NAME, (UNPACK ARGUMENTS, info, request), __VA_ARGS__, MPI_Info info, MPI_Request *request)\
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real(UNPACK ARGUMENTS, info, request);                                  \
        const uint64_t exit = ticks();                                                             \
        if (result == MPI_SUCCESS)                                                                 \
            count_started(call, comm, BYTES, TYPE, ROOT, HANDLE(*request), 1, enter, exit);        \
        return result;                                                                             \
    }
#else
#define PERSISTENT(...)
#endif

#define COLLECTIVE(NAME, INAME, BYTES, TYPE, ROOT, ARGUMENTS, ...)                                 \
    BLOCKING(NAME, BYTES, TYPE, ROOT, ARGUMENTS, __VA_ARGS__)                                      \
    NONBLOCKING(INAME, BYTES, TYPE, ROOT, ARGUMENTS, __VA_ARGS__)                                  \
    PERSISTENT(NAME##_init, BYTES, TYPE, ROOT, ARGUMENTS, __VA_ARGS__)

COLLECTIVE(Bcast, Ibcast, bytes_of(elements, datatype), datatype, root,
           (buffer, elements, datatype, root, comm), void *buffer, COUNT elements,
           MPI_Datatype datatype, int root, MPI_Comm comm)

#define OUT_AND_IN                                                                                 \
    const void *out, COUNT out_elements, MPI_Datatype out_type, void *in, COUNT in_elements,       \
        MPI_Datatype in_type
#define OWN_BLOCK                                                                                  \
    (out == MPI_IN_PLACE ? bytes_of(in_elements, in_type) : bytes_of(out_elements, out_type))

COLLECTIVE(Gather, Igather, OWN_BLOCK, out == MPI_IN_PLACE ? in_type : out_type, root,
           (out, out_elements, out_type, in, in_elements, in_type, root, comm), OUT_AND_IN, int root,
           MPI_Comm comm)
COLLECTIVE(Scatter, Iscatter,
           in == MPI_IN_PLACE ? bytes_of(out_elements, out_type) : bytes_of(in_elements, in_type),
           in == MPI_IN_PLACE ? out_type : in_type, root,
           (out, out_elements, out_type, in, in_elements, in_type, root, comm), OUT_AND_IN, int root,
           MPI_Comm comm)
COLLECTIVE(Allgather, Iallgather, OWN_BLOCK, out == MPI_IN_PLACE ? in_type : out_type, NO_ROOT,
           (out, out_elements, out_type, in, in_elements, in_type, comm), OUT_AND_IN, MPI_Comm comm)
COLLECTIVE(Alltoall, Ialltoall, OWN_BLOCK, out == MPI_IN_PLACE ? in_type : out_type, NO_ROOT,
           (out, out_elements, out_type, in, in_elements, in_type, comm), OUT_AND_IN, MPI_Comm comm)
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, bytes_of(out_elements, out_type), out_type,
           NO_ROOT, (out, out_elements, out_type, in, in_elements, in_type, comm), OUT_AND_IN,
           MPI_Comm comm)
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, bytes_of(out_elements, out_type), out_type,
           NO_ROOT, (out, out_elements, out_type, in, in_elements, in_type, comm), OUT_AND_IN,
           MPI_Comm comm)
#undef OUT_AND_IN
#undef OWN_BLOCK

COLLECTIVE(Gatherv, Igatherv,
           out == MPI_IN_PLACE ? bytes_of(in_elements[own_rank(comm)], in_type)
                               : bytes_of(out_elements, out_type),
           out == MPI_IN_PLACE ? in_type : out_type, root,
           (out, out_elements, out_type, in, in_elements, places, in_type, root, comm),
           const void *out, COUNT out_elements, MPI_Datatype out_type, void *in,
           const COUNT in_elements[], const DISPLACEMENT places[], MPI_Datatype in_type, int root,
           MPI_Comm comm)
COLLECTIVE(Scatterv, Iscatterv,
           in == MPI_IN_PLACE ? bytes_of(out_elements[own_rank(comm)], out_type)
                              : bytes_of(in_elements, in_type),
           in == MPI_IN_PLACE ? out_type : in_type, root,
           (out, out_elements, places, out_type, in, in_elements, in_type, root, comm),
           const void *out, const COUNT out_elements[], const DISPLACEMENT places[],
           MPI_Datatype out_type, void *in, COUNT in_elements, MPI_Datatype in_type, int root,
           MPI_Comm comm)
COLLECTIVE(Allgatherv, Iallgatherv,
           out == MPI_IN_PLACE ? bytes_of(in_elements[own_rank(comm)], in_type)
                               : bytes_of(out_elements, out_type),
           out == MPI_IN_PLACE ? in_type : out_type, NO_ROOT,
           (out, out_elements, out_type, in, in_elements, places, in_type, comm), const void *out,
           COUNT out_elements, MPI_Datatype out_type, void *in, const COUNT in_elements[],
           const DISPLACEMENT places[], MPI_Datatype in_type, MPI_Comm comm)
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, bytes_of(out_elements, out_type), out_type,
           NO_ROOT, (out, out_elements, out_type, in, in_elements, places, in_type, comm),
           const void *out, COUNT out_elements, MPI_Datatype out_type, void *in,
           const COUNT in_elements[], const DISPLACEMENT places[], MPI_Datatype in_type,
           MPI_Comm comm)

#define ALL_BLOCKS(OF, SIZE)                                                                       \
    (out == MPI_IN_PLACE ? JOIN(sum_of, SUFFIX)(in_elements, SIZE) * type_of(in_type).size         \
                         : JOIN(sum_of, SUFFIX)(out_elements, SIZE) * type_of(OF).size)
#define V_PARAMETERS                                                                               \
    const void *out, const COUNT out_elements[], const DISPLACEMENT out_places[],                  \
        MPI_Datatype out_type, void *in, const COUNT in_elements[], const DISPLACEMENT in_places[],\
        MPI_Datatype in_type, MPI_Comm comm
COLLECTIVE(Alltoallv, Ialltoallv, ALL_BLOCKS(out_type, peers_of(comm)),
           out == MPI_IN_PLACE ? in_type : out_type, NO_ROOT,
           (out, out_elements, out_places, out_type, in, in_elements, in_places, in_type, comm),
           V_PARAMETERS)
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, ALL_BLOCKS(out_type, neighbors_of(comm)),
           out_type, NO_ROOT,
           (out, out_elements, out_places, out_type, in, in_elements, in_places, in_type, comm),
           V_PARAMETERS)
#undef V_PARAMETERS
#undef ALL_BLOCKS

COLLECTIVE(Alltoallw, Ialltoallw,
           out == MPI_IN_PLACE ? JOIN(mixed_sum_of, SUFFIX)(in_elements, in_types, peers_of(comm))
                               : JOIN(mixed_sum_of, SUFFIX)(out_elements, out_types, peers_of(comm)),
           byte_type(), NO_ROOT,
           (out, out_elements, out_places, out_types, in, in_elements, in_places, in_types, comm),
           const void *out, const COUNT out_elements[], const DISPLACEMENT out_places[],
           const MPI_Datatype out_types[], void *in, const COUNT in_elements[],
           const DISPLACEMENT in_places[], const MPI_Datatype in_types[], MPI_Comm comm)
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
           JOIN(mixed_sum_of, SUFFIX)(out_elements, out_types, neighbors_of(comm)), byte_type(),
           NO_ROOT,
           (out, out_elements, out_places, out_types, in, in_elements, in_places, in_types, comm),
           const void *out, const COUNT out_elements[], const MPI_Aint out_places[],
           const MPI_Datatype out_types[], void *in, const COUNT in_elements[],
           const MPI_Aint in_places[], const MPI_Datatype in_types[], MPI_Comm comm)

#define REDUCTION                                                                                  \
    const void *out, void *in, COUNT elements, MPI_Datatype datatype, MPI_Op op
COLLECTIVE(Reduce, Ireduce, bytes_of(elements, datatype), datatype, root,
           (out, in, elements, datatype, op, root, comm), REDUCTION, int root, MPI_Comm comm)
COLLECTIVE(Allreduce, Iallreduce, bytes_of(elements, datatype), datatype, NO_ROOT,
           (out, in, elements, datatype, op, comm), REDUCTION, MPI_Comm comm)
COLLECTIVE(Scan, Iscan, bytes_of(elements, datatype), datatype, NO_ROOT,
           (out, in, elements, datatype, op, comm), REDUCTION, MPI_Comm comm)
COLLECTIVE(Exscan, Iexscan, bytes_of(elements, datatype), datatype, NO_ROOT,
           (out, in, elements, datatype, op, comm), REDUCTION, MPI_Comm comm)
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, bytes_of(elements, datatype), datatype,
           NO_ROOT, (out, in, elements, datatype, op, comm), REDUCTION, MPI_Comm comm)
#undef REDUCTION
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           JOIN(sum_of, SUFFIX)(elements, peers_of(comm)) * type_of(datatype).size, datatype, NO_ROOT,
           (out, in, elements, datatype, op, comm), const void *out, void *in,
           const COUNT elements[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
