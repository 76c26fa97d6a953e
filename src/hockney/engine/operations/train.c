/* Trains: the first rank sends n messages and waits a given time after each, the second receives
   them, waiting before each, and answers the last one with one of the same size. A sample is a whole
   train with its answer. docs/method.md explains the delays. */
#include <stdlib.h>

#include "../check.h"
#include "../clock.h"
#include "../operations.h"

/* Delays that pass in a repetition without messages: the clock's cost would show beside one. A
   sample is the time of one of them. */
enum { DELAYS_ALONE = 64 };

static int send_trains(struct context *context, int64_t repetitions, int messages, int64_t delay_ns)
{
    int code;
    for (int64_t i = 0; i < repetitions; i++) {
        for (int j = 0; j < messages; j++) {
            if ((code = message_send(&context->out, 1, 0, context->comm)) != MPI_SUCCESS)
                return code;
            if (delay_ns > 0)
                clock_compute(delay_ns);
        }
        if ((code = message_receive(&context->in, 1, 0, context->comm)) != MPI_SUCCESS)
            return code;
    }
    return MPI_SUCCESS;
}

static int receive_trains(struct context *context, int64_t repetitions, int messages,
                          int64_t delay_ns)
{
    int code;
    for (int64_t i = 0; i < repetitions; i++) {
        for (int j = 0; j < messages; j++) {
            if (delay_ns > 0)
                clock_compute(delay_ns);
            if ((code = message_receive(&context->in, 0, 0, context->comm)) != MPI_SUCCESS)
                return code;
        }
        if ((code = message_send(&context->out, 0, 0, context->comm)) != MPI_SUCCESS)
            return code;
    }
    return MPI_SUCCESS;
}

static int64_t delay_of(const struct delay *delay, size_t bytes)
{
    return (int64_t)(delay->ns + delay->ns_per_byte * (double)bytes + 0.5);
}

static int repeat(struct context *context, int64_t repetitions)
{
    const struct train *train = context->parameters;
    const int64_t send_ns = delay_of(&train->send, context->bytes);
    const int64_t receive_ns = delay_of(&train->receive, context->bytes);
    if (train->messages == 0) { /* how long a delay really is */
        for (int64_t i = 0; i < repetitions * DELAYS_ALONE; i++)
            clock_compute(send_ns);
        return MPI_SUCCESS;
    }
    return context->rank == 0 ? send_trains(context, repetitions, train->messages, send_ns)
                               : receive_trains(context, repetitions, train->messages, receive_ns);
}

/* NANOSECONDS or NANOSECONDS+NANOSECONDS_PER_BYTE. */
static const char *read_delay(const char *at, struct delay *delay)
{
    char *end;
    delay->ns = strtod(at, &end);
    delay->ns_per_byte = *end == '+' ? strtod(end + 1, &end) : 0.0;
    return delay->ns >= 0.0 && delay->ns < 1e12 && delay->ns_per_byte >= 0.0 && end > at ? end : NULL;
}

struct operation train_read(const struct operation *kind, const char **text)
{
    struct train *train = allocate(sizeof *train);
    char *end;
    const long messages = strtol(*text, &end, 10);
    const char *at = end > *text && messages >= 0 && messages <= 10000 && *end == ':' ? end + 1 : NULL;
    train->messages = (int)messages;
    at = at != NULL ? read_delay(at, &train->send) : NULL;
    at = at != NULL && *at == ':' ? read_delay(at + 1, &train->receive) : NULL;
    if (at == NULL || (*at != ',' && *at != '\0'))
        fail(EXIT_ASKED_WRONGLY, "--trains %s: expected MESSAGES:SEND_DELAY:RECEIVE_DELAY, as 16:500+0.1:0",
             *text);
    *text = *at == ',' ? at + 1 : at;
    struct operation made = *kind;
    made.parameters = train;
    made.messages = messages == 0 ? (double)DELAYS_ALONE : 1.0;
    return made;
}

const struct operation operation_train = {
    .name = "train", .messages = 1.0, .accepts = RETURNED | SEPARATE | COLD, .repeat = repeat,
};
/* The same, asked whether a send returns before its message is received. */
static const struct operation operation_late = {
    .name = "late", .messages = 1.0, .accepts = RETURNED | SEPARATE | COLD, .repeat = repeat,
};
LISTED(operation_late);
