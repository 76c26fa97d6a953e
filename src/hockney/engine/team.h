/* The threads of a rank: its first thread and helpers, which sleep between visits and spin inside one,
   so that nothing that is timed calls the kernel to wake a thread. */
#ifndef HOCKNEY_TEAM_H
#define HOCKNEY_TEAM_H

struct team;
struct context;

/* Which of a rank's threads an operation runs on; each has a context of its own. */
struct own_thread {
    int number;
    struct context *first; /* that of thread 0 */
    struct team *team;     /* NULL where there is one thread */
};

/* The parts of a message, each made ready by a thread of its own. */
struct partitions {
    int count;         /* 0: it has none */
    double stagger_ns; /* from one partition's readiness to the next one's */
};

/* A team of `threads`, the caller among them. Helper i is pinned to pus[i], where that is not negative;
   pus[0] is the caller's, which is left alone; NULL pins nobody. `crowded`: threads share PUs, so that
   one which waits should soon give way. */
struct team *team_open(int threads, const int *pus, int crowded);
void team_close(struct team *team);

/* From now on so many threads, the caller among them, take part and spin; until team_rest. */
void team_wake(struct team *team, int threads);
void team_rest(struct team *team);

/* work(argument, i) on each thread i that is awake, 0 on the caller. Returns when all are done. */
void team_run(struct team *team, void (*work)(void *argument, int thread), void *argument);

/* Called by every thread inside team_run: none leaves before all have come. */
void team_meet(struct team *team);

#endif
