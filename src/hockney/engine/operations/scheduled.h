/* A collective by messages between ranks. */
#ifndef HOCKNEY_SCHEDULED_H
#define HOCKNEY_SCHEDULED_H

#include "../operations.h"

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
    /* What this rank does: */
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

/* The timed loop of context->schedule. */
int scheduled_repeat(struct context *context, int64_t repetitions);

#endif
