#include "experiment.h"

#include <string.h>

#include "check.h"
#include "library.h"

/* Their names, by number, and what the second word of those names that have one. */
static const struct {
    const char *name, *second;
} experiments[] = {
    [PINGPONG] = {"pingpong", NULL},
    [OVERHEADS] = {"overheads", NULL},
    [PAIRS] = {"pairs", NULL},
    [CORES] = {"cores", NULL},
    [COLLECTIVE] = {"collective", "collective, such as bcast"},
    [HALO] = {"halo", NULL},
    [OVERLAP] = {"overlap", NULL},
    [RMA] = {"rma", "operation, such as put"},
    [STARTUP] = {"startup", NULL},
    [CONGESTION] = {"congestion", "victim, such as pingpong"},
    [FABRIC] = {"fabric", NULL},
};

/* Returns the name of the operation where the experiment is of one that is named. */
static const char *read_words(struct options *options)
{
    int experiment = 0;
    if (options->word_count < 1)
        fail(EXIT_ASKED_WRONGLY, "name an experiment, such as pingpong (see --help)");
    while (experiment < EXPERIMENTS && strcmp(experiments[experiment].name, options->words[0]) != 0)
        experiment++;
    if (experiment == EXPERIMENTS)
        fail(EXIT_ASKED_WRONGLY, "%s: no such experiment", options->words[0]);
    options->experiment = (enum experiment)experiment;
    options->experiment_name = experiments[experiment].name;
    const char *second = experiments[experiment].second;
    if (options->word_count != (second != NULL ? 2 : 1))
        fail(EXIT_ASKED_WRONGLY, "name one %s",
             second != NULL ? second : "experiment, such as pingpong (see --help)");
    return second != NULL ? options->words[1] : NULL;
}

static noreturn void refuse_operation(const struct options *options, const char *name)
{
    if (options->experiment == COLLECTIVE && options->form != NULL)
        fail(EXIT_ASKED_WRONGLY, "%s --form %s: no such collective", name, options->form);
    if (operation_named(name, "standard") == NULL)
        fail(EXIT_ASKED_WRONGLY, "%s: no such operation", name);
    if (strcmp(options->mode, "partitioned") == 0 && operation_whole() == NULL)
        refuse_partitioned("--mode partitioned");
    fail(EXIT_ASKED_WRONGLY, "%s takes no --mode %s", name, options->mode);
}

/* A collective, or what two ranks do. */
static const struct operation *victim_named(const char *name)
{
    const struct operation *collective = collective_named(name, NULL);
    return collective != NULL ? collective : operation_named(name, "standard");
}

static const struct operation *operation_of(const struct options *options, const char *name)
{
    switch (options->experiment) {
    case COLLECTIVE: return collective_named(name, options->form);
    case CONGESTION: return victim_named(name);
    case OVERHEADS: return &operation_train;
    default: return operation_named(name, options->mode);
    }
}

static void check_form(const char *form)
{
    if (form != NULL && strstr(form, "persistent") != NULL && !has_persistent_collectives)
        fail(EXIT_ASKED_WRONGLY, "%s has no persistent collectives, which came with MPI 4.0",
             library_name() != NULL ? library_name() : "this MPI");
}

void experiment_read(struct options *options)
{
    const char *name = read_words(options);
    check_form(options->form);
    if (options->experiment == HALO) /* whose exchanges accept.c reads */
        return;
    if (options->experiment == OVERLAP) {
        add_exchange(options, &operation_isend);
        add_exchange(options, &operation_irecv);
        options->operation = &operation_isend;
        options->overlap = 1;
        return;
    }
    if (name == NULL)
        name = options->one_way ? "stream" : options->between;
    options->operation = operation_of(options, name);
    if (options->operation == NULL)
        refuse_operation(options, name);
}
