#include "sample_key.h"

#include "json.h"

/* How a one-sided operation is made. */
static void write_way(FILE *out, const struct operation *operation)
{
    const struct way *way = operation->way;
    json_text(out, "synchronization", synchronization_names[way->synchronization]);
    json_text(out, "window_kind", window_kind_names[way->kind]);
    if (way->direction != IN_TURNS)
        json_text(out, "direction", direction_names[way->direction - 1]);
    if (way->element != NULL)
        json_text(out, "element", way->element->name);
    if (way->element != NULL && !operation->swaps)
        json_text(out, "reduction", reduction_names[way->reduction]);
}

static void write_halo(FILE *out, const struct sample_key *key)
{
    const struct grid *grid = key->grid;
    json_text(out, "exchange", key->operation->exchange);
    json_integers(out, "grid", grid->sides, grid->dimensions);
    json_text(out, "neighbors", neighbors_names[grid->reach - 1]);
    fprintf(out, ",\"periodic\":%s", grid->is_open ? "false" : "true");
    if (key->packing != PACKING_NONE)
        json_text(out, "packing", packings_names[key->packing]);
    if (grid->reordered)
        fputs(",\"reordered\":true", out);
    if (exchange_is_partitioned(key->operation))
        fprintf(out, ",\"partitions\":%d", grid->parts);
}

static void write_arrival(FILE *out, const struct arrivals *arrivals, enum arrival arrival)
{
    json_text(out, "arrival", arrival_names[arrival]);
    if (arrival != ARRIVAL_NONE && arrivals->skew_ns > 0.0)
        fprintf(out, ",\"skew_s\":%.9g", arrivals->skew_ns * 1e-9);
    else if (arrival != ARRIVAL_NONE)
        fprintf(out, ",\"skew_times\":%.9g", arrivals->skew_times);
}

static void write_load(FILE *out, const struct load *load)
{
    fprintf(out, ",\"aggressor\":\"%s\",\"load_bytes\":%zu,\"load_window\":%d",
            aggressor_names[load->aggressor], load->bytes, load->window);
    if (load->burst_ns > 0.0)
        fprintf(out, ",\"burst_s\":%.9g,\"gap_s\":%.9g", load->burst_ns * 1e-9, load->gap_ns * 1e-9);
}

static void write_method(FILE *out, const struct method *method)
{
    const int partitions = method->partitions.count;
    if (method->threads > 0 && partitions == 0)
        fprintf(out, ",\"threads\":%d,\"thread_comms\":\"%s\"", method->threads, method->thread_comms);
    if (method->threads != method->receivers)
        fprintf(out, ",\"receiver_threads\":%d", method->receivers);
    json_word(out, "datatype", method->datatype);
    json_word(out, "packing", method->packing);
    if (method->names_memories)
        json_text(out, "memory", memory_names[method->memories.of[0]]);
    if (method->memories.of[0] != method->memories.of[1])
        json_text(out, "peer_memory", memory_names[method->memories.of[1]]);
    if (method->staging >= 0)
        fprintf(out, ",\"staging\":%lld", (long long)method->staging);
    if (partitions > 0)
        fprintf(out, ",\"partitions\":%d,\"stagger_ns\":%.9g", partitions, method->partitions.stagger_ns);
}

static void write_train(FILE *out, const struct train *train)
{
    fprintf(out,
            ",\"train\":{\"messages\":%d,\"send_delay_ns\":%.9g,\"send_delay_ns_per_B\":%.9g,"
            "\"receive_delay_ns\":%.9g,\"receive_delay_ns_per_B\":%.9g}",
            train->messages, train->send.ns, train->send.ns_per_byte, train->receive.ns,
            train->receive.ns_per_byte);
}

/* The axes that not every point has. */
static void write_axes(FILE *out, const struct sample_key *key)
{
    const struct operation *operation = key->operation;
    json_word(out, "mode", operation->mode);
    json_word(out, "form", operation->form);
    if (key->segment_bytes != NULL)
        fprintf(out, ",\"segment_bytes\":%zu", *key->segment_bytes);
    json_word(out, "element", key->element);
    json_word(out, "phase", key->phase);
    json_word(out, "occurrence", key->occurrence);
    json_word(out, "window_kind", key->window_kind);
    json_count(out, "window", key->window);
    json_count(out, "pairs", key->pairs);
    if (key->overlap)
        fputs(",\"overlap\":true", out);
    if (operation->way != NULL)
        write_way(out, operation);
    if (key->groups > 1)
        json_count(out, "groups", key->groups);
    if (key->grid != NULL)
        write_halo(out, key);
    if (key->arrivals != NULL)
        write_arrival(out, key->arrivals, key->arrival);
    if (key->load != NULL)
        write_load(out, key->load);
    write_method(out, key->method);
    if (operation->parameters != NULL && !operation->in_window)
        write_train(out, operation->parameters);
}

void sample_key_write(FILE *out, const struct sample_key *key)
{
    fprintf(out, ",\"round\":%d", key->round);
    json_text(out, "operation", key->operation->name);
    json_text(out, "algorithm", key->algorithm);
    fprintf(out, ",\"bytes\":%zu,\"ranks\":%d", key->bytes, key->ranks);
    json_integers(out, "peers", key->peers, key->peer_count);
    write_axes(out, key);
}

void sample_key_write_visit(FILE *out, const struct sample_key *key)
{
    fprintf(out, ",\"repetitions\":%lld,\"at_s\":%.6f", (long long)key->repetitions, key->at_s);
    if (key->compute_ns > 0.0)
        fprintf(out, ",\"compute_ns\":%.7g", key->compute_ns);
    if (key->window_ns > 0.0)
        fprintf(out, ",\"window_ns\":%.5g", key->window_ns);
    if (key->load_Bps > 0.0)
        fprintf(out, ",\"load_Bps\":%.7g", key->load_Bps);
    if (key->skew_ns > 0.0)
        fprintf(out, ",\"skew_ns\":%.7g", key->skew_ns);
}
