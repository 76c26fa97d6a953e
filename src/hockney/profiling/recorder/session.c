/* Programs that use sessions and never call MPI_Init. What begins a session is local: all that is asked
   here is known without the other processes. */
#include "wrap.h"

static MPI_Group all; /* of the session with which recording began */
static int is_by_session;

int is_world_of_session(MPI_Group *group)
{
    *group = all;
    return is_by_session;
}

#if HAS_MPI_4

static atomic_int sessions;

static void begin_by_session(MPI_Session session)
{
    int rank = -1, ranks = 0;
    if (REAL(MPI_Group_from_session_pset)(session, "mpi://WORLD", &all) != MPI_SUCCESS)
        return;
    REAL(MPI_Group_rank)(all, &rank);
    REAL(MPI_Group_size)(all, &ranks);
    is_by_session = 1;
    if (!resume_recording() && !begin_recording_as(rank, ranks, MPI_THREAD_MULTIPLE)) {
        is_by_session = 0;
        REAL(MPI_Group_free)(&all);
    }
}

static void end_by_session(void)
{
    end_recording(FINALIZED);
    is_by_session = 0;
    REAL(MPI_Group_free)(&all);
}

#define BEGINS(SYMBOL)                                                                             \
    VISIBLE int SYMBOL(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)                \
    {                                                                                              \
        __typeof__(&SYMBOL) real = (__typeof__(&SYMBOL))real_of(#SYMBOL);                          \
        if (depth || is_from_library(__builtin_return_address(0)) ||                               \
            (!is_recorded_here() && !is_by_session)) /* that of MPI_Init counts no sessions */      \
            return real(info, handler, session);                                                   \
        check_family();                                                                            \
        depth++;                                                                                   \
        const int result = real(info, handler, session);                                           \
        if (result == MPI_SUCCESS && sessions++ == 0)                                              \
            begin_by_session(*session);                                                            \
        depth--;                                                                                   \
        return result;                                                                             \
    }

BEGINS(MPI_Session_init)
BEGINS(PMPI_Session_init)

#define CLOSES(SYMBOL)                                                                             \
    VISIBLE int SYMBOL(MPI_Session *session)                                                       \
    {                                                                                              \
        __typeof__(&SYMBOL) real = (__typeof__(&SYMBOL))real_of(#SYMBOL);                          \
        if (!depth && !is_from_library(__builtin_return_address(0)) && sessions > 0 &&             \
            --sessions == 0 && is_by_session) {                                                    \
            depth++;                                                                               \
            end_by_session();                                                                      \
            depth--;                                                                               \
        }                                                                                          \
        return real(session);                                                                      \
    }

CLOSES(MPI_Session_finalize)
CLOSES(PMPI_Session_finalize)

#endif
