#include "records.h"

#include <mpi.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "json.h"

enum { STDOUT_BYTES = 1 << 18 };

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

#define WORDS_OF(number) #number
#define DOTTED(major, minor, release) WORDS_OF(major) "." WORDS_OF(minor) "." WORDS_OF(release)

#if defined(SMPI_H)
static const char *const library = "SimGrid SMPI", *const version = NULL, *const abi = "smpi";
#elif defined(I_MPI_VERSION)
static const char *const library = "Intel MPI", *const version = I_MPI_VERSION, *const abi = "mpich";
#elif defined(MVAPICH2_VERSION)
static const char *const library = "MVAPICH", *const version = MVAPICH2_VERSION, *const abi = "mpich";
#elif defined(MVAPICH_VERSION)
static const char *const library = "MVAPICH", *const version = MVAPICH_VERSION, *const abi = "mpich";
#elif defined(MPICH_VERSION)
static const char *const library = "MPICH", *const version = MPICH_VERSION, *const abi = "mpich";
#elif defined(OMPI_MAJOR_VERSION)
static const char *const library = "Open MPI", *const abi = "ompi",
    *const version = DOTTED(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
#else
static const char *const library = NULL, *const version = NULL, *const abi = NULL;
#endif

const char *records_library(void) { return library; }

static void put_mpi(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0, major = 0, minor = 0;
    MPI_Get_library_version(text, &length);
    MPI_Get_version(&major, &minor);
    text[strcspn(text, "\n")] = '\0';
    fputs("\"mpi\":{\"library\":", stdout);
    record_string(library);
    fputs(",\"version\":", stdout);
    record_string(version);
    fputs(",\"abi\":", stdout);
    record_string(abi);
    printf(",\"standard\":\"%d.%d\",\"description\":", major, minor);
    record_string(text);
    putchar('}');
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
    fputs(",\"controls\":", stdout);
    facts->put_controls();
    fputs(",\"places\":[", stdout);
    fputs(facts->places, stdout);
    fputs("]}\n", stdout);
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

/* The axes that not every point has: left out where they do not apply. */
static void put_axes(const struct sample_key *key)
{
    const struct operation *operation = key->operation;
    if (operation->mode != NULL)
        printf(",\"mode\":\"%s\"", operation->mode);
    if (key->segment_bytes != NULL)
        printf(",\"segment_bytes\":%zu", *key->segment_bytes);
    if (key->window > 0)
        printf(",\"window\":%d", key->window);
    if (key->pairs > 0)
        printf(",\"pairs\":%d", key->pairs);
    if (key->overlap)
        fputs(",\"overlap\":true", stdout);
    if (operation->parameters != NULL) {
        const struct train *train = operation->parameters;
        printf(",\"train\":{\"messages\":%d,\"send_delay_ns\":%.9g,\"send_delay_ns_per_B\":%.9g,"
               "\"receive_delay_ns\":%.9g,\"receive_delay_ns_per_B\":%.9g}",
               train->messages, train->send.ns, train->send.ns_per_byte, train->receive.ns,
               train->receive.ns_per_byte);
    }
}

void record_samples(const struct sample_key *key, const double *ns, int count)
{
    if (silent)
        return;
    printf("{\"kind\":\"samples\",\"launch\":%d,\"round\":%d,\"operation\":\"%s\",\"algorithm\":",
           launch_number, key->round, key->operation->name);
    record_string(key->algorithm);
    printf(",\"bytes\":%zu,\"ranks\":%d,", key->bytes, key->ranks);
    put_peers(key->peers, key->peer_count);
    put_axes(key);
    printf(",\"repetitions\":%lld,\"at_s\":%.6f", (long long)key->repetitions, key->at_s);
    if (key->compute_ns > 0.0)
        printf(",\"compute_ns\":%.7g", key->compute_ns);
    if (key->window_ns > 0.0)
        printf(",\"window_ns\":%.5g", key->window_ns);
    put_values("ns", ns, count, 1.0);
    if (key->own_sum_ns != NULL)
        put_values("own_mean_ns", key->own_sum_ns, count, 1.0 / key->ranks);
    if (key->own_longest_ns != NULL)
        put_values("own_max_ns", key->own_longest_ns, count, 1.0);
    fputs("}\n", stdout);
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
    fputs("}\n", stdout);
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

void records_flush(void)
{
    static int has_failed; /* what then fails has no records to end with */
    if (!has_failed && (fflush(stdout) != 0 || ferror(stdout))) {
        has_failed = 1;
        fail(EXIT_WENT_WRONG, "stdout cannot be written: %s", strerror(errno));
    }
}
