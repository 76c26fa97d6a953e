/* File I/O: counted with its bytes. It is no communication: nothing of it is replayed or predicted. */
#include "wrap.h"

static void count_io(const struct done *done, const void *buffer, uint64_t elements,
                     MPI_Datatype datatype)
{
    if (has_failed(done)) {
        count_plain(done, NO_GROUP, NO_PEER);
        return;
    }
    const struct type type = type_of(datatype);
    const uint64_t bytes = elements * type.size;
    const struct operation operation = {.call = done->call, .group = NO_GROUP, .datatype = type.kind,
                                        .peer = NO_PEER, .bytes = bytes,
                                        .memory = memory_of(buffer, bytes)};
    if (!begin_entry())
        return;
    count(&operation, done->exit - done->enter);
    if (traced)
        trace_other(done->enter, done->exit);
    unlock_recorder();
}

#define TRANSFERS count_io(&done, buffer, (uint64_t)elements, datatype)

#define SUFFIX
#define COUNT int
#include "io_calls.h"
#undef COUNT
#undef SUFFIX

#if HAS_LARGE_COUNTS
#define SUFFIX _c
#define COUNT MPI_Count
#include "io_calls.h"
#undef COUNT
#undef SUFFIX
#endif

#define SUFFIX

CALL(File_open, ON_COMM, (comm, name, mode, info, file), MPI_Comm comm, const char *name, int mode,
     MPI_Info info, MPI_File *file)
CALL(File_close, PLAIN, (file), MPI_File *file)
CALL(File_sync, PLAIN, (file), MPI_File file)
CALL(File_set_view, PLAIN, (file, place, type, of, representation, info), MPI_File file,
     MPI_Offset place, MPI_Datatype type, MPI_Datatype of, const char *representation, MPI_Info info)
CALL(File_set_size, PLAIN, (file, bytes), MPI_File file, MPI_Offset bytes)
CALL(File_set_info, PLAIN, (file, info), MPI_File file, MPI_Info info)
CALL(File_set_atomicity, PLAIN, (file, flag), MPI_File file, int flag)
CALL(File_preallocate, PLAIN, (file, bytes), MPI_File file, MPI_Offset bytes)
CALL(File_seek, PLAIN, (file, place, from), MPI_File file, MPI_Offset place, int from)
CALL(File_seek_shared, PLAIN, (file, place, from), MPI_File file, MPI_Offset place, int from)
CALL(File_read_all_end, PLAIN, (file, buffer, status), MPI_File file, void *buffer, MPI_Status *status)
CALL(File_read_at_all_end, PLAIN, (file, buffer, status), MPI_File file, void *buffer,
     MPI_Status *status)
CALL(File_read_ordered_end, PLAIN, (file, buffer, status), MPI_File file, void *buffer,
     MPI_Status *status)
CALL(File_write_all_end, PLAIN, (file, buffer, status), MPI_File file, const void *buffer,
     MPI_Status *status)
CALL(File_write_at_all_end, PLAIN, (file, buffer, status), MPI_File file, const void *buffer,
     MPI_Status *status)
CALL(File_write_ordered_end, PLAIN, (file, buffer, status), MPI_File file, const void *buffer,
     MPI_Status *status)
