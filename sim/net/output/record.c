// SPDX-License-Identifier: Apache-2.0
#include "output/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings.h"
#include "run/engine.h"

static double us(double units)
{
    return units / (1000 * NET_UNITS_PER_NS);
}

// Decimals that carry the meaning, and no noise of the last bits.
json_t *net_record_real(double value)
{
    char text[40];
    if (!isfinite(value))
        return json_null();
    snprintf(text, sizeof text, "%.9g", value);
    return json_real(strtod(text, NULL));
}

static const char *end_name(enum net_end end)
{
    static const char *const names[] = {"drained", "limited", "stuck", "interrupted",
                                        "out of memory"};
    return names[end];
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Of ping-pong: quantiles over the pairs of a pair's mean latency, and of the data of its pings
// over that. GB: 1e9 bytes.
static void add_pairs(json_t *o, const struct net_config *c, const struct net_result *r)
{
    if (!r->pairs || !r->pair_latency)
        return;
    char name[32];
    double bytes = (double)c->burst * c->message_packets * c->packet_bytes;
    qsort(r->pair_latency, r->pairs, sizeof *r->pair_latency, by_size);
    json_object_set_new(o, "pairs", json_integer(r->pairs));
    for (int bandwidth = 0; bandwidth < 2; bandwidth++)
        for (int percent = 0; percent <= 100; percent += 5) {
            int rank = bandwidth ? 100 - percent : percent;
            uint64_t at = (uint64_t)(r->pairs - 1) * (unsigned)rank / 100;
            double latency = us((double)r->pair_latency[at] / c->rounds);
            snprintf(name, sizeof name, bandwidth ? "bandwidth_q%d_gbs" : "latency_q%d_us",
                     percent);
            json_object_set_new(o, name,
                                net_record_real(bandwidth ? bytes / latency / 1000 : latency));
        }
}

static double accepted(const struct net_stats *s, uint32_t from)
{
    double sum = 0;
    for (; from < s->batches; from++)
        sum += (double)s->arrived[from];
    return sum;
}

double net_record_use(const struct net_result *r, const struct net_config *c, size_t link)
{
    if (!r->sent || r->sent[link] == UINT64_MAX || !r->counted)
        return NAN;
    return (double)r->sent[link] * (double)net_config_times(c).ext_packet / (double)r->counted;
}

// Share of the time that links are busy with packets.
static void add_links(json_t *o, const struct net_config *c, const struct net_result *r)
{
    double least = INFINITY, most = -INFINITY, sum = 0, links = 0;
    for (size_t i = 0; i < (size_t)ofr_nodes(&c->torus) * 2 * c->torus.n; i++) {
        double use = net_record_use(r, c, i);
        if (!isfinite(use))
            continue;
        least = use < least ? use : least;
        most = use > most ? use : most;
        sum += use;
        links++;
    }
    json_object_set_new(o, "link_use_min", net_record_real(least));
    json_object_set_new(o, "link_use_mean", net_record_real(sum / links));
    json_object_set_new(o, "link_use_max", net_record_real(most));
}

void net_record_settings(json_t *o, const struct net_config *c)
{
    json_object_set_new(o, "engine", json_string(net_engine(c)->name));
    for (const struct net_setting *s = net_settings; s->name; s++) {
        char value[NET_SETTING_TEXT];
        net_setting_print(s, c, value, sizeof value);
        json_t *json = json_null();
        if (!strcmp(s->field, "engine") || !net_setting_engine(s, c) || (s->later && !*value))
            continue;
        if (*value && (s->kind == NET_COUNT || s->kind == NET_WHOLE))
            json = json_integer((json_int_t)strtoull(value, NULL, 10));
        else if (*value && s->kind == NET_REAL)
            json = net_record_real(strtod(value, NULL));
        else if (*value)
            json = json_string(value);
        bool load = c->engine == NET_ENGINE_FLIT && !strcmp(s->name, "load");
        json_object_set_new(o, load ? "load" : s->field, json); // its unit is a setting
    }
}

// Of a Dragonfly: the latency with the wait at the source and in parts (the paper's Fig. 5b), and
// what the nodes of each router of a group injected (Fig. 6; over all groups, of the mean).
static void add_dragonfly(json_t *o, const struct net_result *r)
{
    const struct net_flit_figures *f = &r->flit;
    bool complete = r->end == NET_DRAINED;
    const double parts[] = {f->latency + f->wait, f->waits[0], f->waits[1], f->waits[2],
                            f->latency - f->waits[0] - f->waits[1] - f->waits[2]};
    static const char *const names[] = {"total_latency_cycles", "local_wait_cycles",
                                        "global_wait_cycles", "ring_wait_cycles", "base_cycles"};
    char name[32];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        json_object_set_new(o, names[i], net_record_real(complete ? parts[i] : NAN));
    json_object_set_new(o, "total_latency_ci95_cycles", json_null());
    for (unsigned i = 0; i < f->routers; i++) {
        snprintf(name, sizeof name, "injected_r%u", i);
        json_object_set_new(o, name, json_integer((json_int_t)f->injected[i]));
    }
    for (unsigned i = 0; i < f->routers; i++) {
        snprintf(name, sizeof name, "share_r%u", i);
        json_object_set_new(o, name, net_record_real(complete ? f->share[i] : NAN));
        snprintf(name, sizeof name, "share_r%u_ci95", i);
        json_object_set_new(o, name, json_null());
    }
    json_object_set_new(o, "ring_entries", json_integer((json_int_t)f->ring_entries));
    json_object_set_new(o, "refused", json_integer((json_int_t)r->refused));
}

// A run of engine flit, whose time is cycles.
static json_t *flit_record(const struct net_config *c, const struct net_result *r, double wall_s)
{
    const struct net_flit_figures *f = &r->flit;
    bool complete = r->end == NET_DRAINED;
    const struct {
        const char *name;
        double value;
    } figures[] = {{"generated_load", f->generated},         {"accepted_load", f->accepted},
                   {"accepted_load_ci95", f->accepted_half}, {"latency_cycles", f->latency},
                   {"latency_ci95_cycles", f->latency_half}, {"latency_max_cycles", f->latency_max},
                   {"source_wait_cycles", f->wait}};
    json_t *o = json_object();
    net_record_settings(o, c);
    json_object_set_new(o, "end", json_string(complete ? "complete" : end_name(r->end)));
    json_object_set_new(o, "stuck", r->end == NET_STUCK ? json_string(r->stuck) : json_null());
    json_object_set_new(o, "saturated", complete ? json_boolean(f->saturated) : json_null());
    json_object_set_new(o, "replicates", json_integer(1)); // whose intervals are by batches
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        json_object_set_new(o, figures[i].name, net_record_real(complete ? figures[i].value : NAN));
    if (c->dragonfly.a)
        add_dragonfly(o, r);
    json_object_set_new(o, "packets", json_integer((json_int_t)r->generated));
    json_object_set_new(o, "consumed", json_integer((json_int_t)r->consumed));
    json_object_set_new(o, "in_flight", json_integer((json_int_t)r->in_flight));
    json_object_set_new(o, "waiting", json_integer((json_int_t)r->waiting));
    json_object_set_new(o, "packet_hops", json_integer((json_int_t)r->hops));
    json_object_set_new(o, "flit_hops", json_integer((json_int_t)f->flit_hops));
    if (!c->dragonfly.a)
        json_object_set_new(o, "deroutes", json_integer((json_int_t)f->deroutes));
    json_object_set_new(o, "wall_s", net_record_real(wall_s));
    json_object_set_new(o, "flit_hops_per_s", net_record_real((double)f->flit_hops / wall_s));
    return o;
}

json_t *net_record(const struct net_config *c, const struct net_result *r, double wall_s)
{
    if (c->engine == NET_ENGINE_FLIT)
        return flit_record(c, r, wall_s);
    const struct net_stats *s = &r->stats;
    double packets = (double)r->generated, nodes = ofr_nodes(&c->torus);
    double mean = us(net_stats_mean(s));
    double wait = us((double)r->wait_sum / (double)r->entered);
    bool drained = r->end == NET_DRAINED,
         periods = drained && !c->trace && !c->active && !c->application;
    double offered = (double)r->generated, length = net_config_mean_packets(c);
    struct net_times times = net_config_times(c);
    int64_t first = periods ? net_stats_warm_up(s) : -1;
    uint32_t from = first > 0 ? (uint32_t)first : 0;
    double generation = c->messages * times.message, batch = generation / s->batches;
    bool burst = c->arrivals == NET_ARRIVAL_BURST;
    double left = offered - (double)r->consumed_in_time;
    json_t *o = json_object();
    net_record_settings(o, c);
    json_object_set_new(o, "end", json_string(end_name(r->end)));
    json_object_set_new(o, "stuck", r->end == NET_STUCK ? json_string(r->stuck) : json_null());
    json_object_set_new(o, "mean_lifetime_us", net_record_real(mean));
    // Of replicates: one run has no interval.
    json_object_set_new(o, "replicates", json_integer(1));
    json_object_set_new(o, "mean_ci95_low_us", json_null());
    json_object_set_new(o, "mean_ci95_high_us", json_null());
    json_object_set_new(o, "warmup_us",
                        net_record_real(first < 0 ? NAN : us((double)first * batch)));
    json_object_set_new(o, "steady_lifetime_us",
                        net_record_real(first < 0 ? NAN : us(net_stats_from(s, from))));
    json_object_set_new(o, "p50_us", net_record_real(us(net_stats_quantile(s, 0.5))));
    json_object_set_new(o, "p99_us", net_record_real(us(net_stats_quantile(s, 0.99))));
    json_object_set_new(o, "p99_ci95_us", json_null());
    json_object_set_new(o, "max_us", net_record_real(s->count ? us((double)s->max) : NAN));
    json_object_set_new(o, "source_wait_us", net_record_real(wait));
    json_object_set_new(o, "network_latency_us", net_record_real(drained ? mean - wait : NAN));
    json_object_set_new(o, "accepted_gamma0",
                        net_record_real(periods ? accepted(s, from) * times.packet /
                                                      (nodes * (generation - from * batch))
                                                : NAN));
    json_object_set_new(o, "accepted_ci95_gamma0", json_null());
    json_object_set_new(
        o, "offered_gamma0",
        net_record_real(periods ? offered * times.packet / (nodes * generation) : NAN));
    json_object_set_new(o, "fairness", net_record_real(periods ? r->fairness : NAN));
    json_object_set_new(o, "saturated",
                        periods
                            ? json_boolean(left > nodes * length && (burst || left > offered / 20))
                            : json_null());
    add_links(o, c, r);
    json_object_set_new(o, "oidn_ratio", net_record_real((double)r->oidn / packets));
    json_object_set_new(o, "widn_ratio", net_record_real((double)r->widn / packets));
    json_object_set_new(o, "por_ratio", net_record_real((double)r->por / packets));
    json_object_set_new(o, "derouted_ratio",
                        net_record_real((double)(r->oidn + r->widn + r->por) / packets));
    json_object_set_new(o, "mean_hops",
                        net_record_real((double)r->consumed_hops / (double)r->consumed));
    json_object_set_new(o, "packets", json_integer((json_int_t)r->generated));
    json_object_set_new(o, "consumed", json_integer((json_int_t)r->consumed));
    json_object_set_new(o, "in_flight", json_integer((json_int_t)r->in_flight));
    json_object_set_new(o, "waiting", json_integer((json_int_t)r->waiting));
    json_object_set_new(o, "packet_hops", json_integer((json_int_t)r->hops));
    json_object_set_new(o, "naks", json_integer((json_int_t)r->naks));
    json_object_set_new(o, "refused", json_integer((json_int_t)r->refused));
    json_object_set_new(o, "end_us", net_record_real(us((double)r->end_time)));
    json_object_set_new(o, "solution_us",
                        net_record_real(drained && c->application ? us((double)r->solution) : NAN));
    add_pairs(o, c, r);
    json_object_set_new(o, "wall_s", net_record_real(wall_s));
    json_object_set_new(o, "packet_hops_per_s", net_record_real((double)r->hops / wall_s));
    return o;
}

const char *net_record_unit(const char *field)
{
    static const struct {
        const char *end, *unit;
    } units[] = {{"_us", "us"},
                 {"_gamma0", "gamma0"},
                 {"_ratio", "of packets"},
                 {"_times", "of that at load 0.1"},
                 {"_hops", "hops"},
                 {"wall_s", "s"},
                 {"cpu_s", "s"},
                 {"_mb", "MB"},
                 {"_gbs", "GB/s"},
                 {"_cycles", "cycles"},
                 {"_words", "words"},
                 {"_per_s", "1/s"},
                 {"_ns", "ns"},
                 {"_gbps", "Gb/s"},
                 {"_bytes", "B"},
                 {"_use_min", "of the time"},
                 {"_use_mean", "of the time"},
                 {"_use_max", "of the time"},
                 {"slots", "slots"},
                 {"packets", "packets"},
                 {"consumed", "packets"},
                 {"in_flight", "packets"},
                 {"waiting", "packets"}};
    size_t length = strlen(field);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t end = strlen(units[i].end);
        if (length >= end && !strcmp(field + length - end, units[i].end))
            return units[i].unit;
    }
    return "";
}

// RFC 4180: in quotes where it needs them.
static void print_csv_text(const char *text, FILE *out)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        fputs((char[3]){*text, *text == '"' ? '"' : '\0'}, out);
    fputc('"', out);
}

static void print(const json_t *value, FILE *out, bool csv)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        if (csv)
            print_csv_text(json_string_value(value), out);
        else
            fputs(json_string_value(value), out);
        break;
    case JSON_INTEGER:
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL:
        fprintf(out, "%.9g", json_real_value(value));
        break;
    case JSON_NULL:
        fputs(csv ? "" : "-", out);
        break;
    default:
        fputs(json_is_true(value) ? "true" : "false", out);
        break;
    }
}

void net_record_text(const json_t *record, FILE *out)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)record, key, value)
    {
        fprintf(out, "%-24s ", key);
        print(value, out, false);
        const char *unit = net_record_unit(key);
        fprintf(out, "%s%s\n", *unit ? " " : "", unit);
    }
}

void net_record_csv_head(const json_t *record, FILE *out)
{
    const char *key, *comma = "";
    json_t *value;
    json_object_foreach((json_t *)record, key, value)
    {
        fprintf(out, "%s%s", comma, key);
        comma = ",";
    }
    fputc('\n', out);
}

void net_record_csv(const json_t *record, FILE *out)
{
    const char *key, *comma = "";
    json_t *value;
    json_object_foreach((json_t *)record, key, value)
    {
        fputs(comma, out);
        print(value, out, true);
        comma = ",";
    }
    fputc('\n', out);
}
