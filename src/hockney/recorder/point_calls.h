/* Messages between two ranks. Included for each width of counts: COUNT, SUFFIX. */

#define SENDS(NAME)                                                                                \
    WRAP(NAME, (buffer, elements, datatype, rank, tag, comm), const void *buffer, COUNT elements,  \
         MPI_Datatype datatype, int rank, int tag, MPI_Comm comm)                                  \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real(buffer, elements, datatype, rank, tag, comm);                      \
        const struct message message = {call, buffer, (uint64_t)elements, datatype, rank, tag, comm};      \
        count_send(&message, enter, ticks());                                                      \
        return result;                                                                             \
    }

#define STARTS(NAME, KIND, BUFFER)                                                                 \
    WRAP(NAME, (buffer, elements, datatype, rank, tag, comm, request), BUFFER *buffer,             \
         COUNT elements, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,                  \
         MPI_Request *request)                                                                     \
    {                                                                                              \
        const uint64_t enter = ticks();                                                            \
        const int result = real(buffer, elements, datatype, rank, tag, comm, request);             \
        const struct message message = {call, buffer, (uint64_t)elements, datatype, rank, tag, comm};      \
        if (result == MPI_SUCCESS)                                                                 \
            count_start(&message, KIND, HANDLE(*request), enter, ticks());                         \
        return result;                                                                             \
    }

SENDS(Send)
SENDS(Bsend)
SENDS(Ssend)
SENDS(Rsend)
STARTS(Isend, SENDING, const void)
STARTS(Ibsend, SENDING, const void)
STARTS(Issend, SENDING, const void)
STARTS(Irsend, SENDING, const void)
STARTS(Irecv, RECEIVING, void)
STARTS(Send_init, SENDING | PERSISTENT, const void)
STARTS(Bsend_init, SENDING | PERSISTENT, const void)
STARTS(Ssend_init, SENDING | PERSISTENT, const void)
STARTS(Rsend_init, SENDING | PERSISTENT, const void)
STARTS(Recv_init, RECEIVING | PERSISTENT, void)

WRAP(Recv, (buffer, elements, datatype, rank, tag, comm, status), void *buffer, COUNT elements,
     MPI_Datatype datatype, int rank, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    const uint64_t enter = ticks();
    const int result = real(buffer, elements, datatype, rank, tag, comm, seen);
    const uint64_t exit = ticks();
    if (result == MPI_SUCCESS)
        count_received(call, buffer, type_of(datatype).kind, seen, comm, enter, exit);
    return result;
}

WRAP(Mrecv, (buffer, elements, datatype, message, status), void *buffer, COUNT elements,
     MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    const uint64_t enter = ticks();
    const int result = real(buffer, elements, datatype, message, seen);
    if (result == MPI_SUCCESS)
        count_matched(call, type_of(datatype).kind, seen, enter);
    return result;
}

WRAP(Sendrecv,
     (out, out_elements, out_type, to, out_tag, in, in_elements, in_type, from, in_tag, comm, status),
     const void *out, COUNT out_elements, MPI_Datatype out_type, int to, int out_tag, void *in,
     COUNT in_elements, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
     MPI_Status *status)
{
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    const uint64_t enter = ticks();
    const int result = real(out, out_elements, out_type, to, out_tag, in, in_elements, in_type,
                            from, in_tag, comm, seen);
    const struct message message = {call, out, (uint64_t)out_elements, out_type, to, out_tag, comm};
    if (result == MPI_SUCCESS)
        count_exchange(&message, seen, enter, ticks());
    return result;
}

WRAP(Sendrecv_replace, (buffer, elements, datatype, to, out_tag, from, in_tag, comm, status),
     void *buffer, COUNT elements, MPI_Datatype datatype, int to, int out_tag, int from, int in_tag,
     MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    const uint64_t enter = ticks();
    const int result = real(buffer, elements, datatype, to, out_tag, from, in_tag, comm, seen);
    const struct message message = {call, buffer, (uint64_t)elements, datatype, to, out_tag, comm};
    if (result == MPI_SUCCESS)
        count_exchange(&message, seen, enter, ticks());
    return result;
}

#undef SENDS
#undef STARTS
