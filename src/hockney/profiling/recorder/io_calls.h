/* Reading and writing. Included for each width of counts: COUNT, SUFFIX. The bytes are those that were
   asked for; calls that do not block, or are split, are counted where they begin. */

#define INTO MPI_File file, void *buffer, COUNT elements, MPI_Datatype datatype
#define FROM MPI_File file, const void *buffer, COUNT elements, MPI_Datatype datatype
#define INTO_AT MPI_File file, MPI_Offset place, void *buffer, COUNT elements, MPI_Datatype datatype
#define FROM_AT                                                                                    \
    MPI_File file, MPI_Offset place, const void *buffer, COUNT elements, MPI_Datatype datatype
#define WHAT file, buffer, elements, datatype
#define WHAT_AT file, place, buffer, elements, datatype

CALL(File_read, TRANSFERS, (WHAT, status), INTO, MPI_Status *status)
CALL(File_read_all, TRANSFERS, (WHAT, status), INTO, MPI_Status *status)
CALL(File_read_shared, TRANSFERS, (WHAT, status), INTO, MPI_Status *status)
CALL(File_read_ordered, TRANSFERS, (WHAT, status), INTO, MPI_Status *status)
CALL(File_iread, TRANSFERS, (WHAT, request), INTO, MPI_Request *request)
CALL(File_iread_all, TRANSFERS, (WHAT, request), INTO, MPI_Request *request)
CALL(File_iread_shared, TRANSFERS, (WHAT, request), INTO, MPI_Request *request)
CALL(File_read_all_begin, TRANSFERS, (WHAT), INTO)
CALL(File_read_ordered_begin, TRANSFERS, (WHAT), INTO)
CALL(File_write, TRANSFERS, (WHAT, status), FROM, MPI_Status *status)
CALL(File_write_all, TRANSFERS, (WHAT, status), FROM, MPI_Status *status)
CALL(File_write_shared, TRANSFERS, (WHAT, status), FROM, MPI_Status *status)
CALL(File_write_ordered, TRANSFERS, (WHAT, status), FROM, MPI_Status *status)
CALL(File_iwrite, TRANSFERS, (WHAT, request), FROM, MPI_Request *request)
CALL(File_iwrite_all, TRANSFERS, (WHAT, request), FROM, MPI_Request *request)
CALL(File_iwrite_shared, TRANSFERS, (WHAT, request), FROM, MPI_Request *request)
CALL(File_write_all_begin, TRANSFERS, (WHAT), FROM)
CALL(File_write_ordered_begin, TRANSFERS, (WHAT), FROM)
CALL(File_read_at, TRANSFERS, (WHAT_AT, status), INTO_AT, MPI_Status *status)
CALL(File_read_at_all, TRANSFERS, (WHAT_AT, status), INTO_AT, MPI_Status *status)
CALL(File_iread_at, TRANSFERS, (WHAT_AT, request), INTO_AT, MPI_Request *request)
CALL(File_iread_at_all, TRANSFERS, (WHAT_AT, request), INTO_AT, MPI_Request *request)
CALL(File_read_at_all_begin, TRANSFERS, (WHAT_AT), INTO_AT)
CALL(File_write_at, TRANSFERS, (WHAT_AT, status), FROM_AT, MPI_Status *status)
CALL(File_write_at_all, TRANSFERS, (WHAT_AT, status), FROM_AT, MPI_Status *status)
CALL(File_iwrite_at, TRANSFERS, (WHAT_AT, request), FROM_AT, MPI_Request *request)
CALL(File_iwrite_at_all, TRANSFERS, (WHAT_AT, request), FROM_AT, MPI_Request *request)
CALL(File_write_at_all_begin, TRANSFERS, (WHAT_AT), FROM_AT)

#undef INTO
#undef FROM
#undef INTO_AT
#undef FROM_AT
#undef WHAT
#undef WHAT_AT
