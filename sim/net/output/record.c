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
static json_t *real(double value)
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
            json_object_set_new(o, name, real(bandwidth ? bytes / latency / 1000 : latency));
        }
}

void net_record_settings(json_t *o, const struct net_config *c)
{
    json_object_set_new(o, "engine", json_string(net_engine(c)->name));
    for (const struct net_setting *s = net_settings; s->name; s++) {
        char value[NET_SETTING_TEXT];
        net_setting_print(s, c, value, sizeof value);
        json_t *json = json_null();
        if (*value && (s->kind == NET_COUNT || s->kind == NET_WHOLE))
            json = json_integer((json_int_t)strtoull(value, NULL, 10));
        else if (*value && s->kind == NET_REAL)
            json = real(strtod(value, NULL));
        else if (*value)
            json = json_string(value);
        json_object_set_new(o, s->field, json);
    }
}

json_t *net_record(const struct net_config *c, const struct net_result *r, double wall_s)
{
    const struct net_stats *s = &r->stats;
    double packets = (double)r->generated, nodes = ofr_nodes(&c->torus);
    double mean = us(net_stats_mean(s)), half = us(net_stats_ci95(s));
    double wait = us((double)r->wait_sum / (double)r->entered);
    bool drained = r->end == NET_DRAINED,
         periods = drained && !c->trace && !c->active && !c->application;
    double offered = nodes * c->messages * c->message_packets;
    json_t *o = json_object();
    net_record_settings(o, c);
    json_object_set_new(o, "end", json_string(end_name(r->end)));
    json_object_set_new(o, "stuck", r->end == NET_STUCK ? json_string(r->stuck) : json_null());
    json_object_set_new(o, "mean_lifetime_us", real(mean));
    json_object_set_new(o, "mean_ci95_low_us", real(mean - half));
    json_object_set_new(o, "mean_ci95_high_us", real(mean + half));
    json_object_set_new(o, "p50_us", real(us(net_stats_quantile(s, 0.5))));
    json_object_set_new(o, "p99_us", real(us(net_stats_quantile(s, 0.99))));
    json_object_set_new(o, "max_us", real(s->count ? us((double)s->max) : NAN));
    json_object_set_new(o, "source_wait_us", real(wait));
    json_object_set_new(o, "network_latency_us", real(drained ? mean - wait : NAN));
    json_object_set_new(o, "accepted_gamma0",
                        real(periods ? c->load * (double)r->consumed_in_time / offered : NAN));
    json_object_set_new(o, "fairness", real(periods ? r->fairness : NAN));
    json_object_set_new(
        o, "saturated",
        periods ? json_boolean(offered - (double)r->consumed_in_time > nodes * c->message_packets)
                : json_null());
    json_object_set_new(o, "oidn_ratio", real((double)r->oidn / packets));
    json_object_set_new(o, "widn_ratio", real((double)r->widn / packets));
    json_object_set_new(o, "por_ratio", real((double)r->por / packets));
    json_object_set_new(o, "derouted_ratio", real((double)(r->oidn + r->widn + r->por) / packets));
    json_object_set_new(o, "mean_hops", real((double)r->consumed_hops / (double)r->consumed));
    json_object_set_new(o, "packets", json_integer((json_int_t)r->generated));
    json_object_set_new(o, "consumed", json_integer((json_int_t)r->consumed));
    json_object_set_new(o, "in_flight", json_integer((json_int_t)r->in_flight));
    json_object_set_new(o, "waiting", json_integer((json_int_t)r->waiting));
    json_object_set_new(o, "packet_hops", json_integer((json_int_t)r->hops));
    json_object_set_new(o, "naks", json_integer((json_int_t)r->naks));
    json_object_set_new(o, "refused", json_integer((json_int_t)r->refused));
    json_object_set_new(o, "end_us", real(us((double)r->end_time)));
    json_object_set_new(o, "solution_us",
                        real(drained && c->application ? us((double)r->solution) : NAN));
    add_pairs(o, c, r);
    json_object_set_new(o, "wall_s", real(wall_s));
    json_object_set_new(o, "packet_hops_per_s", real((double)r->hops / wall_s));
    return o;
}

const char *net_record_unit(const char *field)
{
    static const struct {
        const char *end, *unit;
    } units[] = {{"_us", "us"},
                 {"_gamma0", "gamma0"},
                 {"_ratio", "of packets"},
                 {"_hops", "hops"},
                 {"wall_s", "s"},
                 {"cpu_s", "s"},
                 {"_mb", "MB"},
                 {"_gbs", "GB/s"},
                 {"_per_s", "1/s"},
                 {"_ns", "ns"},
                 {"_gbps", "Gb/s"},
                 {"_bytes", "B"},
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
