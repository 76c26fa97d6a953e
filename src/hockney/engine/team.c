#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affinity.h"
#include "check.h"

/* After this many looks whoever is waited for is probably not running: give way. Where threads share
   PUs that is likely from the start. */
enum { LOOKS_BEFORE_YIELD = 100000, LOOKS_OF_CROWD = 200 };

/* A counter two cache lines from the next one: threads that wait for one do not slow down others. */
struct counter {
    _Atomic uint64_t value;
    char padding[120];
};

struct helper {
    struct team *team;
    pthread_t thread;
    int number, pu;
};

struct team {
    struct counter job;     /* number of the last job that was given */
    struct counter working; /* helpers that have not finished it */
    struct counter arrived; /* threads that have come to meet */
    struct counter meeting; /* number of the last meeting that is over */
    void (*work)(void *argument, int thread);
    void *argument;
    int awake; /* threads of a job */
    int looks;
    pthread_mutex_t mutex; /* of `called` and `over` */
    pthread_cond_t call;
    int called; /* helpers below this number are called */
    int over;
    int size;
    struct helper *helpers; /* [size]; the first is nobody */
};

static uint64_t look(const struct counter *counter)
{
    return atomic_load_explicit(&counter->value, memory_order_acquire);
}

static uint64_t add(struct counter *counter, uint64_t by)
{
    return atomic_fetch_add_explicit(&counter->value, by, memory_order_acq_rel) + by;
}

static void await_change(const struct team *team, const struct counter *counter, uint64_t from)
{
    for (int looks = 0; look(counter) == from;)
        if (++looks >= team->looks)
            sched_yield();
}

static void await_value(const struct team *team, const struct counter *counter, uint64_t value)
{
    for (int looks = 0; look(counter) != value;)
        if (++looks >= team->looks)
            sched_yield();
}

/* pthread functions return the error itself. */
static void check_thread(int error, const char *call)
{
    if (error != 0)
        fail(EXIT_WENT_WRONG, "%s: %s", call, strerror(error));
}

/* Returns 0 when the team is over. */
static int sleep_until_called(struct team *team, int number)
{
    check_thread(pthread_mutex_lock(&team->mutex), "pthread_mutex_lock");
    while (number >= team->called && !team->over)
        check_thread(pthread_cond_wait(&team->call, &team->mutex), "pthread_cond_wait");
    const int over = team->over;
    check_thread(pthread_mutex_unlock(&team->mutex), "pthread_mutex_unlock");
    return !over;
}

static void *help(void *argument)
{
    const struct helper *self = argument;
    struct team *team = self->team;
    if (self->pu >= 0)
        affinity_pin(self->pu); /* of this thread; a refusal was recorded for the rank */
    while (sleep_until_called(team, self->number)) {
        uint64_t job = look(&team->job);
        atomic_fetch_sub_explicit(&team->working.value, 1, memory_order_acq_rel);
        for (int resting = 0; !resting; job++) {
            await_change(team, &team->job, job);
            resting = team->work == NULL;
            if (!resting)
                team->work(team->argument, self->number);
            atomic_fetch_sub_explicit(&team->working.value, 1, memory_order_acq_rel);
        }
    }
    return NULL;
}

struct team *team_open(int threads, const int *pus, int crowded)
{
    struct team *team = allocate(sizeof *team);
    *team = (struct team){
        .size = threads,
        .looks = crowded ? LOOKS_OF_CROWD : LOOKS_BEFORE_YIELD,
        .helpers = allocate((size_t)threads * sizeof *team->helpers),
    };
    check_thread(pthread_mutex_init(&team->mutex, NULL), "pthread_mutex_init");
    check_thread(pthread_cond_init(&team->call, NULL), "pthread_cond_init");
    for (int i = 1; i < threads; i++) {
        struct helper *helper = &team->helpers[i];
        *helper = (struct helper){.team = team, .number = i, .pu = pus != NULL ? pus[i] : -1};
        check_thread(pthread_create(&helper->thread, NULL, help, helper), "pthread_create");
    }
    return team;
}

static void call(struct team *team, int threads, int over)
{
    check_thread(pthread_mutex_lock(&team->mutex), "pthread_mutex_lock");
    team->called = threads;
    team->over = over;
    check_thread(pthread_cond_broadcast(&team->call), "pthread_cond_broadcast");
    check_thread(pthread_mutex_unlock(&team->mutex), "pthread_mutex_unlock");
}

void team_close(struct team *team)
{
    call(team, 0, 1);
    for (int i = 1; i < team->size; i++)
        check_thread(pthread_join(team->helpers[i].thread, NULL), "pthread_join");
    pthread_cond_destroy(&team->call);
    pthread_mutex_destroy(&team->mutex);
    free(team->helpers);
    free(team);
}

static void give(struct team *team, void (*work)(void *argument, int thread), void *argument)
{
    team->work = work;
    team->argument = argument;
    atomic_store_explicit(&team->working.value, (uint64_t)(team->awake - 1), memory_order_relaxed);
    add(&team->job, 1);
}

/* No job may be given before all helpers know the number of the last one. */
void team_wake(struct team *team, int threads)
{
    team->awake = threads;
    atomic_store_explicit(&team->working.value, (uint64_t)(threads - 1), memory_order_release);
    call(team, threads, 0);
    await_value(team, &team->working, 0);
}

void team_rest(struct team *team)
{
    call(team, 0, 0);
    give(team, NULL, NULL);
    await_value(team, &team->working, 0);
}

void team_run(struct team *team, void (*work)(void *argument, int thread), void *argument)
{
    give(team, work, argument);
    work(argument, 0);
    await_value(team, &team->working, 0);
}

void team_meet(struct team *team)
{
    const uint64_t meeting = look(&team->meeting);
    if (add(&team->arrived, 1) < (uint64_t)team->awake) {
        await_change(team, &team->meeting, meeting);
        return;
    }
    atomic_store_explicit(&team->arrived.value, 0, memory_order_relaxed);
    add(&team->meeting, 1);
}
