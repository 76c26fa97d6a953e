/* Messages between two ranks. Included for each width of counts: COUNT, SUFFIX. */

#define MESSAGE                                                                                    \
    (&(struct message){&done, buffer, (uint64_t)elements, datatype, rank, tag, comm})
#define SENDS count_send(MESSAGE)
#define STARTS(HOW) count_start(MESSAGE, HOW, request)
#define RECEIVES                                                                                   \
    count_received(&done, buffer, datatype, status, has_failed(&done) ? NO_GROUP : group_of(comm))
#define EXCHANGES count_exchange(MESSAGE, status)
#define ADDRESS COUNT elements, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm
#define WHOM buffer, elements, datatype, rank, tag, comm

CALL(Send, SENDS, (WHOM), const void *buffer, ADDRESS)
CALL(Bsend, SENDS, (WHOM), const void *buffer, ADDRESS)
CALL(Ssend, SENDS, (WHOM), const void *buffer, ADDRESS)
CALL(Rsend, SENDS, (WHOM), const void *buffer, ADDRESS)
CALL(Isend, STARTS(SENDING), (WHOM, request), const void *buffer, ADDRESS, MPI_Request *request)
CALL(Ibsend, STARTS(SENDING), (WHOM, request), const void *buffer, ADDRESS, MPI_Request *request)
CALL(Issend, STARTS(SENDING), (WHOM, request), const void *buffer, ADDRESS, MPI_Request *request)
CALL(Irsend, STARTS(SENDING), (WHOM, request), const void *buffer, ADDRESS, MPI_Request *request)
CALL(Irecv, STARTS(RECEIVING), (WHOM, request), void *buffer, ADDRESS, MPI_Request *request)
CALL(Send_init, STARTS(SENDING | PERSISTENT), (WHOM, request), const void *buffer, ADDRESS,
     MPI_Request *request)
CALL(Bsend_init, STARTS(SENDING | PERSISTENT), (WHOM, request), const void *buffer, ADDRESS,
     MPI_Request *request)
CALL(Ssend_init, STARTS(SENDING | PERSISTENT), (WHOM, request), const void *buffer, ADDRESS,
     MPI_Request *request)
CALL(Rsend_init, STARTS(SENDING | PERSISTENT), (WHOM, request), const void *buffer, ADDRESS,
     MPI_Request *request)
CALL(Recv_init, STARTS(RECEIVING | PERSISTENT), (WHOM, request), void *buffer, ADDRESS,
     MPI_Request *request)
CALL_WITH_STATUS(Recv, RECEIVES, (WHOM, status), void *buffer, ADDRESS, MPI_Status *status)

/* The first of these messages is the sent one. */
#define PAIR                                                                                       \
    const void *buffer, COUNT elements, MPI_Datatype datatype, int rank, int tag, void *in,        \
        COUNT in_elements, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm
#define PAIR_NAMES                                                                                 \
    buffer, elements, datatype, rank, tag, in, in_elements, in_type, from, in_tag, comm
#define IN_PLACE                                                                                   \
    void *buffer, COUNT elements, MPI_Datatype datatype, int rank, int tag, int from, int in_tag,  \
        MPI_Comm comm
#define IN_PLACE_NAMES buffer, elements, datatype, rank, tag, from, in_tag, comm

CALL_WITH_STATUS(Sendrecv, EXCHANGES, (PAIR_NAMES, status), PAIR, MPI_Status *status)
CALL_WITH_STATUS(Sendrecv_replace, EXCHANGES, (IN_PLACE_NAMES, status), IN_PLACE, MPI_Status *status)
#if HAS_MPI_4
CALL(Isendrecv, STARTS(BOTH), (PAIR_NAMES, request), PAIR, MPI_Request *request)
CALL(Isendrecv_replace, STARTS(BOTH), (IN_PLACE_NAMES, request), IN_PLACE, MPI_Request *request)
#endif

/* The library takes the handle of a matched message away. */
WRAP(Mrecv, (buffer, elements, datatype, message, status), void *buffer, COUNT elements,
     MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    const uintptr_t matched = message ? HANDLE(*message) : 0;
    const uint64_t enter = ticks();
    const int result = real(buffer, elements, datatype, message, seen);
    const struct done done = {call, result, enter, ticks()};
    count_received(&done, buffer, datatype, seen, group_of_message(matched));
    return result;
}

WRAP(Imrecv, (buffer, elements, datatype, message, request), void *buffer, COUNT elements,
     MPI_Datatype datatype, MPI_Message *message, MPI_Request *request)
{
    const uintptr_t matched = message ? HANDLE(*message) : 0;
    const uint64_t enter = ticks();
    const int result = real(buffer, elements, datatype, message, request);
    const struct done done = {call, result, enter, ticks()};
    count_matched_start(&done, buffer, datatype, matched, request);
    return result;
}

#undef MESSAGE
#undef SENDS
#undef STARTS
#undef RECEIVES
#undef EXCHANGES
#undef ADDRESS
#undef WHOM
#undef PAIR
#undef PAIR_NAMES
#undef IN_PLACE
#undef IN_PLACE_NAMES
