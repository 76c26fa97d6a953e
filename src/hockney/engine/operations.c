#include "operations.h"

#include <string.h>

#include "check.h"
#include "library.h"

const char *const buffers_names[] = {"returned", "separate", "cold", NULL};

/* What is LISTED. */
GATHERS(const struct operation *const, operations);

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

static const char *mode_of(const struct operation *operation)
{
    return operation->mode != NULL ? operation->mode : "standard";
}

const struct operation *operation_named(const char *name, const char *mode)
{
    const struct operation *const *listed = gathered_operations;
    for (; listed < gathered_operations_end; listed++)
        if ((*listed)->packing == NULL && strcmp((*listed)->name, name) == 0 &&
            strcmp(mode_of(*listed), mode) == 0)
            return *listed;
    return NULL;
}

const struct operation *operation_packed(const struct operation *operation, const char *packing)
{
    const struct operation *const *listed = gathered_operations;
    for (; listed < gathered_operations_end; listed++)
        if ((*listed)->packing != NULL && strcmp((*listed)->packing, packing) == 0 &&
            strcmp((*listed)->name, operation->name) == 0 &&
            strcmp(mode_of(*listed), mode_of(operation)) == 0)
            return *listed;
    return NULL;
}

noreturn void refuse_partitioned(const char *what)
{
    fail(EXIT_ASKED_WRONGLY, "%s: %s was built for MPI %d.%d, and partitioned communication came with "
                             "MPI 4.0",
         what, library_name() != NULL ? library_name() : "this MPI library", MPI_VERSION,
         MPI_SUBVERSION);
}
