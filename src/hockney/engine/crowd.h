/* Pairs that communicate at once: a visit of one arrangement of them, and what all visits share. In a
   visit the pairs warm up, agree on how many repetitions fill it, begin together, and report to the
   first rank; the other ranks sleep meanwhile. */
#ifndef HOCKNEY_CROWD_H
#define HOCKNEY_CROWD_H

#include "launch.h"
#include "pairing.h"
#include "reports.h"
#include "start.h"

/* Records and progress are written at most this often: reading them takes a core from the ranks. */
static const double CROWD_PROGRESS_S = 0.25;

/* Why a launch is over; the largest of what the ranks think counts. */
enum ending { GOES_ON, BUDGET_SPENT, INTERRUPTED };

struct crowd {
    struct launch *launch;
    struct pairing pairing;
    struct reports reports;
    struct start start;
    MPI_Comm comm;
    int rank, ranks;
    const int *windows;
    int window_count;
    int64_t points;
    uint64_t random;
    int round;
    int is_reversed; /* one way, each pair sends the other way than before */
    double *samples;
    struct matrix *matrix; /* of a pass, on the first rank; else NULL */
    int64_t whole;         /* arrangements that a pass has measured at all sizes */
    double progress_s;
    long total;
};

void crowd_open(struct crowd *crowd, struct launch *launch);
void crowd_close(struct crowd *crowd);

/* Collective: one visit of a point, whose samples are recorded, or kept for the record of a pass. All
   are silent until the slowest pair should be done, and those that have no part sleep: what is reported
   then disturbs nobody. */
enum ending crowd_visit(struct crowd *crowd, int64_t point);

/* Directions of a pair that are measured one after the other, and times that a visit has at most. */
int crowd_ways(const struct crowd *crowd);
int crowd_most_times(const struct crowd *crowd);
double crowd_elapsed_s(const struct crowd *crowd);
/* A round may be long: what it has measured is written, and whoever waits for us sees that we live. */
void crowd_show_progress(struct crowd *crowd);

#endif
