/* Programs that use sessions and never call MPI_Init. What begins a session is local: all that is asked
   here is known without the other processes. */
#include <stdlib.h>

#include "wrap.h"

static MPI_Group all; /* of the session with which recording began */
static int is_by_session;

int is_world_of_session(MPI_Group *group)
{
    *group = all;
    return is_by_session;
}

/* Open MPI 5 has sessions, and is an MPI 3.1 by its own account. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)

static int sessions;

/* The same for all processes that a launcher starts together, as far as it names them. */
static uint64_t job_of_launcher(void)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_STEP_ID"};
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        for (; value && *value; value++)
            sum = (sum ^ (unsigned char)*value) * 1099511628211u;
    }
    return sum;
}

static void begin_by_session(MPI_Session session)
{
    int rank = -1, ranks = 0;
    if (REAL(MPI_Group_from_session_pset)(session, "mpi://WORLD", &all) != MPI_SUCCESS)
        return;
    REAL(MPI_Group_rank)(all, &rank);
    REAL(MPI_Group_size)(all, &ranks);
    is_by_session = 1;
    if (!resume_recording() &&
        !begin_recording_as(rank, ranks, job_of_launcher(), MPI_THREAD_MULTIPLE)) {
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
        if (depth || is_from_library(__builtin_return_address(0)) || !is_recorded_here())          \
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

#define SUFFIX
WRAP(Comm_create_from_group, (group, tag, info, handler, made), MPI_Group group, const char *tag,
     MPI_Info info, MPI_Errhandler handler, MPI_Comm *made)
{
    const uint64_t enter = ticks();
    const int result = real(group, tag, info, handler, made);
    count_plain(call, result == MPI_SUCCESS ? group_of(*made) : NO_GROUP, NO_PEER, enter);
    return result;
}

#endif
