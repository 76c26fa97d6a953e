/* What the wrappers of calls use: hockney's recorder stands between a program and its MPI library
   (LD_PRELOAD) and counts calls. It needs libc only: the library is found when the program uses it. */
#ifndef HOCKNEY_RECORDER_H
#define HOCKNEY_RECORDER_H

#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "layout.h"

/* Handles are numbers in some libraries and addresses in others. */
#define HANDLE(handle) ((uintptr_t)(handle))

/* All else is hidden: a preloaded library would take the names of the program. Here too, so that what is
   named below is found without a table. */
#pragma GCC visibility push(hidden)
#define VISIBLE __attribute__((visibility("default")))

/* The variable with the directory of the ranks' files. */
#define RECORD_DIRECTORY "HOCKNEY_RECORD_DIRECTORY"

/* What came with these versions of the standard. Open MPI 5 has most of MPI 4.0, but no large counts, and is an
   MPI 3.1 by its own account. */
#define HAS_MPI(VERSION, SUBVERSION)                                                               \
    (MPI_VERSION > (VERSION) || (MPI_VERSION == (VERSION) && MPI_SUBVERSION >= (SUBVERSION)))
#define HAS_LARGE_COUNTS HAS_MPI(4, 0)
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define HAS_MPI_4 1
#else
#define HAS_MPI_4 HAS_MPI(4, 0)
#endif

/* A function of MPI that is recorded; its number is given when it is first called. */
struct call {
    const char *name;
    _Atomic uint16_t number; /* 0: it has none yet */
};

/* A call of the program that has come back from the library. */
struct done {
    uint16_t call;
    int result;
    uint64_t enter, exit;
};

/* A call as it is counted. */
struct operation {
    uint16_t call, started, group;
    uint8_t datatype, memory;
    int32_t peer;
    uint64_t bytes;
    const void *buffer; /* of a message */
};

extern struct file *recorded; /* the file of this rank; once there is one, it stays */
extern atomic_int is_on;      /* whether calls are recorded; a thread may switch it off while others are in one */
extern _Thread_local int depth; /* calls of MPI that this thread is in: inner ones are no calls of the program */
extern int is_tsc, is_threaded;
extern atomic_flag busy;

/* Time stamps: of the processor where they tick evenly, for they cost a third of a clock's. */
static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(is_tsc, 1))
        return __builtin_ia32_rdtsc();
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline int is_recording(void)
{
    return atomic_load_explicit(&is_on, memory_order_relaxed);
}

/* All tables are read and written under this lock. It is never held while the library is called, which may wait
   for another thread that wants it, nor taken twice. */
void wait_for_lock(void);
static inline void lock_recorder(void)
{
    if (is_threaded && atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        wait_for_lock();
}

static inline void unlock_recorder(void)
{
    if (is_threaded)
        atomic_flag_clear_explicit(&busy, memory_order_release);
}

/* Whether what has come back is still to be counted: then the lock is held. */
static inline int begin_entry(void)
{
    lock_recorder();
    if (__builtin_expect(is_recording(), 1))
        return 1;
    unlock_recorder();
    return 0;
}

/* Bits of a number so scattered that no rhythm of the program is mistaken for all of it. */
static inline uint32_t scattered(uint32_t number)
{
    number = (number ^ number >> 16) * 0x45d9f3bu;
    number = (number ^ number >> 16) * 0x45d9f3bu;
    return number ^ number >> 16;
}

/* real.c: the MPI library. */
typedef void any_function(void);
any_function *real_of(const char *name);
void *find_real(const char *name); /* NULL where the library has none of that name */
#define REAL(NAME) ((__typeof__(&P##NAME))real_of("P" #NAME))
int is_from_library(const void *caller);
MPI_Comm world(void);
MPI_Datatype byte_type(void);
MPI_Datatype null_type(void);
MPI_Message message_of_nobody(void);

/* family.c */
void check_family(void);

/* job.c: the same on all ranks that a launcher starts together, as far as it names them. */
uint64_t job_of_launcher(void);

/* file.c: one for each rank. */
int is_recorded_here(void);
void begin_recording(int thread_level); /* after MPI_Init */
int begin_recording_as(int rank, int ranks, int thread_level);
int resume_recording(void); /* after a session that was the last until then */
void end_recording(enum state state);
void set_recording(int on);
int may_write(size_t bytes);
void copy_text(char *to, const char *from, size_t bytes);
int leave_note(const char *text); /* for hockney, which reports the first; 0 where it cannot be written */

/* cells.c */
extern uint32_t keys; /* changes when the same call may belong to another cell than before */
void forget_cells(void); /* for a new file */
int bin_of(uint64_t spent);
uint16_t add_name(struct call *call);
static inline uint16_t number_of(struct call *call)
{
    const uint16_t number = atomic_load_explicit(&call->number, memory_order_relaxed);
    return __builtin_expect(number, 1) ? number : add_name(call);
}
uint32_t count(const struct operation *operation, uint64_t spent);
void count_completion(uint32_t cell, uint64_t spent);
void enter_region(const char *name);
void leave_region(void);

/* session.c: whether recording began with a session, and the group of its ranks. */
int is_world_of_session(MPI_Group *group);

/* groups.c: communicators and windows. Those that find a group may ask the library: without the lock. */
enum { NO_GROUP = UINT16_MAX };
uint16_t group_of(MPI_Comm comm);
uint16_t group_if_known(MPI_Comm comm); /* of a handle that may be none; NO_GROUP where it was not used before */
uint16_t group_of_window(MPI_Win window);
int32_t peer_in(uint16_t group, int rank);
uint64_t members_of(uint16_t group);
void forget_comm(MPI_Comm comm);
void forget_all_handles(void); /* with the lock held */
void forget_window(MPI_Win window);

/* datatypes.c: without the lock. */
struct type {
    uintptr_t handle;
    uint64_t size;
    uint8_t kind;
};
struct type type_of(MPI_Datatype datatype);
void forget_type(MPI_Datatype datatype);

/* drivers.c: accelerators. Without the lock. */
struct allocation {
    uintptr_t begin;
    size_t bytes; /* 0: unknown */
    enum memory memory;
};
extern atomic_int may_have_accelerator; /* whether there is a driver, or it is to be looked for */
int has_driver(void);
struct allocation ask_driver(uintptr_t at); /* where there is one */

/* memories.c: where buffers lie. Without the lock. */
enum memory find_memory(const void *at, uint64_t bytes);
static inline uint8_t memory_of(const void *at, uint64_t bytes)
{
    const int may_have = atomic_load_explicit(&may_have_accelerator, memory_order_relaxed);
    return __builtin_expect(may_have, 0) ? (uint8_t)find_memory(at, bytes) : NO_MEMORY;
}

/* waits.c: a test of the library's that finds nothing, without the library. */
void test_for_nothing(void);

/* cost.c */
void measure_cost(void); /* of recording, before anything is recorded */

/* events.c: calls whose times are compared with other ranks'. */
void forget_channels(void);
uint32_t next_message(uint16_t group, int32_t peer, int tag, enum kind kind);
void log_message(uint16_t group, int32_t peer, int tag, enum kind kind, uint32_t number,
                 uint32_t cell, uint64_t enter, uint64_t exit);
void log_collective(uint16_t group, uint32_t cell, uint64_t enter, uint64_t exit);

/* trace.c: the order of calls, where it is asked for. */
extern struct trace_header *traced; /* NULL where it is not */
void begin_trace(const struct header *header, const char *directory, const char *name);
void trace_act(enum what what, const struct operation *operation, int tag, uint32_t request,
               uint64_t enter, uint64_t exit);
void trace_other(uint64_t enter, uint64_t exit);
uint32_t next_request(void);

/* requests.c: what was started and is not complete. All with the lock held. */
enum request_kind { SEND_REQUEST, RECEIVE_REQUEST, EXCHANGE_REQUEST, COLLECTIVE_REQUEST, MATCHED_MESSAGE };
struct request {
    uintptr_t handle;
    struct operation operation;
    uint32_t cell, number;
    int tag;
    uint32_t id;    /* in the order of calls; 0 for none */
    uint64_t spent; /* in the call that started it */
    uint32_t times; /* sends that are alike and have one handle */
    uint32_t below, next; /* requests.c */
    uint8_t kind, is_persistent, is_active, is_numbered;
    uint8_t has_status; /* what completes it has a status that says what was received */
};
void add_request(const struct request *request);
struct request *find_request(uintptr_t handle);
void remove_request(struct request *request);
void start_request(struct request *request, const struct done *done, uint64_t share);
/* Returns its cell. */
uint32_t complete_request(struct request *request, const MPI_Status *status, uint64_t enter,
                          uint64_t exit);
int carries_nothing(const struct request *request);
void complete_all_requests(void);
uint64_t bytes_received(const MPI_Status *status);
int was_cancelled(const MPI_Status *status);
void add_message(MPI_Message message, uint16_t group); /* found by a probe: it says not where it comes from */
uint16_t take_message(uintptr_t message);

#pragma GCC visibility pop
#endif
