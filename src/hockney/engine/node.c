#include "node.h"

#include "check.h"
#include "clock.h"

struct node node_of(MPI_Comm comm)
{
    struct node node = {0, 1};
    MPI_Comm common;
    if (IS_SIMULATED) /* simulated ranks share all memory, so this shows nothing */
        return node;
    check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &common),
          "MPI_Comm_split_type");
    ranks_of(common, &node.rank, &node.ranks);
    check(MPI_Comm_free(&common), "MPI_Comm_free");
    return node;
}
