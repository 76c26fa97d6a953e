/* Schedules: a collective made by messages between ranks, in steps that belong to phases. They come in a
   file, one after the other:

       COLLECTIVE NAME SEGMENT BYTES RANKS STEPS
       PHASE IN_TURN REDUCES MESSAGES               each of the steps,
       SOURCE DESTINATION FRAGMENTS OFFSET LENGTH ...  and each of its messages

   SEGMENT is -1 for a schedule without segments. Fragments are bytes of the buffer in which the result
   comes together. PHASE is "-" in a schedule that has one only. */
#ifndef HOCKNEY_SCHEDULE_H
#define HOCKNEY_SCHEDULE_H

#include "operations.h"

/* Where ranks share nodes, a phase may alternate between messages inside and between them; a schedule that
   does so more often has phases without that. */
enum { MOST_SEGMENTS = 32, LONGEST_PHASE = 64 };

struct fragment {
    size_t at;
    int bytes;
};

/* One message of this rank. */
struct transfer {
    int peer, is_receive;
    int fragment, fragments; /* in schedule->fragments */
    int bytes;
    size_t at;         /* in the buffer; in the scratch memory, of what is then added up */
    MPI_Datatype type; /* MPI_BYTE, or of several fragments */
};

/* A step in which this rank has messages: what it receives, then what it sends. */
struct part {
    int segment, in_turn, reduces;
    int first, receives, sends; /* transfers */
};

struct schedule {
    struct operation operation; /* the collective's own, but made by the schedule */
    size_t bytes;               /* of the collective, as its size is given */
    size_t segment_bytes;
    int has_segments;
    /* A segment is a row of steps of one phase. */
    int segments, phases;
    int phase_of[MOST_SEGMENTS];
    char phase[MOST_SEGMENTS][LONGEST_PHASE];
    int64_t ended_ns[MOST_SEGMENTS]; /* of the last repetition: when this rank left each segment */
    /* Of this rank */
    struct part *parts;
    int part_count;
    struct transfer *transfers;
    int transfer_count;
    struct fragment *fragments;
    int fragment_count;
    MPI_Request *requests;
    MPI_Status *statuses;
    char *scratch;
};

struct schedules {
    struct schedule *list;
    int count;
    int partners[2], partner_count; /* ranks to which a message of the first shows what messages cost */
};

/* Collective over `comm`: those of the file that are for this collective and number of ranks; `host` is this
   rank's. Ends the launch where the file is wrong or has none. */
struct schedules *schedules_open(const char *file, const struct operation *collective, MPI_Comm comm,
                                 const char *host);
void schedules_close(struct schedules *schedules);

/* The most segments of a schedule. */
int schedules_segments(const struct schedules *schedules);

#endif
