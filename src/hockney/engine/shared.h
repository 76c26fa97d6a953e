/* Memory that the two ranks of an exchange have in common, for what can be known without MPI:
   the transfer of a cache line, and a copy from one to the other. */
#ifndef HOCKNEY_SHARED_H
#define HOCKNEY_SHARED_H

#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Two lines apart, because adjacent-line prefetchers fetch pairs. */
struct line {
    _Atomic uint64_t value;
    char padding[120];
};

enum { LINE_SIGNALS = 0, LINE_ONE = 2, LINE_SWAP = 3, LINES = 4 };

/* The time of a line depends on its address, which picks the slice of a cache and the way there: a
   probe of the machine takes a pair of lines, one for each rank, on so many pages. */
enum { PROBED_PAGES = 32 };

struct shared {
    struct line *lines;
    struct line *probed[PROBED_PAGES]; /* the first of two lines, in the order of the probe */
    uint64_t probes;
    char *part[2];  /* each rank's part, `span` bytes */
    size_t span;
    size_t cold_at; /* where the cold walk goes on */
    uint64_t sent, seen;
    MPI_Win window;
};

/* Memory common to both ranks of `comm`, with `span` bytes for each; NULL where they have none
   (different nodes, or a simulator), or where the library refuses a window: then `refusal`, with room for
   MPI_MAX_ERROR_STRING, is why, and is empty otherwise. `seed`, alike on both, shuffles the order of the
   probe. Collective. */
struct shared *shared_open(MPI_Comm comm, size_t span, uint64_t seed, char *refusal);
void shared_close(struct shared *shared);

/* Collective: whether no rank was refused a window, given each one's code. What one goes on with alone, it
   waits in for ever. */
int window_all_made(int code, MPI_Comm comm);
/* Why this rank has no window, in `text`, with room for MPI_MAX_ERROR_STRING. */
void window_refusal(int code, char *text);

/* After this many looks the other rank is probably not running: give way to it. */
enum { LOOKS_BEFORE_YIELD = 100000 };

static inline void shared_wait(_Atomic uint64_t *line, uint64_t value)
{
    for (int looks = 0; atomic_load_explicit(line, memory_order_acquire) != value;)
        if (++looks >= LOOKS_BEFORE_YIELD)
            sched_yield();
}

/* Tells the other rank; waits for the other rank's next signal. */
static inline void shared_signal(struct shared *shared, int rank)
{
    atomic_store_explicit(&shared->lines[LINE_SIGNALS + rank].value, ++shared->sent,
                          memory_order_release);
}

static inline void shared_await(struct shared *shared, int rank)
{
    shared_wait(&shared->lines[LINE_SIGNALS + 1 - rank].value, ++shared->seen);
}

/* `repetitions` there and back, each rank with a line of its own. */
static inline void shared_handovers(struct shared *shared, int rank, int64_t repetitions)
{
    for (int64_t i = 0; i < repetitions; i++) {
        if (rank == 0) {
            shared_signal(shared, rank);
            shared_await(shared, rank);
        } else {
            shared_await(shared, rank);
            shared_signal(shared, rank);
        }
    }
}

/* There and back on a pair of lines, once for each number from `first` up to `end`. */
static inline void shared_pass(struct line *pair, int rank, uint64_t first, uint64_t end)
{
    for (uint64_t number = first; number < end; number++) {
        if (rank == 0)
            atomic_store_explicit(&pair[0].value, number, memory_order_release);
        shared_wait(&pair[1 - rank].value, number);
        if (rank == 1)
            atomic_store_explicit(&pair[1].value, number, memory_order_release);
    }
}

#endif
