#include "algorithms.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "json.h"

enum { NAME_LENGTH = 256, VALUE_LENGTH = 256, DESCRIPTION_LENGTH = 1 << 14 };

/* A control variable and its value as text; no value if the library lacks the variable. */
struct control {
    char name[NAME_LENGTH], value[VALUE_LENGTH], expected[VALUE_LENGTH];
    int known, has_expected;
};

static struct control *controls;
static int control_count;

/* SimGrid declares the errors of the tools interface, but not its functions. */
#if MPI_VERSION < 3 || defined(SMPI_H)

int algorithms_main(int every)
{
    (void)every;
    fputs("hockney-engine: this MPI library has no tools interface\n", stderr);
    return EXIT_ASKED_WRONGLY;
}

static void open_tools(void) {}
static void close_tools(void) {}
static void read_control(struct control *control) { control->known = 0; }

#else

/* A control variable, as MPI_T_cvar_get_info describes it. */
struct variable {
    int index, binding;
    char name[NAME_LENGTH], description[DESCRIPTION_LENGTH];
    MPI_Datatype type;
    MPI_T_enum choices;
};

static void open_tools(void)
{
    int provided;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        fail(EXIT_ASKED_WRONGLY, "the MPI library refuses a setting of its control variables");
}

static void close_tools(void) { MPI_T_finalize(); }

/* Variables that cannot be described are skipped: some exist only while a component is loaded. */
static int describe(struct variable *variable, int index)
{
    int name_length = NAME_LENGTH, description_length = DESCRIPTION_LENGTH, verbosity, scope;
    variable->index = index;
    return MPI_T_cvar_get_info(index, variable->name, &name_length, &verbosity, &variable->type,
                               &variable->choices, variable->description, &description_length,
                               &variable->binding, &scope) == MPI_SUCCESS;
}

/* The choices of an enumeration; other variables have no choices. */
static int choice_count(const struct variable *variable)
{
    char name[NAME_LENGTH];
    int count = 0, length = sizeof name;
    if (variable->choices == MPI_T_ENUM_NULL ||
        MPI_T_enum_get_info(variable->choices, &count, name, &length) != MPI_SUCCESS)
        return 0;
    return count;
}

/* Leaves `name` empty if the library does not report it. */
static int choice(const struct variable *variable, int index, char name[VALUE_LENGTH])
{
    int value = 0, length = VALUE_LENGTH;
    if (MPI_T_enum_get_item(variable->choices, index, &value, name, &length) != MPI_SUCCESS)
        name[0] = '\0';
    return value;
}

/* A number, or the name that an enumeration gives it. */
static void name_value(const struct variable *variable, long long value, char text[VALUE_LENGTH])
{
    char name[VALUE_LENGTH];
    snprintf(text, VALUE_LENGTH, "%lld", value);
    for (int i = choice_count(variable) - 1; i >= 0; i--)
        if (choice(variable, i, name) == value && name[0] != '\0')
            strcpy(text, name);
}

/* A buffer for as many elements as the library reports, of any type. */
static int read_value(const struct variable *variable, char text[VALUE_LENGTH])
{
    MPI_T_cvar_handle handle;
    int count = 0;
    if (variable->binding != MPI_T_BIND_NO_OBJECT ||
        MPI_T_cvar_handle_alloc(variable->index, NULL, &handle, &count) != MPI_SUCCESS)
        return 0;
    union { char text[1]; int i; unsigned u; unsigned long lu; unsigned long long llu; double d; } *
        value = allocate(((size_t)count + 1) * sizeof *value);
    int known = MPI_T_cvar_read(handle, value) == MPI_SUCCESS;
    if (!known)
        text[0] = '\0';
    else if (variable->type == MPI_CHAR)
        snprintf(text, VALUE_LENGTH, "%s", value->text);
    else if (variable->type == MPI_DOUBLE)
        snprintf(text, VALUE_LENGTH, "%g", value->d);
    else if (variable->type == MPI_UNSIGNED_LONG || variable->type == MPI_COUNT)
        snprintf(text, VALUE_LENGTH, "%lu", value->lu);
    else if (variable->type == MPI_UNSIGNED_LONG_LONG)
        snprintf(text, VALUE_LENGTH, "%llu", value->llu);
    else if (variable->type == MPI_UNSIGNED)
        snprintf(text, VALUE_LENGTH, "%u", value->u);
    else if (variable->type == MPI_INT)
        name_value(variable, value->i, text);
    else if (variable->type == MPI_C_BOOL)
        name_value(variable, value->text[0], text);
    else
        known = 0;
    free(value);
    MPI_T_cvar_handle_free(&handle);
    return known;
}

static void read_control(struct control *control)
{
    static struct variable variable;
    int index;
    control->known = MPI_T_cvar_get_index(control->name, &index) == MPI_SUCCESS &&
                     describe(&variable, index) && read_value(&variable, control->value);
}

/* Open MPI has them in its framework "coll"; MPICH marks them by their names. */
static int is_about_collectives(const char *name)
{
    return strncmp(name, "coll_", 5) == 0 || strcmp(name, "coll") == 0 ||
           strstr(name, "_ALGORITHM") != NULL || strstr(name, "COLLECTIVE") != NULL ||
           strstr(name, "CHUNK_SIZE") != NULL || strstr(name, "KVAL") != NULL ||
           strstr(name, "ALLTOALL_THROTTLE") != NULL || strstr(name, "OUTSTANDING_TASKS") != NULL;
}

static void print_variable(const struct variable *variable)
{
    char value[VALUE_LENGTH], name[VALUE_LENGTH];
    fputs("{\"kind\":\"control\"", stdout);
    json_text(stdout, "name", variable->name);
    json_text(stdout, "description", variable->description);
    json_text(stdout, "value", read_value(variable, value) ? value : NULL);
    fputs(",\"choices\":[", stdout);
    for (int i = 0; i < choice_count(variable); i++) {
        fputs(json_comma(i), stdout);
        choice(variable, i, name);
        json_string(stdout, name);
    }
    fputs("]}\n", stdout);
}

int algorithms_main(int every)
{
    static struct variable variable;
    int count;
    open_tools();
    if (MPI_T_cvar_get_num(&count) != MPI_SUCCESS)
        count = 0;
    for (int i = 0; i < count; i++)
        if (describe(&variable, i) && (every || is_about_collectives(variable.name)))
            print_variable(&variable);
    close_tools();
    return EXIT_SUCCESS;
}

#endif

/* Reads NAME or NAME=VALUE up to a comma; returns what comes after it. */
static const char *name_control(struct control *control, const char *text)
{
    const size_t length = strcspn(text, ","), name = strcspn(text, "=,");
    if (length >= NAME_LENGTH)
        fail(EXIT_ASKED_WRONGLY, "--read-back: a word of %zu characters", length);
    memcpy(control->name, text, name);
    control->has_expected = name < length;
    if (control->has_expected)
        memcpy(control->expected, text + name + 1, length - name - 1);
    return text[length] == ',' ? text + length + 1 : text + length;
}

void algorithms_read_back(const char *names)
{
    control_count = 1;
    for (const char *at = names; *at != '\0'; at++)
        control_count += *at == ',';
    controls = allocate((size_t)control_count * sizeof *controls);
    /* Only now: a library may crash in MPI_Init when its tools were opened before. */
    open_tools();
    for (int i = 0; i < control_count; i++) {
        struct control *control = &controls[i];
        names = name_control(control, names);
        read_control(control);
        if (control->has_expected && strcmp(control->value, control->expected) != 0)
            fail(EXIT_WENT_WRONG, "the MPI library did not accept a setting: %s is '%s', not '%s'",
                 control->name, control->known ? control->value : "unknown", control->expected);
    }
    close_tools();
}

void algorithms_put_controls(void)
{
    putchar('{');
    for (int i = 0; i < control_count; i++) {
        fputs(json_comma(i), stdout);
        json_string(stdout, controls[i].name);
        putchar(':');
        json_string(stdout, controls[i].known ? controls[i].value : NULL);
    }
    putchar('}');
}
