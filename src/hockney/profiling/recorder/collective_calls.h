/* Collectives. Included for each width of counts: COUNT, DISPLACEMENT, SUFFIX. COLLECTIVE(NAME, INAME, PART,
   ROOT, (ARGUMENTS), PARAMETERS) is the blocking one, the nonblocking one and, since MPI 4.0, the persistent one.
   PART is a rank's own: its block, or the whole buffer of a broadcast or a reduction; where blocks differ, all
   that the rank sends (of a scatter: receives). Arguments that are not significant are not read: at the root of
   an intercommunicator, which is MPI_ROOT or MPI_PROC_NULL, those of a block. */

#ifndef HOCKNEY_RECORDER_COLLECTIVE_CALLS_H
#define HOCKNEY_RECORDER_COLLECTIVE_CALLS_H

#define TOGETHER_OR_PLAIN(COUNTED)                                                                 \
    if (has_failed(&done))                                                                         \
        PLAIN;                                                                                     \
    else                                                                                           \
        COUNTED

#define BLOCKING(NAME, PART, ROOT, ARGUMENTS, ...)                                                 \
    CALL(NAME, TOGETHER_OR_PLAIN(count_collective(&done, comm, PART, ROOT)), ARGUMENTS, __VA_ARGS__)

#define NONBLOCKING(NAME, PART, ROOT, ARGUMENTS, ...)                                              \
    CALL(NAME, TOGETHER_OR_PLAIN(count_started(&done, comm, PART, ROOT, request, 0)),              \
         (UNPACK ARGUMENTS, request), __VA_ARGS__, MPI_Request *request)

#if HAS_MPI_4
#define PERSISTENT(NAME, PART, ROOT, ARGUMENTS, ...)                                               \
    CALL(NAME, TOGETHER_OR_PLAIN(count_started(&done, comm, PART, ROOT, request, 1)),              \
         (UNPACK ARGUMENTS, info, request), __VA_ARGS__, MPI_Info info, MPI_Request *request)
#else
#define PERSISTENT(...)
#endif

#define COLLECTIVE(NAME, INAME, PART, ROOT, ARGUMENTS, ...)                                        \
    BLOCKING(NAME, PART, ROOT, ARGUMENTS, __VA_ARGS__)                                             \
    NONBLOCKING(INAME, PART, ROOT, ARGUMENTS, __VA_ARGS__)                                         \
    PERSISTENT(NAME##_init, PART, ROOT, ARGUMENTS, __VA_ARGS__)

/* Of a rank that gives a block, or takes one; only in one communicator can the root do so in place. */
#define GIVEN(ELEMENTS_IN_PLACE)                                                                   \
    (out == MPI_IN_PLACE ? part_of(in, ELEMENTS_IN_PLACE, in_type)                                 \
                         : part_of(out, out_elements, out_type))
#define TAKEN(ELEMENTS_IN_PLACE)                                                                   \
    (in == MPI_IN_PLACE ? part_of(out, ELEMENTS_IN_PLACE, out_type)                                \
                        : part_of(in, in_elements, in_type))
#define OF_BLOCK(PART) (root < 0 ? nothing : PART)
#define OF_BUFFER(BUFFER)                                                                          \
    (root == MPI_PROC_NULL ? nothing : part_of(BUFFER, elements, datatype))
/* What a rank gives to a reduction; the root of an intercommunicator only takes. */
#define OPERAND (out == MPI_IN_PLACE ? in : out)
#define REDUCED part_of(OPERAND, elements, datatype)

/* All blocks of a rank that sends as many as there are NUMBER of others, or of neighbours in a GRID. */
#define ALL_BLOCKS(NUMBER, GRID)                                                                   \
    (out == MPI_IN_PLACE                                                                           \
         ? part_of(in, (MPI_Count)JOIN(sum_of, SUFFIX)(in_elements, NUMBER, GRID), in_type)        \
         : part_of(out, (MPI_Count)JOIN(sum_of, SUFFIX)(out_elements, NUMBER, GRID), out_type))
#define ALL_MIXED(NUMBER, GRID)                                                                    \
    mixed_part(OPERAND,                                                                            \
               out == MPI_IN_PLACE                                                                 \
                   ? JOIN(mixed_sum_of, SUFFIX)(in_elements, in_types, NUMBER, GRID)               \
                   : JOIN(mixed_sum_of, SUFFIX)(out_elements, out_types, NUMBER, GRID))

#endif

#define OUT_AND_IN                                                                                 \
    const void *out, COUNT out_elements, MPI_Datatype out_type, void *in, COUNT in_elements,       \
        MPI_Datatype in_type
#define OUT_AND_INS                                                                                \
    const void *out, COUNT out_elements, MPI_Datatype out_type, void *in,                          \
        const COUNT in_elements[], const DISPLACEMENT places[], MPI_Datatype in_type
#define OUTS_AND_INS                                                                               \
    const void *out, const COUNT out_elements[], const DISPLACEMENT out_places[],                  \
        MPI_Datatype out_type, void *in, const COUNT in_elements[], const DISPLACEMENT in_places[],\
        MPI_Datatype in_type
#define MIXED(PLACE)                                                                               \
    const void *out, const COUNT out_elements[], const PLACE out_places[],                         \
        const MPI_Datatype out_types[], void *in, const COUNT in_elements[],                       \
        const PLACE in_places[], const MPI_Datatype in_types[]
#define REDUCTION const void *out, void *in, COUNT elements, MPI_Datatype datatype, MPI_Op op
#define OUT_IN out, out_elements, out_type, in, in_elements, in_type
#define OUT_INS out, out_elements, out_type, in, in_elements, places, in_type
#define OUTS_INS out, out_elements, out_places, out_type, in, in_elements, in_places, in_type
#define MIXED_NAMES out, out_elements, out_places, out_types, in, in_elements, in_places, in_types
#define REDUCTION_NAMES out, in, elements, datatype, op

COLLECTIVE(Bcast, Ibcast, OF_BUFFER(buffer), root, (buffer, elements, datatype, root, comm), void *buffer,
           COUNT elements, MPI_Datatype datatype, int root, MPI_Comm comm)
COLLECTIVE(Gather, Igather, OF_BLOCK(GIVEN(in_elements)), root, (OUT_IN, root, comm), OUT_AND_IN,
           int root, MPI_Comm comm)
COLLECTIVE(Scatter, Iscatter, OF_BLOCK(TAKEN(out_elements)), root, (OUT_IN, root, comm), OUT_AND_IN,
           int root, MPI_Comm comm)
COLLECTIVE(Allgather, Iallgather, GIVEN(in_elements), NO_ROOT, (OUT_IN, comm), OUT_AND_IN,
           MPI_Comm comm)
COLLECTIVE(Alltoall, Ialltoall, GIVEN(in_elements), NO_ROOT, (OUT_IN, comm), OUT_AND_IN,
           MPI_Comm comm)
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, part_of(out, out_elements, out_type), NO_ROOT,
           (OUT_IN, comm), OUT_AND_IN, MPI_Comm comm)
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, part_of(out, out_elements, out_type), NO_ROOT,
           (OUT_IN, comm), OUT_AND_IN, MPI_Comm comm)
COLLECTIVE(Gatherv, Igatherv, OF_BLOCK(GIVEN(in_elements[own_rank(comm)])), root,
           (OUT_INS, root, comm), OUT_AND_INS, int root, MPI_Comm comm)
COLLECTIVE(Scatterv, Iscatterv, OF_BLOCK(TAKEN(out_elements[own_rank(comm)])), root,
           (out, out_elements, places, out_type, in, in_elements, in_type, root, comm),
           const void *out, const COUNT out_elements[], const DISPLACEMENT places[],
           MPI_Datatype out_type, void *in, COUNT in_elements, MPI_Datatype in_type, int root,
           MPI_Comm comm)
COLLECTIVE(Allgatherv, Iallgatherv, GIVEN(in_elements[own_rank(comm)]), NO_ROOT, (OUT_INS, comm),
           OUT_AND_INS, MPI_Comm comm)
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, part_of(out, out_elements, out_type), NO_ROOT,
           (OUT_INS, comm), OUT_AND_INS, MPI_Comm comm)
COLLECTIVE(Alltoallv, Ialltoallv, ALL_BLOCKS(peers_of(comm), MPI_COMM_NULL), NO_ROOT, (OUTS_INS, comm),
           OUTS_AND_INS, MPI_Comm comm)
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, ALL_BLOCKS(neighbors_of(comm), comm), NO_ROOT,
           (OUTS_INS, comm), OUTS_AND_INS, MPI_Comm comm)
COLLECTIVE(Alltoallw, Ialltoallw, ALL_MIXED(peers_of(comm), MPI_COMM_NULL), NO_ROOT, (MIXED_NAMES, comm),
           MIXED(DISPLACEMENT), MPI_Comm comm)
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, ALL_MIXED(neighbors_of(comm), comm), NO_ROOT,
           (MIXED_NAMES, comm), MIXED(MPI_Aint), MPI_Comm comm)
COLLECTIVE(Reduce, Ireduce, OF_BUFFER(root == MPI_ROOT ? in : OPERAND), root,
           (REDUCTION_NAMES, root, comm), REDUCTION, int root, MPI_Comm comm)
COLLECTIVE(Allreduce, Iallreduce, REDUCED, NO_ROOT, (REDUCTION_NAMES, comm),
           REDUCTION, MPI_Comm comm)
COLLECTIVE(Scan, Iscan, REDUCED, NO_ROOT, (REDUCTION_NAMES, comm), REDUCTION,
           MPI_Comm comm)
COLLECTIVE(Exscan, Iexscan, REDUCED, NO_ROOT, (REDUCTION_NAMES, comm),
           REDUCTION, MPI_Comm comm)
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, REDUCED, NO_ROOT,
           (REDUCTION_NAMES, comm), REDUCTION, MPI_Comm comm)
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           part_of(OPERAND, (MPI_Count)JOIN(sum_of, SUFFIX)(elements, own_size(comm), MPI_COMM_NULL), datatype),
           NO_ROOT,
           (REDUCTION_NAMES, comm), const void *out, void *in, const COUNT elements[],
           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)

#undef OUT_AND_IN
#undef OUT_AND_INS
#undef OUTS_AND_INS
#undef MIXED
#undef REDUCTION
#undef OUT_IN
#undef OUT_INS
#undef OUTS_INS
#undef MIXED_NAMES
#undef REDUCTION_NAMES
