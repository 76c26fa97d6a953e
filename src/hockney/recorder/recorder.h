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

/* A function of MPI that is recorded; its number is given when it is first called. */
struct call {
    const char *name;
    uint16_t number;
};

/* A call as it is counted. */
struct operation {
    uint16_t call, started, group;
    uint8_t datatype;
    int32_t peer;
    uint64_t bytes;
    const void *buffer; /* of a message */
};

extern struct file *recorded; /* NULL while nothing is recorded */
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

static inline void lock_recorder(void)
{
    if (is_threaded)
        while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
            ;
}

static inline void unlock_recorder(void)
{
    if (is_threaded)
        atomic_flag_clear_explicit(&busy, memory_order_release);
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

/* family.c */
void check_family(void);

/* file.c: one for each rank. */
int is_recorded_here(void);
void begin_recording(int thread_level); /* after MPI_Init, together with all ranks */
int begin_recording_as(int rank, int ranks, uint64_t job, int thread_level);
int resume_recording(void); /* after a session that was the last until then */
void end_recording(enum state state);
void set_recording(int on);
int may_write(size_t bytes);
void copy_text(char *to, const char *from, size_t bytes);

/* cells.c */
extern uint32_t keys; /* changes when the same call may belong to another cell than before */
void forget_cells(void); /* for a new file */
int bin_of(uint64_t spent);
uint16_t add_name(struct call *call);
static inline uint16_t number_of(struct call *call)
{
    return __builtin_expect(call->number, 1) ? call->number : add_name(call);
}
uint32_t count(const struct operation *operation, uint64_t spent);
void count_completion(uint32_t cell, uint64_t spent);
void enter_region(const char *name);
void leave_region(void);

/* session.c: whether recording began with a session, and the group of its ranks. */
int is_world_of_session(MPI_Group *group);

/* groups.c: communicators and windows. */
uint16_t group_of(MPI_Comm comm);
uint16_t group_of_window(MPI_Win window);
int32_t peer_in(uint16_t group, int rank);
void forget_comm(MPI_Comm comm);
void forget_all_handles(void);
void forget_window(MPI_Win window);

/* datatypes.c */
struct type {
    uintptr_t handle;
    uint64_t size;
    uint8_t kind;
};
struct type type_of(MPI_Datatype datatype);
void forget_type(MPI_Datatype datatype);

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

/* requests.c: what was started and is not complete. */
struct request {
    uintptr_t handle; /* 0: free */
    struct operation operation;
    uint32_t cell, number;
    int32_t source; /* as asked for, in its communicator */
    int tag;
    uint64_t spent; /* in the call that started it */
    uint32_t id; /* in the order of calls */
    uint8_t is_receive, is_persistent, is_active, is_numbered, is_collective;
    uint8_t is_partitioned; /* its status has no count */
};
void add_request(const struct request *request);
struct request *find_request(uintptr_t handle);
void remove_request(struct request *request);
void start_request(struct request *request, uint16_t call, uint64_t enter, uint64_t spent);
void complete_request(struct request *request, const MPI_Status *status, uint64_t enter,
                      uint64_t exit, uint64_t share);
void complete_all_requests(void);
uint64_t bytes_received(const MPI_Status *status);

#pragma GCC visibility pop
#endif
