/* Schedules: a collective made by messages between ranks, in steps that belong to phases. They come in a
   file, one after the other:

       COLLECTIVE NAME SEGMENT BYTES RANKS STEPS
       PHASE IN_TURN REDUCES MESSAGES               each of the steps,
       SOURCE DESTINATION FRAGMENTS OFFSET LENGTH ...  and each of its messages

   SEGMENT is -1 for a schedule without segments. Fragments are bytes of the buffer in which the result
   comes together. PHASE is "-" in a schedule that has one only. */
#ifndef HOCKNEY_SCHEDULE_H
#define HOCKNEY_SCHEDULE_H

#include "operations/scheduled.h"

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
