#include "cpu_list.h"

#include <stdlib.h>

/* Larger than any CPU number; sums of a few stay within an int. */
static const long MOST = 1 << 24;

static int is_end(char character) { return character == '\0' || character == '\n'; }

/* A number, or -1; `*at` moves behind it. */
static int number(const char **at)
{
    char *end;
    const long value = strtol(*at, &end, 10);
    const int found = end != *at && value >= 0 && value < MOST;
    *at = end;
    return found ? (int)value : -1;
}

int cpu_list_next(const char **at, int *first, int *last)
{
    if (is_end(**at))
        return 0;
    *first = *last = number(at);
    if (*first >= 0 && **at == '-') {
        (*at)++;
        *last = number(at);
    }
    if (*first < 0 || *last < *first)
        return -1;
    if (**at == ',') {
        (*at)++;
        return is_end(**at) ? -1 : 1;
    }
    return is_end(**at) ? 1 : -1;
}
