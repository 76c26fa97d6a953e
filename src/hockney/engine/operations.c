#include "operations.h"

#include <string.h>

const char *const buffers_names[] = {"returned", "separate", "cold", NULL};

static const struct operation *const table[] = {
    &operation_pingpong,
    &operation_pingpong_synchronous,
    &operation_pingpong_nonblocking,
    &operation_pingpong_persistent,
    &operation_exchange,
    &operation_stream,
    &operation_bidirectional,
    &operation_late,
};

const struct operation *const floor_handovers[] = {
    &operation_handover_one_line,
    &operation_handover_two_lines,
    &operation_handover_swap,
    NULL,
};

const struct operation *const floor_copies[] = {
    &operation_copy_warm,
    &operation_copy_cold,
    NULL,
};

const struct operation *operation_named(const char *name, const char *mode)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i]->name, name) == 0 &&
            (table[i]->mode == NULL || strcmp(table[i]->mode, mode) == 0))
            return table[i];
    return NULL;
}
