/* The options of the engine. */
#ifndef HOCKNEY_OPTIONS_H
#define HOCKNEY_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "arrival.h"
#include "grid.h"
#include "load.h"
#include "method.h"
#include "operations.h"

/* One size of the list; in a sweep with its own counts. */
struct size_option {
    size_t bytes;
    int64_t repetitions; /* 0: as many as the clock needs */
    int64_t warmup;
};

/* Threads of the rank that sends first, and of the other. */
struct thread_option {
    int threads, receivers;
};

/* Two ranks; all ranks in pairs; each two ranks; all ranks together; each rank with its neighbours;
   one message, while a rank computes; two ranks one-sided; what it takes until ranks can work;
   victims, while aggressors load the network; passes over all pairs of a network. */
enum experiment { PINGPONG, OVERHEADS, PAIRS, CORES, COLLECTIVE, HALO, OVERLAP, RMA, STARTUP,
                  CONGESTION, FABRIC, EXPERIMENTS };

/* How ranks begin together: on the common clock; on one that is agreed by messages though the kernel's
   would do; behind a barrier. */
enum sync { SYNC_CLOCK, SYNC_MESSAGES, SYNC_BARRIER };

/* What getopt_long returns for each option: values that no letter has. */
enum {
    BEFORE_OPTIONS = 255,
#define OPTION(kind, member, name, argument, experiments, words, is_axis, usage) OPTION_##member,
#include "options.def"
    AFTER_OPTIONS,
};
enum { ACCEPTED_OPTIONS = AFTER_OPTIONS - BEFORE_OPTIONS - 1 };

/* Members that options.def declares: flags, words and counts are 0, texts NULL unless given. */
#define MEMBER_FLAG(member) int member;
#define MEMBER_WORD(member) int member;
#define MEMBER_COUNT(member) int member;
#define MEMBER_NUMBER(member) double member;
#define MEMBER_TEXT(member) const char *member;
#define MEMBER_HAND(member)

/* How messages between two ranks are made. */
struct message_options {
    struct thread_option *threads;
    int thread_count;
    const char *thread_comms;    /* shared by all threads, own for each, or own on an endpoint of its own */
    struct layout *out, *in;     /* of messages that are sent and received; NULL: contiguous */
    char *datatype_name;
    const char *const *packings; /* how data get into and out of them; ends with NULL */
    int *partitions, partition_count;
};

struct halo_options {
    struct grid grid;
    enum packing columns[3]; /* the ways to pack a message */
    int column_count;
    const struct operation **exchanges; /* ways to exchange the messages; of overlap: the one message */
    int exchange_count;
};

struct collective_options {
    struct arrivals arrivals; /* when ranks arrive at it */
    const char *schedules;    /* file of those by which it is made of messages as well; NULL: by none */
};

struct one_sided_options {
    int synchronizations[SYNCHRONIZATIONS]; /* enum synchronization */
    int window_kinds[WINDOW_KINDS];         /* enum window_kind */
    int synchronization_count, window_kind_count; /* 0 for all other operations */
    enum direction direction;
    enum reduction reduction; /* of its accumulates */
};

struct pairs_options {
    int *active, active_count; /* concurrent pairs; empty: one, and all */
};

struct fabric_options {
    int64_t from, visits; /* the first visit of the pass to make; at most so many, 0: all */
    int *arrangements, arrangement_count; /* those of the pass, numbered from 1; empty: all */
};

/* Trains of messages, of overheads and late. */
struct train_options {
    struct operation *list; /* each is measured at each size; NULL: the operation itself is */
    int count;
};

struct memory_options {
    struct memories *list; /* in which messages lie; none: in that of the host, unasked */
    int count;
    struct method *plain;  /* method_plain in each of them */
    int plain_count;
};

struct options {
#define OPTION(kind, member, name, argument, experiments, words, is_axis, usage) MEMBER_##kind(member)
#include "options.def"
    /* What those lines do not declare. As it was asked: */
    int given[ACCEPTED_OPTIONS]; /* whether each option was given, in the order of options.def */
    char *texts[ACCEPTED_OPTIONS]; /* each as it was given last, "--sizes=8"; NULL: it was not */
    char *const *words; /* the experiment, and what it is of: no options */
    int word_count;
    /* What it means, for all experiments: */
    enum experiment experiment;
    const char *experiment_name;
    const struct operation *operation;
    struct size_option *sizes;
    int size_count;
    int peers[2];
    int least_rounds, most_rounds;
    uint64_t seed;
    const char *policy;
    enum buffers buffers;
    int *windows, window_count;  /* messages in flight at once */
    const struct element *element; /* of one-sided operations, and of collectives that reduce */
    struct method *methods;      /* how messages are exchanged; at least one */
    int method_count;
    /* One member for each experiment that has more, and for what messages may be made with. */
    struct message_options messages;
    struct memory_options memories;
    struct train_options trains;
    struct pairs_options pairs;
    struct fabric_options fabric;
    struct collective_options collective;
    struct halo_options halo;
    struct one_sided_options one_sided;
    struct congestion_options congestion; /* without loads for all other experiments */
};

static inline int is_given(const struct options *options, int option)
{
    return options->given[option - BEFORE_OPTIONS - 1];
}

/* Two ranks of the world are measured, the others sleep. */
static inline int is_of_two(const struct options *options)
{
    return options->experiment == PINGPONG || options->experiment == OVERHEADS ||
           options->experiment == RMA;
}

static inline size_t largest_bytes(const struct options *options)
{
    size_t largest = 0;
    for (int i = 0; i < options->size_count; i++)
        largest = options->sizes[i].bytes > largest ? options->sizes[i].bytes : largest;
    return largest;
}

/* Messages in flight at once, at most; 1 where the operation has no window. */
static inline int largest_window(const struct options *options)
{
    int largest = 1;
    for (int i = 0; options->operation->counts_window && i < options->window_count; i++)
        largest = options->windows[i] > largest ? options->windows[i] : largest;
    return largest;
}

/* Every repetition is timed by itself, not in batches. */
static inline int times_each(const struct options *options)
{
    return options->every_iteration || options->verify || options->tails ||
           options->experiment == CONGESTION;
}

/* Every repetition begins on all ranks at once, and ends on the last one. */
static inline int begins_together(const struct options *options)
{
    return options->operation->between_all && options->experiment != CONGESTION;
}

extern const char *const options_usage[]; /* ends with NULL */

/* Fills in `options` from the command line, up to --help or --version; ends the program where one is
   wrong by itself (accept.h: where it does not go with the others). experiment.h reads the words. */
void options_read(struct options *options, int argc, char **argv);
void options_free(struct options *options);

/* One more of `exchanges`. */
void add_exchange(struct options *options, const struct operation *exchange);

#endif
