/* Faults that tests inject into a build of their own (-DHOCKNEY_FAULTS); nothing in any other. */
#ifndef HOCKNEY_FAULTS_H
#define HOCKNEY_FAULTS_H

#ifdef HOCKNEY_FAULTS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clock.h"
#include "shared.h"

/* HOCKNEY_JUDGE=1 hands a line over 1,000 times before and after every round: the truth that
   benchmarks/states.py holds the labels of rounds against. */
static inline void judge_state(struct shared *shared, int rank, int launch, int round)
{
    enum { BLOCKS = 5, HANDOVERS = 100 };
    double blocks[BLOCKS];
    if (getenv("HOCKNEY_JUDGE") == NULL || shared == NULL || round < 0)
        return;
    for (int block = 0; block < BLOCKS; block++) {
        const int64_t start = clock_ns();
        shared_handovers(shared, rank, HANDOVERS);
        blocks[block] = (double)(clock_ns() - start) / (2.0 * HANDOVERS);
    }
    if (rank == 0)
        printf("{\"kind\":\"judge\",\"launch\":%d,\"round\":%d,\"ns\":[%.5g,%.5g,%.5g,%.5g,%.5g]}\n",
               launch, round, blocks[0], blocks[1], blocks[2], blocks[3], blocks[4]);
}

/* HOCKNEY_JUDGE=1 also prints the probe of each line, in the order of their pages: what a probe of
   one address would have shown (benchmarks/probe.py). */
static inline void judge_lines(const struct shared *shared, int launch, int round, const double *ns)
{
    if (getenv("HOCKNEY_JUDGE") == NULL)
        return;
    printf("{\"kind\":\"lines\",\"launch\":%d,\"round\":%d,\"ns\":{", launch, round);
    for (int page = 0; page < PROBED_PAGES; page++)
        printf("%s\"%td\":%.5g", page > 0 ? "," : "", shared->probed[page] - shared->lines,
               ns[page]);
    puts("}}");
}

/* HOCKNEY_FAULT_SLOWER=0.05 makes every timed batch 5 % longer. */
static inline void fault_slow_down(int64_t start)
{
    const char *share = getenv("HOCKNEY_FAULT_SLOWER");
    if (share == NULL)
        return;
    const int64_t until = clock_ns() + (int64_t)(atof(share) * (double)(clock_ns() - start));
    while (clock_ns() < until) {
    }
}

/* HOCKNEY_FAULT_CORRUPT=1 flips a bit of every message of 64 bytes, or with a larger number of as many
   bytes; of several blocks, in the last one. In a reduced value of 64 bytes it is of the fifth element. */
static inline void fault_corrupt(char *blocks, size_t all_bytes, size_t bytes)
{
    const char *asked = getenv("HOCKNEY_FAULT_CORRUPT");
    const size_t corrupted = asked == NULL ? 0 : atoi(asked) > 1 ? (size_t)atoi(asked) : 64;
    if (bytes == corrupted)
        blocks[all_bytes - bytes + (bytes > 17 ? 17 : 1)] ^= 4;
}

/* HOCKNEY_FAULT_STOP=7 makes the engine fall silent in round 7, HOCKNEY_FAULT_DIE=7 die there,
   HOCKNEY_FAULT_TEAR=7 die in the middle of a record. */
static inline void fault_in_round(int round, int rank)
{
    const char *stop = getenv("HOCKNEY_FAULT_STOP"), *die = getenv("HOCKNEY_FAULT_DIE");
    if (die != NULL && rank == 1 && round == atoi(die))
        abort();
    while (stop != NULL && round >= atoi(stop)) {
    }
    const char *tear = getenv("HOCKNEY_FAULT_TEAR");
    if (tear != NULL && rank == 0 && round == atoi(tear)) {
        fputs("{\"kind\":\"samples\",\"launch\":0,\"round\":7,\"oper", stdout);
        fflush(stdout);
        abort();
    }
}

/* HOCKNEY_FAULT_HANG=1:MPI_Init has the local rank 1 hang there, -1:MPI_Init all ranks, 1:exchange:1024 in the
   first exchange of 1024 bytes. */
static inline void fault_hang(int local_rank, const char *phase, size_t bytes)
{
    const char *asked = getenv("HOCKNEY_FAULT_HANG");
    char place[64], all[64];
    if (asked == NULL)
        return;
    snprintf(place, sizeof place, "%d:%s", local_rank, phase);
    snprintf(all, sizeof all, "-1:%s", phase);
    const char *own = strncmp(asked, all, strlen(all)) == 0 ? all : place;
    if (strncmp(asked, own, strlen(own)) != 0)
        return;
    const char *of = asked + strlen(own);
    while (*of == '\0' || (*of == ':' && (size_t)atoll(of + 1) == bytes))
        clock_sleep(100000000);
}

/* HOCKNEY_FAULT_NOTICE=2000000 lets every rank but the first know so many nanoseconds later when to begin. */
static inline void fault_late_notice(int rank)
{
    const char *ns = getenv("HOCKNEY_FAULT_NOTICE");
    if (ns != NULL && rank > 0)
        clock_compute(atoll(ns));
}

/* HOCKNEY_FAULT_PROGRESS=1 lets ranks call MPI while they wait for a start. */
static inline void fault_progress(MPI_Comm comm)
{
    static int asked = -1;
    int flag;
    if (asked < 0)
        asked = getenv("HOCKNEY_FAULT_PROGRESS") != NULL && atoi(getenv("HOCKNEY_FAULT_PROGRESS"));
    if (asked)
        check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

/* HOCKNEY_FAULT_NO_WAIT=1 begins copies to and from devices and does not wait for them. */
static inline int fault_no_wait(void) { return getenv("HOCKNEY_FAULT_NO_WAIT") != NULL; }

/* HOCKNEY_FAULT_DEVICE=1 has this process use device 1 once it has memory on another; -1: it does not. */
static inline int fault_device(void)
{
    const char *other = getenv("HOCKNEY_FAULT_DEVICE");
    return other != NULL ? atoi(other) : -1;
}

/* HOCKNEY_FAULT_ROOT=/tmp/machine has the machine described in /tmp/machine/sys. */
static inline const char *fault_system_root(void)
{
    const char *root = getenv("HOCKNEY_FAULT_ROOT");
    return root != NULL ? root : "";
}
#else
#define fault_system_root() ""
#define fault_no_wait() 0
#define fault_device() (-1)
#define fault_hang(local_rank, phase, bytes) ((void)(phase), (void)(bytes))
#define fault_late_notice(rank) ((void)(rank))
#define fault_progress(comm) ((void)(comm))
#define fault_slow_down(start) ((void)(start))
#define fault_corrupt(blocks, all_bytes, bytes)                                                    \
    ((void)(blocks), (void)(all_bytes), (void)(bytes))
#define fault_in_round(round, rank) ((void)(round), (void)(rank))
#define judge_lines(shared, launch, round, ns) ((void)(shared), (void)(ns))
#define judge_state(shared, rank, launch, round) ((void)(shared), (void)(rank))
#endif

#endif
