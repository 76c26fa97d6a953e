#include "records.h"

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

int record_begins(const char *kind)
{
    if (silent)
        return 0;
    printf("{\"kind\":\"%s\",\"launch\":%d", kind, launch_number);
    return 1;
}

static void record_ends(void) { fputs("}\n", stdout); }

void record_tail(const struct sample_key *key, const struct sketch *sketch)
{
    if (!record_begins("tail"))
        return;
    sample_key_write(stdout, key);
    printf(",\"relative_error\":%g", SKETCH_ERROR);
    for (int counts = 0; counts < 2; counts++) {
        printf(",\"%s\":[", counts ? "counts" : "bins");
        for (int bin = 0, number = 0; bin < SKETCH_BINS; bin++)
            if (sketch->counts[bin] > 0)
                printf("%s%lld", json_comma(number++), counts ? (long long)sketch->counts[bin] : bin);
        putchar(']');
    }
    record_ends();
}

void record_samples(const struct sample_key *key, const double *ns, int count)
{
    if (!record_begins("samples"))
        return;
    sample_key_write(stdout, key);
    sample_key_write_visit(stdout, key);
    json_numbers(stdout, "ns", ns, count, 1.0);
    if (key->own_sum_ns != NULL)
        json_numbers(stdout, "own_mean_ns", key->own_sum_ns, count,
                     1.0 / (key->operation->timed_rank > 0 ? 1 : key->ranks));
    if (key->own_longest_ns != NULL)
        json_numbers(stdout, "own_max_ns", key->own_longest_ns, count, 1.0);
    record_ends();
}

void record_completions(const struct sample_key *key, const struct completion *ranks, int visits)
{
    if (!record_begins("completions"))
        return;
    sample_key_write(stdout, key);
    printf(",\"visits\":%d,\"numbers\":[", visits);
    for (int i = 0; i < key->ranks; i++)
        printf("%s%d", json_comma(i), ranks[i].number);
    fputs("],\"ns\":[", stdout);
    for (int i = 0; i < key->ranks; i++)
        printf("%s%.7g", json_comma(i), ranks[i].ns);
    putchar(']');
    record_ends();
}

void record_trial(const struct sample_key *key)
{
    if (!record_begins("trial"))
        return;
    sample_key_write(stdout, key);
    record_ends();
}

void record_pair_times(const struct pair_times_facts *facts)
{
    if (!record_begins("pair_times"))
        return;
    printf(",\"pass_number\":%d,\"visit\":%lld,\"visits\":%d,\"operation\":\"%s\",\"at_s\":%.6f,\"bytes\":[",
           facts->pass, (long long)facts->visit, facts->visits, facts->operation, facts->at_s);
    for (int i = 0; i < facts->size_count; i++)
        printf("%s%zu", json_comma(i), facts->sizes[i].bytes);
    fputs("],\"peers\":[", stdout);
    for (int i = 0; i < facts->count; i++)
        printf("%s%d,%d", json_comma(i), facts->pairs[i].first, facts->pairs[i].second);
    fputs("],\"ns\":[", stdout);
    for (int i = 0; i < facts->size_count; i++) {
        printf("%s[", json_comma(i));
        for (int j = 0; j < facts->count; j++)
            printf("%s%.7g", json_comma(j), facts->ns[(size_t)i * (size_t)facts->stride + (size_t)j]);
        putchar(']');
    }
    putchar(']');
    record_ends();
}

void record_start(const struct start_facts *facts)
{
    const struct common_clock *clock = facts->clock;
    if (!record_begins("start"))
        return;
    printf(",\"round\":%d,\"operation\":\"%s\",\"bytes\":%zu,\"ranks\":%d,\"begin\":\"%s\",\"skew_s\":%.4g,"
           "\"missed\":%d",
           facts->round, facts->operation, facts->bytes, facts->ranks, facts->begin, facts->skew_s,
           facts->missed);
    if (facts->tolerance_s > 0.0)
        json_known(stdout, "tolerance_s", facts->tolerance_s);
    json_known(stdout, "error_s", clock->largest_error_ns * 1e-9);
    json_known(stdout, "bound_s", clock->largest_bound_ns * 1e-9);
    json_known(stdout, "known_error_s", clock->known_error_ns * 1e-9);
    record_ends();
}

void record_probe(const struct probe_facts *facts)
{
    if (!record_begins("probe"))
        return;
    printf(",\"round\":%d", facts->round);
    json_integers(stdout, "peers", facts->peers, 2);
    printf(",\"handover_ns\":%.5g,\"handover_low_ns\":%.5g,\"handover_high_ns\":%.5g", facts->handover_ns,
           facts->low_ns, facts->high_ns);
    record_ends();
}

void record_round(const struct round_facts *facts)
{
    if (!record_begins("round"))
        return;
    printf(",\"round\":%d", facts->round);
    json_known(stdout, "wall_s", facts->wall_s);
    json_known(stdout, "waited_s", facts->waited_s);
    json_id(stdout, "waited_rank", facts->waited_rank);
    json_known(stdout, "probe_s", facts->probe_s);
    json_id(stdout, "probe_rank", facts->probe_rank);
    json_known(stdout, "switches", facts->switches);
    json_known(stdout, "migrations", facts->migrations);
    json_known(stdout, "steal_s", facts->steal_s);
    record_ends();
}

void record_noise(int rank, const struct noise *noise)
{
    if (!record_begins("noise"))
        return;
    printf(",\"rank\":%d", rank);
    json_known(stdout, "wall_s", noise->wall_s);
    json_known(stdout, "cpu_s", noise->cpu_s);
    json_known(stdout, "waited_s", noise->waited_s);
    json_known(stdout, "steal_s", noise->steal_s);
    json_known(stdout, "switches", noise->switches);
    json_known(stdout, "migrations", noise->migrations);
    json_known(stdout, "probe_s", noise->probe_s);
    json_known(stdout, "probe_low_s", noise->probe_low_s);
    json_known(stdout, "probe_high_s", noise->probe_high_s);
    json_known(stdout, "throttled", noise->throttled);
    json_known(stdout, "throttled_s", noise->throttled_s);
    record_ends();
}

void record_path(const char *members)
{
    if (!record_begins("path"))
        return;
    printf(",%s", members);
    record_ends();
}

void record_progress(const struct progress_facts *facts)
{
    if (!record_begins("progress"))
        return;
    printf(",\"round\":%d,\"bytes\":%zu", facts->round, facts->bytes);
    json_known(stdout, "worst", facts->worst);
    printf(",\"reached\":%d,\"points\":%lld,\"samples\":%ld", facts->reached, (long long)facts->points,
           facts->samples);
    json_known(stdout, "left_s", facts->left_s);
    record_ends();
}

void record_end(const char *reason, double wall_s, const char *message)
{
    if (record_begins("end")) {
        json_text(stdout, "reason", reason);
        json_known(stdout, "wall_s", wall_s);
        json_text(stdout, "message", message);
        record_ends();
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
