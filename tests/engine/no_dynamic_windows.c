/* An MPI that makes no dynamic windows, and in which nobody may lock all ranks. */
#include <mpi.h>

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    (void)info, (void)comm, (void)win;
    return MPI_ERR_WIN;
}

int MPI_Win_lock_all(int assert, MPI_Win win)
{
    (void)assert, (void)win;
    return MPI_ERR_RMA_SYNC;
}
