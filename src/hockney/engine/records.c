#include "records.h"

#include <mpi.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "json.h"
#include "library.h"

enum {
    STDOUT_BYTES = 1 << 18,
    SCHEMA = 2, /* version of the format, which whoever reads the records without a run record must know */
};

static int launch_number, silent;

void records_open(int launch, int is_silent)
{
    launch_number = launch;
    silent = is_silent;
}

void records_buffer(void)
{
    static char buffer[STDOUT_BYTES]; /* the C library ignores a size without one */
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

void record_string(const char *text) { json_string(stdout, text); }

/* A number where it is known: unknown is null, never 0. */
static void put_known(const char *name, double value)
{
    if (value >= 0.0)
        printf(",\"%s\":%.6g", name, value);
    else
        printf(",\"%s\":null", name);
}

const char *records_thread_level(void)
{
    static const struct { int level; const char *name; } levels[] = {
        {MPI_THREAD_SINGLE, "single"},
        {MPI_THREAD_FUNNELED, "funneled"},
        {MPI_THREAD_SERIALIZED, "serialized"},
        {MPI_THREAD_MULTIPLE, "multiple"},
    };
    int granted = MPI_THREAD_SINGLE;
    MPI_Query_thread(&granted);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (levels[i].level == granted)
            return levels[i].name;
    return NULL;
}

static void put_mpi(void)
{
    int major = 0, minor = 0;
    MPI_Get_version(&major, &minor);
    fputs("\"mpi\":{\"library\":", stdout);
    record_string(library_name());
    fputs(",\"version\":", stdout);
    record_string(library_version());
    fputs(",\"abi\":", stdout);
    record_string(library_abi());
    printf(",\"standard\":\"%d.%d\",\"description\":", major, minor);
    record_string(library_description());
    fputs(",\"threads\":", stdout);
    record_string(records_thread_level());
    putchar('}');
}

/* When the launch began, for readers without a run record. */
static void put_started(void)
{
    char text[sizeof "2026-01-02T03:04:05+00:00"] = "";
    struct tm utc;
    const time_t now = time(NULL);
    if (gmtime_r(&now, &utc) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &utc) > 0)
        printf(",\"started\":\"%s\"", text);
}

/* How late each rank is, as a fraction of the skew. */
static void put_fractions(const struct launch_facts *facts, enum arrival arrival, int is_first)
{
    printf("%s\"%s\":[", is_first ? ",\"arrivals\":{" : ",", arrival_names[arrival]);
    for (int rank = 0; rank < facts->ranks; rank++)
        printf("%s%.6g", rank > 0 ? "," : "",
               arrival_fraction(facts->arrivals, arrival, rank, facts->ranks, facts->seed));
    putchar(']');
}

static void put_ranks(const char *name, const int *ranks, int count)
{
    printf(",\"%s\":[", name);
    for (int i = 0; i < count; i++)
        printf("%s%d", i > 0 ? "," : "", ranks[i]);
    putchar(']');
}

static void put_cast(const struct cast *cast)
{
    put_ranks("victims", cast->ranks, cast->victims);
    put_ranks("aggressors", cast->ranks + cast->victims, cast->aggressors);
}

void record_launch(const struct launch_facts *facts)
{
    if (silent)
        return;
    printf("{\"kind\":\"launch\",\"launch\":%d,", launch_number);
    put_mpi();
    fputs(",\"engine\":\"" HOCKNEY_VERSION "\",\"clock\":{\"name\":", stdout);
    record_string(facts->clock.name);
    put_known("resolution_s", facts->clock.resolution_s > 0.0 ? facts->clock.resolution_s : -1.0);
    put_known("cost_s", facts->clock.cost_s);
    put_known("wtick_s", facts->clock.wtick_s);
    printf("},\"seed\":%llu", (unsigned long long)facts->seed);
    put_known("batch_s", facts->batch_s > 0.0 ? facts->batch_s : -1.0);
    printf(",\"buffers\":\"%s\"", facts->buffers);
    printf(",\"cold_bytes\":%lu,\"probe\":%s,\"definition\":", facts->cold_bytes,
           facts->probes_handover ? "\"handover\"" : "\"work\"");
    record_string(facts->definition);
    if (facts->probe_refusal != NULL && facts->probe_refusal[0] != '\0') {
        fputs(",\"probe_refused\":", stdout);
        record_string(facts->probe_refusal);
    }
    if (facts->moved_ranks >= 0)
        printf(",\"moved_ranks\":%d", facts->moved_ranks);
    put_started();
    printf(",\"schema\":%d,\"asked\":[%s],\"axes\":{%s}", SCHEMA, facts->asked, facts->axes);
    fputs(",\"controls\":", stdout);
    facts->put_controls();
    facts->put_accelerator();
    fputs(",\"places\":[", stdout);
    fputs(facts->places, stdout);
    putchar(']');
    if (facts->cast != NULL)
        put_cast(facts->cast);
    for (int i = 0; i < facts->arrivals->count; i++)
        put_fractions(facts, facts->arrivals->list[i], i == 0);
    fputs(facts->arrivals->count > 0 ? "}}\n" : "}\n", stdout);
}

static void put_peers(const int *peers, int ranks)
{
    fputs("\"peers\":[", stdout);
    for (int i = 0; i < ranks; i++)
        printf("%s%d", i > 0 ? "," : "", peers[i]);
    putchar(']');
}

static void put_values(const char *name, const double *values, int count, double factor)
{
    printf(",\"%s\":[", name);
    for (int i = 0; i < count; i++)
        printf("%s%.7g", i > 0 ? "," : "", values[i] * factor);
    putchar(']');
}

/* How a one-sided operation is made. */
static void put_way(const struct operation *operation)
{
    const struct way *way = operation->way;
    printf(",\"synchronization\":\"%s\",\"window_kind\":\"%s\"",
           synchronization_names[way->synchronization], window_kind_names[way->kind]);
    if (way->direction != IN_TURNS)
        printf(",\"direction\":\"%s\"", direction_names[way->direction - 1]);
    if (way->element != NULL)
        printf(",\"element\":\"%s\"", way->element->name);
    if (way->element != NULL && !operation->swaps)
        printf(",\"reduction\":\"%s\"", reduction_names[way->reduction]);
}

static void put_halo(const struct sample_key *key)
{
    const struct grid *grid = key->grid;
    printf(",\"exchange\":\"%s\",\"grid\":[", key->operation->exchange);
    for (int i = 0; i < grid->dimensions; i++)
        printf("%s%d", i > 0 ? "," : "", grid->sides[i]);
    printf("],\"neighbors\":\"%s\",\"periodic\":%s", neighbors_names[grid->reach - 1],
           grid->is_open ? "false" : "true");
    if (key->packing != PACKING_NONE)
        printf(",\"packing\":\"%s\"", packings_names[key->packing]);
    if (grid->reordered)
        fputs(",\"reordered\":true", stdout);
    if (exchange_is_partitioned(key->operation))
        printf(",\"partitions\":%d", grid->parts);
}

static void put_arrival(const struct arrivals *arrivals, enum arrival arrival)
{
    printf(",\"arrival\":\"%s\"", arrival_names[arrival]);
    if (arrival != ARRIVAL_NONE && arrivals->skew_ns > 0.0)
        printf(",\"skew_s\":%.9g", arrivals->skew_ns * 1e-9);
    else if (arrival != ARRIVAL_NONE)
        printf(",\"skew_times\":%.9g", arrivals->skew_times);
}

static void put_load(const struct load *load)
{
    printf(",\"aggressor\":\"%s\",\"load_bytes\":%zu,\"load_window\":%d", aggressor_names[load->aggressor],
           load->bytes, load->window);
    if (load->burst_ns > 0.0)
        printf(",\"burst_s\":%.9g,\"gap_s\":%.9g", load->burst_ns * 1e-9, load->gap_ns * 1e-9);
}

static void put_method(const struct method *method)
{
    if (method->threads > 0 && method->partitions.count == 0)
        printf(",\"threads\":%d,\"thread_comms\":\"%s\"", method->threads, method->thread_comms);
    if (method->threads != method->receivers)
        printf(",\"receiver_threads\":%d", method->receivers);
    if (method->datatype != NULL)
        printf(",\"datatype\":\"%s\"", method->datatype);
    if (method->packing != NULL)
        printf(",\"packing\":\"%s\"", method->packing);
    if (method->names_memories)
        printf(",\"memory\":\"%s\"", memory_names[method->memories.of[0]]);
    if (method->memories.of[0] != method->memories.of[1])
        printf(",\"peer_memory\":\"%s\"", memory_names[method->memories.of[1]]);
    if (method->staging >= 0)
        printf(",\"staging\":%lld", (long long)method->staging);
    if (method->partitions.count > 0)
        printf(",\"partitions\":%d,\"stagger_ns\":%.9g", method->partitions.count,
               method->partitions.stagger_ns);
}

/* The axes that not every point has: left out where they do not apply. */
static void put_axes(const struct sample_key *key)
{
    const struct operation *operation = key->operation;
    if (operation->mode != NULL)
        printf(",\"mode\":\"%s\"", operation->mode);
    if (operation->form != NULL)
        printf(",\"form\":\"%s\"", operation->form);
    if (key->segment_bytes != NULL)
        printf(",\"segment_bytes\":%zu", *key->segment_bytes);
    if (key->element != NULL)
        printf(",\"element\":\"%s\"", key->element);
    if (key->phase != NULL)
        printf(",\"phase\":\"%s\"", key->phase);
    if (key->occurrence != NULL)
        printf(",\"occurrence\":\"%s\"", key->occurrence);
    if (key->window_kind != NULL)
        printf(",\"window_kind\":\"%s\"", key->window_kind);
    if (key->window > 0)
        printf(",\"window\":%d", key->window);
    if (key->pairs > 0)
        printf(",\"pairs\":%d", key->pairs);
    if (key->overlap)
        fputs(",\"overlap\":true", stdout);
    if (operation->way != NULL)
        put_way(operation);
    if (key->groups > 1)
        printf(",\"groups\":%d", key->groups);
    if (key->grid != NULL)
        put_halo(key);
    if (key->arrivals != NULL)
        put_arrival(key->arrivals, key->arrival);
    if (key->load != NULL)
        put_load(key->load);
    put_method(key->method);
    if (operation->parameters != NULL && !operation->in_window) {
        const struct train *train = operation->parameters;
        printf(",\"train\":{\"messages\":%d,\"send_delay_ns\":%.9g,\"send_delay_ns_per_B\":%.9g,"
               "\"receive_delay_ns\":%.9g,\"receive_delay_ns_per_B\":%.9g}",
               train->messages, train->send.ns, train->send.ns_per_byte, train->receive.ns,
               train->receive.ns_per_byte);
    }
}

static void put_key(const char *kind, const struct sample_key *key)
{
    printf("{\"kind\":\"%s\",\"launch\":%d,\"round\":%d,\"operation\":\"%s\",\"algorithm\":", kind,
           launch_number, key->round, key->operation->name);
    record_string(key->algorithm);
    printf(",\"bytes\":%zu,\"ranks\":%d,", key->bytes, key->ranks);
    put_peers(key->peers, key->peer_count);
    put_axes(key);
}

void record_tail(const struct sample_key *key, const struct sketch *sketch)
{
    if (silent)
        return;
    put_key("tail", key);
    printf(",\"relative_error\":%g", SKETCH_ERROR);
    for (int counts = 0; counts < 2; counts++) {
        printf(",\"%s\":[", counts ? "counts" : "bins");
        for (int bin = 0, any = 0; bin < SKETCH_BINS; bin++)
            if (sketch->counts[bin] > 0)
                printf("%s%lld", any++ ? "," : "", counts ? (long long)sketch->counts[bin] : bin);
        putchar(']');
    }
    fputs("}\n", stdout);
}

void record_samples(const struct sample_key *key, const double *ns, int count)
{
    if (silent)
        return;
    put_key("samples", key);
    printf(",\"repetitions\":%lld,\"at_s\":%.6f", (long long)key->repetitions, key->at_s);
    if (key->compute_ns > 0.0)
        printf(",\"compute_ns\":%.7g", key->compute_ns);
    if (key->window_ns > 0.0)
        printf(",\"window_ns\":%.5g", key->window_ns);
    if (key->load_Bps > 0.0)
        printf(",\"load_Bps\":%.7g", key->load_Bps);
    if (key->skew_ns > 0.0)
        printf(",\"skew_ns\":%.7g", key->skew_ns);
    put_values("ns", ns, count, 1.0);
    if (key->own_sum_ns != NULL)
        put_values("own_mean_ns", key->own_sum_ns, count,
                   1.0 / (key->operation->timed_rank > 0 ? 1 : key->ranks));
    if (key->own_longest_ns != NULL)
        put_values("own_max_ns", key->own_longest_ns, count, 1.0);
    fputs("}\n", stdout);
}

void record_completions(const struct sample_key *key, const struct completion *ranks, int visits)
{
    if (silent)
        return;
    put_key("completions", key);
    printf(",\"visits\":%d,\"numbers\":[", visits);
    for (int i = 0; i < key->ranks; i++)
        printf("%s%d", i > 0 ? "," : "", ranks[i].number);
    fputs("],\"ns\":[", stdout);
    for (int i = 0; i < key->ranks; i++)
        printf("%s%.7g", i > 0 ? "," : "", ranks[i].ns);
    fputs("]}\n", stdout);
}

void record_trial(const struct sample_key *key)
{
    put_key("trial", key);
    fputs("}\n", stdout);
}

void record_pair_times(const struct pair_times_facts *facts)
{
    if (silent)
        return;
    printf("{\"kind\":\"pair_times\",\"launch\":%d,\"pass_number\":%d,\"visit\":%lld,\"visits\":%d,"
           "\"operation\":\"%s\",\"at_s\":%.6f,\"bytes\":[",
           launch_number, facts->pass, (long long)facts->visit, facts->visits, facts->operation,
           facts->at_s);
    for (int i = 0; i < facts->size_count; i++)
        printf("%s%zu", i > 0 ? "," : "", facts->sizes[i].bytes);
    fputs("],\"peers\":[", stdout);
    for (int i = 0; i < facts->count; i++)
        printf("%s%d,%d", i > 0 ? "," : "", facts->pairs[i].first, facts->pairs[i].second);
    fputs("],\"ns\":[", stdout);
    for (int i = 0; i < facts->size_count; i++) {
        fputs(i > 0 ? ",[" : "[", stdout);
        for (int j = 0; j < facts->count; j++)
            printf("%s%.7g", j > 0 ? "," : "", facts->ns[(size_t)i * (size_t)facts->stride + (size_t)j]);
        putchar(']');
    }
    fputs("]}\n", stdout);
}

void record_start(const struct start_facts *facts)
{
    if (silent)
        return;
    printf("{\"kind\":\"start\",\"launch\":%d,\"round\":%d,\"operation\":\"%s\",\"bytes\":%zu,"
           "\"ranks\":%d,\"begin\":\"%s\",\"skew_s\":%.4g,\"missed\":%d",
           launch_number, facts->round, facts->operation, facts->bytes, facts->ranks,
           facts->begin, facts->skew_s, facts->missed);
    if (facts->tolerance_s > 0.0)
        put_known("tolerance_s", facts->tolerance_s);
    put_known("error_s", facts->error_s);
    put_known("bound_s", facts->bound_s);
    put_known("known_error_s", facts->known_error_s);
    fputs("}\n", stdout);
}

void record_probe(const struct probe_facts *facts)
{
    if (silent)
        return;
    printf("{\"kind\":\"probe\",\"launch\":%d,\"round\":%d,", launch_number, facts->round);
    put_peers(facts->peers, 2);
    printf(",\"handover_ns\":%.5g,\"handover_low_ns\":%.5g,\"handover_high_ns\":%.5g}\n",
           facts->handover_ns, facts->low_ns, facts->high_ns);
}

void record_round(const struct round_facts *facts)
{
    if (silent)
        return;
    printf("{\"kind\":\"round\",\"launch\":%d,\"round\":%d", launch_number, facts->round);
    put_known("wall_s", facts->wall_s);
    put_known("waited_s", facts->waited_s);
    json_id(stdout, "waited_rank", facts->waited_rank);
    put_known("probe_s", facts->probe_s);
    json_id(stdout, "probe_rank", facts->probe_rank);
    put_known("switches", facts->switches);
    put_known("migrations", facts->migrations);
    put_known("steal_s", facts->steal_s);
    fputs("}\n", stdout);
}

void record_noise(int rank, const struct noise *noise)
{
    if (silent)
        return;
    printf("{\"kind\":\"noise\",\"launch\":%d,\"rank\":%d", launch_number, rank);
    put_known("wall_s", noise->wall_s);
    put_known("cpu_s", noise->cpu_s);
    put_known("waited_s", noise->waited_s);
    put_known("steal_s", noise->steal_s);
    put_known("switches", noise->switches);
    put_known("migrations", noise->migrations);
    put_known("probe_s", noise->probe_s);
    put_known("probe_low_s", noise->probe_low_s);
    put_known("probe_high_s", noise->probe_high_s);
    put_known("throttled", noise->throttled);
    put_known("throttled_s", noise->throttled_s);
    fputs("}\n", stdout);
}

void record_path(const char *members)
{
    if (!silent)
        printf("{\"kind\":\"path\",\"launch\":%d,%s}\n", launch_number, members);
}

void record_progress(const struct progress_facts *facts)
{
    if (silent)
        return;
    printf("{\"kind\":\"progress\",\"launch\":%d,\"round\":%d,\"bytes\":%zu", launch_number,
           facts->round, facts->bytes);
    put_known("worst", facts->worst);
    printf(",\"reached\":%d,\"points\":%lld,\"samples\":%ld", facts->reached,
           (long long)facts->points, facts->samples);
    put_known("left_s", facts->left_s);
    fputs("}\n", stdout);
}

void record_end(const char *reason, double wall_s, const char *message)
{
    if (!silent) {
        printf("{\"kind\":\"end\",\"launch\":%d,\"reason\":\"%s\"", launch_number, reason);
        put_known("wall_s", wall_s);
        fputs(",\"message\":", stdout);
        record_string(message);
        fputs("}\n", stdout);
    }
    records_flush();
}

void record_failure(const char *message) { record_end("failed", -1.0, message); }

void records_flush(void)
{
    static int has_failed; /* what then fails has no records to end with */
    if (!has_failed && (fflush(stdout) != 0 || ferror(stdout))) {
        has_failed = 1;
        fail(EXIT_WENT_WRONG, "stdout cannot be written: %s", strerror(errno));
    }
}
