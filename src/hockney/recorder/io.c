/* File I/O: counted with its bytes. It is no communication: nothing of it is replayed or predicted. */
#include "wrap.h"

static void count_io(uint16_t call, uint64_t elements, MPI_Datatype datatype, uint64_t enter)
{
    const uint64_t spent = ticks() - enter;
    lock_recorder();
    const struct type type = type_of(datatype);
    const struct operation operation = {.call = call, .group = NO_GROUP, .datatype = type.kind,
                                        .peer = NO_PEER, .bytes = elements * type.size};
    count(&operation, spent);
    if (traced)
        trace_other(enter, enter + spent);
    unlock_recorder();
}

#define SUFFIX
#define COUNT int
#include "io_calls.h"
#undef COUNT
#undef SUFFIX

#if MPI_VERSION >= 4
#define SUFFIX _c
#define COUNT MPI_Count
#include "io_calls.h"
#undef COUNT
#undef SUFFIX
#endif

#define SUFFIX

ON_COMM(File_open, (comm, name, mode, info, file), MPI_Comm comm, const char *name, int mode,
        MPI_Info info, MPI_File *file)

#define PLAIN(NAME, ARGUMENTS, ...)                                                                \
    WRAP(NAME, ARGUMENTS, __VA_ARGS__)                                                             \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real ARGUMENTS;                                                         \
        count_plain(call, NO_GROUP, NO_PEER, enter);                                               \
        return result;                                                                             \
    }

PLAIN(File_close, (file), MPI_File *file)
PLAIN(File_sync, (file), MPI_File file)
PLAIN(File_set_view, (file, place, type, of, representation, info), MPI_File file, MPI_Offset place,
      MPI_Datatype type, MPI_Datatype of, const char *representation, MPI_Info info)
PLAIN(File_set_size, (file, bytes), MPI_File file, MPI_Offset bytes)
PLAIN(File_seek, (file, place, from), MPI_File file, MPI_Offset place, int from)
