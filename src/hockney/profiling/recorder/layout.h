/* What a rank records, as it lies in its file: the file is mapped, so that it survives the process.
   hockney.profiling.layout reads it; both are changed together, with LAYOUT_VERSION. */
#ifndef HOCKNEY_RECORDER_LAYOUT_H
#define HOCKNEY_RECORDER_LAYOUT_H

#include <stdint.h>

enum {
    LAYOUT_VERSION = 5,
    NAMES = 512,
    NAME_BYTES = 40,
    REGIONS = 64,
    REGION_BYTES = 64,
    GROUPS = 512,
    CELLS = 8192, /* a power of two */
    BINS = 28,
    EVENTS = 16384,
};

/* From MPI_Init to how it ended. */
enum state { RECORDING = 1, FINALIZED = 2, ABORTED = 3 };

/* Peers that are no rank of MPI_COMM_WORLD. */
enum peer { NO_PEER = -1, UNKNOWN_PEER = -2, SEVERAL_PEERS = -3 };

/* Where a buffer lies, by the driver of an accelerator. NO_MEMORY: there is no buffer, or no driver, and so
   all memory is the host's. */
enum memory { NO_MEMORY, HOST_MEMORY, PINNED_MEMORY, MANAGED_MEMORY, DEVICE_MEMORY };

enum datatype { NO_DATATYPE, BASIC, CONTIGUOUS, STRIDED };

/* What became of a cell's key when the table was nearly full. */
enum { COARSE_BYTES = 1, COARSE_PEER = 2 };

/* Calls that agree in all that comes before `count`. */
struct cell {
    uint64_t bytes; /* of each call; their upper limit where COARSE_BYTES is set */
    int32_t peer;   /* its rank in MPI_COMM_WORLD; of a collective, the root's */
    uint16_t call, group, region;
    uint16_t started; /* the call that made a request which was then started; 0 for none */
    uint8_t datatype, coarse;
    uint8_t memory, unused;
    uint64_t count;
    uint64_t untimed; /* of these: their time is that of the one before (polls.h) */
    uint64_t bytes_sum;
    uint64_t ticks;            /* inside the call */
    uint64_t completion_ticks; /* its share of the calls that completed its requests */
    uint64_t most_ticks;
    uint64_t buffers; /* a bit for each buffer of messages, by a digest of its address */
    uint32_t bins[BINS]; /* calls of [2^i, 2^(i+1)) ticks; the first and last have the rest */
};

/* Ranks that communicate with each other; communicators of the same ranks and name are one. */
struct group {
    uint64_t members; /* a digest of its ranks in MPI_COMM_WORLD, the same on each of them */
    int32_t size, rank;
    char name[REGION_BYTES];
};

enum kind { SENT = 1, RECEIVED = 2, COLLECTIVE = 3 };

/* One call in full, to be set beside the same call of other ranks. */
struct event {
    uint64_t enter, exit;
    uint64_t members;
    uint32_t number; /* of the call in its channel */
    uint32_t cell;
    int32_t peer, tag;
    uint16_t kind, unused[3];
};

struct events {
    uint32_t count;
    uint32_t mask; /* numbers whose scattered bits have one of these set are left out */
    struct event event[EVENTS];
};

struct header {
    char magic[8];
    uint32_t version, bytes;
    uint32_t state, thread_level;
    uint64_t job; /* the same on all ranks of one MPI_COMM_WORLD */
    int32_t rank, ranks;
    int64_t pid;
    /* Two moments on both clocks: from them follows the length of a tick. */
    uint64_t first_ticks, first_ns, last_ticks, last_ns;
    uint64_t began_ticks, ended_ticks; /* after MPI_Init, before MPI_Finalize (or the last seen) */
    uint64_t lost_calls, lost_ticks, lost_bytes; /* those for which the table had no cell */
    uint64_t lost_requests; /* whose completion was not attributed */
    /* What recording costs: a call, a poll that finds nothing, and each page of this file that is
       written for the first time (cost.c). */
    double call_ticks, poll_ticks, page_ticks;
    uint64_t unfinished;    /* receives that never completed, counted with the bytes posted */
    int64_t cpu_wait_ns;    /* ready to run while something else had its CPU; -1: unknown, or not ended */
    int32_t cpu_first, cpu_last;
    uint32_t names, regions, groups, cells;
    char host[64], boot[40];
    char cpus[256];
    char cache[128]; /* the CPUs that share the last cache of cpu_first */
    char library[256];
    char program[256];
};

struct file {
    struct header header;
    char names[NAMES][NAME_BYTES];
    char regions[REGIONS][REGION_BYTES];
    struct group groups[GROUPS];
    struct cell cells[CELLS];
    struct events messages, collectives;
};

/* The order of calls, where it is asked for: a file of its own for each rank, with a header and then
   as many acts as there were, or as were allowed. */
enum { TRACE_VERSION = 1, TRACE_HEADER_BYTES = 65536 };

/* What a rank does: OTHER is time inside of MPI that belongs to none of the others. */
enum what {
    SEND = 1,
    RECEIVE = 2,
    START_SEND = 3,
    START_RECEIVE = 4,
    COMPLETE = 5,
    TOGETHER = 6, /* a collective */
    START_TOGETHER = 7,
    OTHER = 8,
};

struct act {
    uint64_t enter, exit;
    uint64_t bytes, members;
    int32_t peer, tag;
    uint32_t request; /* what was started, and completes, has the same number */
    uint16_t call;
    uint8_t what, unused;
};

struct trace_header {
    char magic[8];
    uint32_t version, act_bytes;
    uint64_t job;
    int32_t rank, ranks;
    uint64_t acts, left_out;
};

_Static_assert(sizeof(struct act) == 48, "hockney.profiling.layout has its fields");
_Static_assert(sizeof(struct trace_header) == 48, "hockney.profiling.layout has its fields");
_Static_assert(sizeof(struct cell) == 192, "hockney.profiling.layout has its fields");
_Static_assert(sizeof(struct event) == 48, "hockney.profiling.layout has its fields");
_Static_assert(sizeof(struct group) == 80, "hockney.profiling.layout has its fields");
_Static_assert(sizeof(struct header) == 1192, "hockney.profiling.layout has its fields");

#endif
