/* What makes communicators, and frees them. The group of a call is that of the communicator that it is made
   from: the new one need not be complete, or be one for this rank. */
#include "wrap.h"

#define SUFFIX

CALL(Comm_dup, ON_COMM, (comm, made), MPI_Comm comm, MPI_Comm *made)
CALL(Comm_dup_with_info, ON_COMM, (comm, info, made), MPI_Comm comm, MPI_Info info, MPI_Comm *made)
CALL(Comm_idup, ON_COMM, (comm, made, request), MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
CALL(Comm_split, ON_COMM, (comm, color, key, made), MPI_Comm comm, int color, int key, MPI_Comm *made)
CALL(Comm_split_type, ON_COMM, (comm, type, key, info, made), MPI_Comm comm, int type, int key,
     MPI_Info info, MPI_Comm *made)
CALL(Comm_create, ON_COMM, (comm, group, made), MPI_Comm comm, MPI_Group group, MPI_Comm *made)
CALL(Comm_create_group, ON_COMM, (comm, group, tag, made), MPI_Comm comm, MPI_Group group, int tag,
     MPI_Comm *made)
CALL(Comm_set_info, ON_COMM, (comm, info), MPI_Comm comm, MPI_Info info)
CALL(Cart_create, ON_COMM, (comm, dimensions, sizes, periods, reorder, made), MPI_Comm comm,
     int dimensions, const int sizes[], const int periods[], int reorder, MPI_Comm *made)
CALL(Cart_sub, ON_COMM, (comm, kept, made), MPI_Comm comm, const int kept[], MPI_Comm *made)
CALL(Graph_create, ON_COMM, (comm, nodes, index, edges, reorder, made), MPI_Comm comm, int nodes,
     const int index[], const int edges[], int reorder, MPI_Comm *made)
CALL(Dist_graph_create, ON_COMM,
     (comm, number, sources, degrees, targets, weights, info, reorder, made), MPI_Comm comm, int number,
     const int sources[], const int degrees[], const int targets[], const int weights[],
     MPI_Info info, int reorder, MPI_Comm *made)
CALL(Dist_graph_create_adjacent, ON_COMM,
     (comm, in, sources, in_weights, out, targets, out_weights, info, reorder, made), MPI_Comm comm,
     int in, const int sources[], const int in_weights[], int out, const int targets[],
     const int out_weights[], MPI_Info info, int reorder, MPI_Comm *made)
CALL(Intercomm_create, ON_COMM, (comm, leader, bridge, remote_leader, tag, made), MPI_Comm comm,
     int leader, MPI_Comm bridge, int remote_leader, int tag, MPI_Comm *made)
CALL(Intercomm_merge, ON_COMM, (comm, is_high, made), MPI_Comm comm, int is_high, MPI_Comm *made)
CALL(Comm_accept, ON_COMM, (port, info, root, comm, made), const char *port, MPI_Info info, int root,
     MPI_Comm comm, MPI_Comm *made)
CALL(Comm_connect, ON_COMM, (port, info, root, comm, made), const char *port, MPI_Info info, int root,
     MPI_Comm comm, MPI_Comm *made)
CALL(Comm_join, PLAIN, (socket, made), int socket, MPI_Comm *made)
CALL(Comm_spawn, ON_COMM, (command, arguments, most, info, root, comm, made, errors),
     const char *command, char *arguments[], int most, MPI_Info info, int root, MPI_Comm comm,
     MPI_Comm *made, int errors[])
CALL(Comm_spawn_multiple, ON_COMM,
     (number, commands, arguments, most, infos, root, comm, made, errors), int number,
     char *commands[], char **arguments[], const int most[], const MPI_Info infos[], int root,
     MPI_Comm comm, MPI_Comm *made, int errors[])
#if HAS_MPI_4
CALL(Comm_idup_with_info, ON_COMM, (comm, info, made, request), MPI_Comm comm, MPI_Info info,
     MPI_Comm *made, MPI_Request *request)
/* Both wait until the new communicator is there. There may be none where MPICH says so: what fails is a
   success once its error handler has returned. */
WRAP(Comm_create_from_group, (group, tag, info, handler, made), MPI_Group group, const char *tag,
     MPI_Info info, MPI_Errhandler handler, MPI_Comm *made)
{
    const MPI_Comm before = made ? *made : MPI_COMM_NULL;
    const uint64_t enter = ticks();
    const int result = real(group, tag, info, handler, made);
    const struct done done = {call, result, enter, ticks()};
    ON(made && *made != before ? *made : MPI_COMM_NULL);
    return result;
}
CALL(Intercomm_create_from_groups, PLAIN,
     (group, leader, remote, remote_leader, tag, info, handler, made), MPI_Group group, int leader,
     MPI_Group remote, int remote_leader, const char *tag, MPI_Info info, MPI_Errhandler handler,
     MPI_Comm *made)
#endif

/* The library is not asked for the group: of a handle that is none, it would report errors of ours first. */
#define FREES(NAME)                                                                                \
    WRAP(NAME, (comm), MPI_Comm *comm)                                                             \
    {                                                                                              \
        const uint16_t group = comm ? group_if_known(*comm) : NO_GROUP;                            \
        if (comm)                                                                                  \
            forget_comm(*comm);                                                                    \
        const uint64_t enter = ticks();                                                            \
        const int result = real(comm);                                                             \
        const struct done done = {call, result, enter, ticks()};                                   \
        count_plain(&done, group, NO_PEER);                                                        \
        return result;                                                                             \
    }

FREES(Comm_free)
FREES(Comm_disconnect)

/* What is freed, or gets another name, while recording is switched off must be forgotten, too. */
#define FORGETS(SYMBOL, FORGET, ARGUMENTS, ...)                                                    \
    VISIBLE int SYMBOL(__VA_ARGS__)                                                                \
    {                                                                                              \
        typedef int function(__VA_ARGS__);                                                         \
        function *real = (function *)real_of(#SYMBOL);                                             \
        FORGET;                                                                                    \
        return real ARGUMENTS;                                                                     \
    }

FORGETS(MPI_Type_free, if (datatype) forget_type(*datatype), (datatype), MPI_Datatype *datatype)
FORGETS(PMPI_Type_free, if (datatype) forget_type(*datatype), (datatype), MPI_Datatype *datatype)
FORGETS(MPI_Comm_set_name, forget_comm(comm), (comm, name), MPI_Comm comm, const char *name)
FORGETS(PMPI_Comm_set_name, forget_comm(comm), (comm, name), MPI_Comm comm, const char *name)
