/* Reading and writing. Included for each width of counts: COUNT, SUFFIX. The bytes are those that were
   asked for; nonblocking calls are counted where they begin. END: the status or the request. */

#ifndef HOCKNEY_RECORDER_IO_CALLS_H
#define HOCKNEY_RECORDER_IO_CALLS_H

#define TRANSFERS(NAME, BUFFER, END)                                                               \
    WRAP(NAME, (file, buffer, elements, datatype, end), MPI_File file, BUFFER *buffer,             \
         COUNT elements, MPI_Datatype datatype, END *end)                                          \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real(file, buffer, elements, datatype, end);                            \
        count_io(call, (uint64_t)elements, datatype, enter);                                       \
        return result;                                                                             \
    }

#define TRANSFERS_AT(NAME, BUFFER, END)                                                            \
    WRAP(NAME, (file, place, buffer, elements, datatype, end), MPI_File file, MPI_Offset place,    \
         BUFFER *buffer, COUNT elements, MPI_Datatype datatype, END *end)                          \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real(file, place, buffer, elements, datatype, end);                     \
        count_io(call, (uint64_t)elements, datatype, enter);                                       \
        return result;                                                                             \
    }

#endif

TRANSFERS(File_read, void, MPI_Status)
TRANSFERS(File_read_all, void, MPI_Status)
TRANSFERS(File_read_shared, void, MPI_Status)
TRANSFERS(File_read_ordered, void, MPI_Status)
TRANSFERS(File_write, const void, MPI_Status)
TRANSFERS(File_write_all, const void, MPI_Status)
TRANSFERS(File_write_shared, const void, MPI_Status)
TRANSFERS(File_write_ordered, const void, MPI_Status)
TRANSFERS(File_iread, void, MPI_Request)
TRANSFERS(File_iread_all, void, MPI_Request)
TRANSFERS(File_iwrite, const void, MPI_Request)
TRANSFERS(File_iwrite_all, const void, MPI_Request)
TRANSFERS_AT(File_read_at, void, MPI_Status)
TRANSFERS_AT(File_read_at_all, void, MPI_Status)
TRANSFERS_AT(File_write_at, const void, MPI_Status)
TRANSFERS_AT(File_write_at_all, const void, MPI_Status)
TRANSFERS_AT(File_iread_at, void, MPI_Request)
TRANSFERS_AT(File_iread_at_all, void, MPI_Request)
TRANSFERS_AT(File_iwrite_at, const void, MPI_Request)
TRANSFERS_AT(File_iwrite_at_all, const void, MPI_Request)
