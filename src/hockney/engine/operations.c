#include "operations.h"

#include <string.h>

const char *const buffers_names[] = {"returned", "separate", "cold", NULL};

/* The names that the linker gives to the ends of what is LISTED. */
extern const struct operation *const __start_hockney_operations[];
extern const struct operation *const __stop_hockney_operations[];

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
    const struct operation *const *listed = __start_hockney_operations;
    for (; listed < __stop_hockney_operations; listed++)
        if (strcmp((*listed)->name, name) == 0 &&
            ((*listed)->mode == NULL || strcmp((*listed)->mode, mode) == 0))
            return *listed;
    return NULL;
}
