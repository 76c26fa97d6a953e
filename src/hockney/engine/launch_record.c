#include "launch_record.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "algorithms.h"
#include "arrival.h"
#include "check.h"
#include "device_record.h"
#include "json.h"
#include "library.h"
#include "options_record.h"
#include "records.h"

/* Version of the format, which whoever reads the records without a run record must know. */
enum { SCHEMA = 2 };

static void put_mpi(void)
{
    int major = 0, minor = 0;
    check(MPI_Get_version(&major, &minor), "MPI_Get_version");
    fputs(",\"mpi\":{\"library\":", stdout);
    json_string(stdout, library_name());
    json_text(stdout, "version", library_version());
    json_text(stdout, "abi", library_abi());
    printf(",\"standard\":\"%d.%d\"", major, minor);
    json_text(stdout, "description", library_description());
    json_text(stdout, "threads", library_thread_level());
    putchar('}');
}

static void put_clock(const struct clock *clock)
{
    fputs(",\"clock\":{\"name\":", stdout);
    json_string(stdout, clock->name);
    json_known(stdout, "resolution_s", clock->resolution_s > 0.0 ? clock->resolution_s : -1.0);
    json_known(stdout, "cost_s", clock->cost_s);
    json_known(stdout, "wtick_s", clock->wtick_s);
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
        json_text(stdout, "started", text);
}

/* How late each rank is by each pattern, as a fraction of the skew. */
static void put_arrivals(const struct arrivals *arrivals, int ranks, uint64_t seed)
{
    fputs(",\"arrivals\":{", stdout);
    for (int i = 0; i < arrivals->count; i++) {
        printf("%s\"%s\":[", json_comma(i), arrival_names[arrivals->list[i]]);
        double *fractions = arrival_fractions(arrivals, arrivals->list[i], ranks, seed);
        for (int rank = 0; rank < ranks; rank++)
            printf("%s%.6g", json_comma(rank), fractions[rank]);
        free(fractions);
        putchar(']');
    }
    putchar('}');
}

void record_launch(const struct launch_facts *facts)
{
    const struct options *options = facts->options;
    if (!record_begins("launch"))
        return;
    put_mpi();
    json_text(stdout, "engine", HOCKNEY_VERSION);
    put_clock(&facts->clock);
    printf(",\"seed\":%llu", (unsigned long long)options->seed);
    json_known(stdout, "batch_s", facts->batch_s > 0.0 ? facts->batch_s : -1.0);
    json_text(stdout, "buffers", buffers_names[facts->buffers]);
    printf(",\"cold_bytes\":%lu", facts->cold_bytes);
    json_text(stdout, "probe", facts->probes_handover ? "handover" : "work");
    json_text(stdout, "definition", facts->definition);
    if (facts->probe_refusal != NULL && facts->probe_refusal[0] != '\0')
        json_text(stdout, "probe_refused", facts->probe_refusal);
    if (facts->moved_ranks >= 0)
        printf(",\"moved_ranks\":%d", facts->moved_ranks);
    put_started();
    printf(",\"schema\":%d,\"asked\":[", SCHEMA);
    put_asked(options);
    fputs("],\"axes\":{", stdout);
    put_shared_axes(options);
    fputs("},\"controls\":", stdout);
    algorithms_put_controls();
    device_record_library();
    printf(",\"places\":[%s]", facts->places);
    if (facts->cast != NULL) {
        json_integers(stdout, "victims", facts->cast->ranks, facts->cast->victims);
        json_integers(stdout, "aggressors", facts->cast->ranks + facts->cast->victims, facts->cast->aggressors);
    }
    if (options->collective.arrivals.count > 0)
        put_arrivals(&options->collective.arrivals, facts->ranks, options->seed);
    fputs("}\n", stdout);
}
