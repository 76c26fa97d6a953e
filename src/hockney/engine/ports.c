#include "ports.h"

#include <ctype.h>
#include <glob.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "json.h"
#include "line.h"

enum { LONGEST_VALUE = 128, LONGEST_NAME = 128, LONGEST_PATH = 512, MOST_WAIT_MS = 100 };

/* The classes of ports, the files of their counters, and what else is known of a port of such a name. */
static const struct class {
    const char *name;
    const char *counters[6], *facts[6];
} classes[] = {
    /* All counters of interfaces are in one file, which is that of this process's network. */
    {"net", {NULL}, {"operstate", "speed", "type"}},
    {"infiniband",
     {"*/ports/*/counters/*", "*/ports/*/hw_counters/*", "*/hw_counters/*"},
     {"state", "rate", "link_layer"}},
    /* Each reading asks the adapter, and there are some thousand: only those that say what was carried,
       and what was in its way. */
    {"cxi",
     {"*/device/telemetry/hni_sts_*_ok_octets", "*/device/telemetry/hni_*paused*",
      "*/device/telemetry/hni_*discard*", "*/device/telemetry/*err*", "*/device/telemetry/*retr*",
      "*/device/telemetry/*timeout*"},
     {NULL}},
};
enum {
    CLASSES = sizeof classes / sizeof classes[0],
    MOST_PATTERNS = sizeof classes[0].counters / sizeof classes[0].counters[0],
    MOST_FACTS = sizeof classes[0].facts / sizeof classes[0].facts[0],
};

/* `port` is the path of its directory below that of the class: "eth0", "mlx5_0/ports/1"; `path` the file of
   the counter, empty for interfaces. */
struct counter {
    const struct class *class;
    char port[LONGEST_NAME], name[LONGEST_NAME];
    char path[LONGEST_PATH];
    uint64_t value;
};

struct ports {
    struct counter *counters;
    size_t count;
    uint64_t lifespan_ms; /* for which drivers hold counters back */
};

/* A file that holds no number is no counter; a time may follow the number behind '@'. */
static int read_counter(const char *path, uint64_t *value)
{
    char line[LONGEST_VALUE], *end;
    line_read(path, line, sizeof line);
    if (!isdigit((unsigned char)line[0]))
        return 0;
    *value = strtoull(line, &end, 10);
    return *end == '\0' || *end == '@' || isspace((unsigned char)*end);
}

/* The directory of a port: what lies above the directory of its counters. */
static int name_counter(struct counter *counter, const char *below)
{
    const char *file = strrchr(below, '/');
    const char *directory = strchr(below, '/');
    const char *ports = strstr(below, "/ports/");
    if (ports != NULL) /* a device's port */
        directory = strchr(ports + strlen("/ports/"), '/');
    if (file == NULL || directory == NULL || directory - below >= LONGEST_NAME || strlen(file) > LONGEST_NAME)
        return 0;
    snprintf(counter->port, sizeof counter->port, "%.*s", (int)(directory - below), below);
    snprintf(counter->name, sizeof counter->name, "%s", file + 1);
    return 1;
}

static void add_counter(struct ports *ports, const struct counter *counter)
{
    ports->counters = grown(ports->counters, ports->count, sizeof *counter);
    ports->counters[ports->count++] = *counter;
}

/* A line of /proc/self/net/dev is NAME: and 16 numbers. */
static void read_interface(struct ports *ports, const char *line)
{
    static const struct { int column; const char *name; } columns[] = {
        {0, "rx_bytes"}, {1, "rx_packets"}, {2, "rx_errors"},
        {8, "tx_bytes"}, {9, "tx_packets"}, {10, "tx_errors"},
    };
    enum { COLUMNS = 16 };
    const char *colon = strchr(line, ':'), *name = line + strspn(line, " ");
    if (colon == NULL || colon - name >= LONGEST_NAME)
        return;
    uint64_t values[COLUMNS];
    const char *at = colon + 1;
    for (int i = 0; i < COLUMNS; i++) {
        char *end;
        values[i] = strtoull(at, &end, 10);
        at = end;
    }
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        struct counter counter = {.class = &classes[0], .value = values[columns[i].column]};
        snprintf(counter.port, sizeof counter.port, "%.*s", (int)(colon - name), name);
        snprintf(counter.name, sizeof counter.name, "%s", columns[i].name);
        add_counter(ports, &counter);
    }
}

static void read_interfaces(struct ports *ports)
{
    char line[LONGEST_PATH];
    FILE *file = fopen("/proc/self/net/dev", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        read_interface(ports, line);
    if (file != NULL)
        fclose(file);
}

/* All paths of a class's pattern; glob() sorts them, so that two readings have the same order. */
static int find(const char *sys, const struct class *class, const char *pattern, glob_t *found)
{
    char path[LONGEST_PATH];
    snprintf(path, sizeof path, "%s/class/%s/%s", sys, class->name, pattern);
    return glob(path, 0, NULL, found);
}

static void read_class(struct ports *ports, const char *sys, const struct class *class)
{
    const size_t root = strlen(sys) + strlen("/class//") + strlen(class->name);
    for (int i = 0; i < MOST_PATTERNS && class->counters[i] != NULL; i++) {
        glob_t found;
        if (find(sys, class, class->counters[i], &found) != 0)
            continue;
        for (size_t j = 0; j < found.gl_pathc; j++) {
            struct counter counter = {.class = class};
            if (!name_counter(&counter, found.gl_pathv[j] + root) || strlen(found.gl_pathv[j]) >= LONGEST_PATH)
                continue;
            snprintf(counter.path, sizeof counter.path, "%s", found.gl_pathv[j]);
            if (strcmp(counter.name, "lifespan") != 0 && read_counter(counter.path, &counter.value))
                add_counter(ports, &counter);
        }
        globfree(&found);
    }
}

/* Drivers of InfiniBand hold back some counters for their `lifespan`. */
static uint64_t longest_lifespan_ms(const char *sys)
{
    static const char *const patterns[] = {"*/ports/*/hw_counters/lifespan", "*/hw_counters/lifespan"};
    uint64_t longest_ms = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        glob_t found;
        if (find(sys, &classes[1], patterns[i], &found) != 0)
            continue;
        for (size_t j = 0; j < found.gl_pathc; j++) {
            uint64_t ms;
            if (read_counter(found.gl_pathv[j], &ms) && ms > longest_ms)
                longest_ms = ms;
        }
        globfree(&found);
    }
    return longest_ms < MOST_WAIT_MS ? longest_ms : MOST_WAIT_MS;
}

static void wait_for_drivers(uint64_t lifespan_ms)
{
    const struct timespec pause = {.tv_nsec = (long)(lifespan_ms + 1) * 1000000};
    if (lifespan_ms > 0)
        nanosleep(&pause, NULL);
}

struct ports *ports_again(const struct ports *before)
{
    struct ports *ports = allocate(sizeof *ports);
    *ports = (struct ports){.lifespan_ms = before->lifespan_ms};
    wait_for_drivers(ports->lifespan_ms);
    read_interfaces(ports);
    for (size_t i = 0; i < before->count; i++) {
        struct counter counter = before->counters[i];
        if (counter.path[0] != '\0' && read_counter(counter.path, &counter.value))
            add_counter(ports, &counter);
    }
    return ports;
}

struct ports *ports_read(const char *sys)
{
    struct ports *ports = allocate(sizeof *ports);
    *ports = (struct ports){.lifespan_ms = longest_lifespan_ms(sys)};
    wait_for_drivers(ports->lifespan_ms);
    read_interfaces(ports);
    for (int i = 0; i < CLASSES; i++)
        read_class(ports, sys, &classes[i]);
    return ports;
}

void ports_free(struct ports *ports)
{
    if (ports != NULL)
        free(ports->counters);
    free(ports);
}

static const struct counter *same_in(const struct ports *ports, const struct counter *counter, size_t at)
{
    for (size_t i = 0; i < ports->count; i++) {
        const struct counter *other = &ports->counters[(at + i) % ports->count];
        if (other->class == counter->class && strcmp(other->port, counter->port) == 0 &&
            strcmp(other->name, counter->name) == 0)
            return other;
    }
    return NULL;
}

static void write_facts(FILE *out, const struct counter *counter, const char *sys)
{
    for (int i = 0; i < MOST_FACTS && counter->class->facts[i] != NULL; i++) {
        char path[1024], value[LONGEST_VALUE];
        snprintf(path, sizeof path, "%s/class/%s/%s/%s", sys, counter->class->name, counter->port,
                 counter->class->facts[i]);
        line_read(path, value, sizeof value);
        json_text(out, counter->class->facts[i], value[0] != '\0' ? value : NULL);
    }
}

static int is_full(uint64_t value) { return value == UINT32_MAX || value == UINT64_MAX; }

/* A counter as it was before; NULL where it has not moved. */
static const struct counter *worth_writing(const struct ports *before, const struct counter *now, size_t at)
{
    const struct counter *then = same_in(before, now, at);
    return then != NULL && (then->value != now->value || is_full(now->value)) ? then : NULL;
}

static void write_counters(FILE *out, const struct ports *before, const struct ports *after, size_t first,
                           size_t end)
{
    int written = 0;
    fputs(",\"counters\":{", out);
    for (size_t i = first; i < end; i++) {
        const struct counter *now = &after->counters[i], *then = worth_writing(before, now, i);
        if (then == NULL)
            continue;
        fputs(json_comma(written++), out);
        json_string(out, now->name);
        fprintf(out, ":[%" PRIu64 ",%" PRIu64 "]", then->value, now->value);
    }
    putc('}', out);
}

static int is_same_port(const struct counter *one, const struct counter *other)
{
    return one->class == other->class && strcmp(one->port, other->port) == 0;
}

static int by_port(const void *one, const void *other)
{
    const struct counter *a = one, *b = other;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    const int ports = strcmp(a->port, b->port);
    return ports != 0 ? ports : strcmp(a->name, b->name);
}

void ports_write(FILE *out, const struct ports *before, const struct ports *after, const char *sys)
{
    /* Ports have counters in several directories. */
    qsort(after->counters, after->count, sizeof *after->counters, by_port);
    qsort(before->counters, before->count, sizeof *before->counters, by_port);
    const char *comma = "";
    putc('[', out);
    for (size_t first = 0, end; first < after->count; first = end) {
        const struct counter *counter = &after->counters[first];
        int is_written = sys != NULL;
        for (end = first; end < after->count && is_same_port(counter, &after->counters[end]); end++)
            is_written = is_written || worth_writing(before, &after->counters[end], end) != NULL;
        if (!is_written)
            continue;
        fprintf(out, "%s{\"class\":\"%s\",\"port\":", comma, counter->class->name);
        json_string(out, counter->port);
        if (sys != NULL)
            write_facts(out, counter, sys);
        write_counters(out, before, after, first, end);
        putc('}', out);
        comma = ",";
    }
    putc(']', out);
}
