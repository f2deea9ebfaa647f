// SPDX-License-Identifier: Apache-2.0
// torusctl: the command line of libtorus.
#define _GNU_SOURCE
#include <argp.h>
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ofr_regs.h"
#include "torus.h"

enum format { TEXT, JSON, CSV };

enum { MAX_LIST = 64 };

struct args {
    const char *command, *where;
    enum format format;
    struct torus_options options;
    // program
    const char *routing, *tie;
    long threshold, delta;
    bool resume, abort;
    // run
    const char *patterns, *loads, *lengths;
    bool gamma; // loads are in gamma0
    struct torus_run run;
    // counters, ping
    const char *at;
    bool all;
    unsigned count;
    char **rest;
    int rest_count;
};

// Command line ------------------------------------------------------------------------------------

enum {
    O_TIE = 256,
    O_RESUME,
    O_ABORT,
    O_KEY,
    O_SET_KEY,
    O_TAKE_OVER,
    O_GAMMA,
    O_MESSAGE,
    O_WARMUP,
    O_CYCLES,
    O_SEED,
    O_RETRY,
    O_WINDOW,
    O_SESSION,
};

static const struct argp_option option_list[] = {
    {"transport", 't', "WHERE", 0, "unix:PATH or tty:PATH of the board we are plugged into", 0},
    {"format", 'f', "FORMAT", 0, "text (default), json or csv", 0},
    {"timeout", 'T', "SECONDS", 0, "give up after so long without an answer (30)", 0},
    {"retry", O_RETRY, "SECONDS", 0, "send again after so long (0.5, doubling)", 0},
    {"window", O_WINDOW, "N", 0, "requests under way at once, 1 to 7 (4)", 0},
    {"session", O_SESSION, "N", 0, "session number, 1 to 65535 (random)", 0},
    {"key", O_KEY, "HEX", 0, "64-bit key of locked boards", 0},
    {"take-over", O_TAKE_OVER, "N", 0, "take the write lease from session N, known to be dead", 0},
    {0, 0, 0, 0, "program:", 1},
    {"routing", 'r', "NAME", 0, "abr, por, ofr (default), dor or rdr", 1},
    {"tie", O_TIE, "WHICH", 0, "distance k/2: both (default) or plus", 1},
    {"threshold", 'H', "SLOTS", 0, "injection threshold (C/2)", 1},
    {"delta", 'D', "HOPS", 0, "Delta (2)", 1},
    {"resume", O_RESUME, 0, 0, "finish a program that was cut short", 1},
    {"abort", O_ABORT, 0, 0, "undo a program that was cut short", 1},
    {0, 0, 0, 0, "run (lists are separated by commas):", 2},
    {"pattern", 'p', "LIST", 0,
     "uniform (default), butterfly, transpose, bitreverse, rotate3d, "
     "complement, tornado, neighbour, or all",
     2},
    {"load", 'l', "LIST", 0, "offered loads in flits per cycle and node (0.1)", 2},
    {"gamma", O_GAMMA, 0, 0, "loads are in units of gamma0 instead", 2},
    {"length", 'L', "FLITS", 0, "flits a packet (a slot)", 2},
    {"message", O_MESSAGE, "PACKETS", 0, "packets a message (1)", 2},
    {"warmup", O_WARMUP, "CYCLES", 0, "cycles before the window (1000)", 2},
    {"cycles", O_CYCLES, "CYCLES", 0, "cycles of the window (4000)", 2},
    {"seed", O_SEED, "N", 0, "of the destinations (1)", 2},
    {0, 0, 0, 0, "counters, ping:", 3},
    {"at", 'a', "X,Y[,Z]", 0, "one board only; ping: default the one we are plugged into", 3},
    {"all", 'A', 0, 0, "counters: those that are 0 too; ping: all boards", 3},
    {"count", 'c', "N", 0, "ping N times (1)", 3},
    {0},
};

static double number(struct argp_state *state, const char *arg, double low, double high)
{
    char *end;
    double value = strtod(arg, &end);
    if (end == arg || *end || !(value >= low && value <= high)) {
        argp_failure(state, 2, 0, "'%s' is not a number from %g to %g", arg, low, high);
        exit(2);
    }
    return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    char *end;
    switch (key) {
    case 't':
        a->where = arg;
        break;
    case 'f':
        if (!strcmp(arg, "json"))
            a->format = JSON;
        else if (!strcmp(arg, "csv"))
            a->format = CSV;
        else if (strcmp(arg, "text") != 0)
            argp_failure(state, 2, 0, "format '%s': say text, json or csv", arg);
        break;
    case 'T':
        a->options.timeout = number(state, arg, 0.01, 1e6);
        break;
    case O_RETRY:
        a->options.retry = number(state, arg, 0.001, 1e6);
        break;
    case O_WINDOW:
        a->options.window = (unsigned)number(state, arg, 1, 7);
        break;
    case O_SESSION:
        a->options.session = (uint16_t)number(state, arg, 1, 65535);
        break;
    case O_TAKE_OVER:
        a->options.take_over = (uint16_t)number(state, arg, 1, 65535);
        break;
    case O_KEY:
        a->options.key = strtoull(arg, &end, 16);
        if (end == arg || *end || !a->options.key)
            argp_failure(state, 2, 0, "key '%s': up to 16 hexadecimal digits, not 0", arg);
        break;
    case 'r':
        a->routing = arg;
        break;
    case O_TIE:
        a->tie = arg;
        break;
    case 'H':
        a->threshold = (long)number(state, arg, 0, 15);
        break;
    case 'D':
        a->delta = (long)number(state, arg, 0, 7);
        break;
    case O_RESUME:
        a->resume = true;
        break;
    case O_ABORT:
        a->abort = true;
        break;
    case 'p':
        a->patterns = arg;
        break;
    case 'l':
        a->loads = arg;
        break;
    case O_GAMMA:
        a->gamma = true;
        break;
    case 'L':
        a->run.packet_flits = (unsigned)number(state, arg, 4, 1024);
        break;
    case O_MESSAGE:
        a->run.message_packets = (unsigned)number(state, arg, 1, 65535);
        break;
    case O_WARMUP:
        a->run.warmup = (unsigned)number(state, arg, 0, 1 << 28);
        break;
    case O_CYCLES:
        a->run.cycles = (unsigned)number(state, arg, 1, 1 << 28);
        break;
    case O_SEED:
        a->run.seed = (uint32_t)number(state, arg, 0, 4294967295.0);
        break;
    case 'a':
        a->at = arg;
        break;
    case 'A':
        a->all = true;
        break;
    case 'c':
        a->count = (unsigned)number(state, arg, 1, 1e6);
        break;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0)
            a->command = arg;
        else
            argp_failure(state, 2, 0, "'%s' is one argument too many", arg);
        break;
    case ARGP_KEY_END:
        if (!a->command)
            argp_failure(state, 2, 0,
                         "say what to do: discover, info, program, run, counters or ping");
        else if (!a->where)
            argp_failure(state, 2, 0, "say where the board is: -t unix:PATH or -t tty:PATH");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

// One line on stderr; the exit status that goes with the error.
static int report(struct torus *t, int error)
{
    fprintf(stderr, "torusctl: %s\n", *torus_detail(t) ? torus_detail(t) : torus_strerror(error));
    return error == TORUS_E_FAILED || error == TORUS_E_MIXED || error == TORUS_E_MISCABLED ? 1 : 2;
}

static int wrong(const char *what, const char *value, const char *hint)
{
    fprintf(stderr, "torusctl: %s '%s': %s\n", what, value, hint);
    return 2;
}

static void put_json(json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(value);
}

static json_t *json_at(const uint8_t at[3], unsigned dims)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < dims; i++)
        json_array_append_new(list, json_integer(at[i]));
    return list;
}

static json_t *json_serial(uint64_t serial)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)serial);
    return json_string(text);
}

static void at_text(const uint8_t at[3], unsigned dims, char text[16])
{
    if (dims == 3)
        snprintf(text, 16, "%u,%u,%u", at[0], at[1], at[2]);
    else
        snprintf(text, 16, "%u,%u", at[0], at[1]);
}

// discover ----------------------------------------------------------------------------------------

static const struct torus_board *board_at(const struct torus *t, unsigned x, unsigned y, unsigned z)
{
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        if (b->placed && b->at[0] == x && b->at[1] == y && b->at[2] == z)
            return b;
    }
    return NULL;
}

// Is the cable at b's port p the one that a torus has there?
static bool right_cable(const struct torus *t, const uint8_t k[3], const struct torus_board *b,
                        unsigned p)
{
    if (!b || b->peer[p] < 0 || b->peer_port[p] != (int)(p ^ 1))
        return false;
    const struct torus_board *c = torus_board(t, (unsigned)b->peer[p]);
    for (unsigned i = 0; i < 3; i++) {
        unsigned want = i != p / 2 ? b->at[i] : (b->at[i] + (p % 2 ? k[i] - 1u : 1u)) % k[i];
        if (!c->placed || c->at[i] != want)
            return false;
    }
    return true;
}

// A plane of the torus: y upwards, as the paper draws it. "--" and "|" are cables; at the edges,
// ">" and "^" those that wrap round.
static void draw_plane(const struct torus *t, const uint8_t k[3], unsigned z)
{
    for (unsigned row = k[1]; row-- > 0;) {
        if (row == k[1] - 1u && k[1] > 1) {
            printf("      ");
            for (unsigned x = 0; x < k[0]; x++)
                printf("  %c      ", right_cable(t, k, board_at(t, x, row, z), 2) ? '^' : ' ');
            putchar('\n');
        }
        const struct torus_board *first = board_at(t, 0, row, z);
        printf("    %s ", k[0] > 1 && right_cable(t, k, first, 1) ? ">" : " ");
        for (unsigned x = 0; x < k[0]; x++) {
            const struct torus_board *b = board_at(t, x, row, z);
            bool link = right_cable(t, k, b, 0);
            if (b)
                printf("(%2u,%2u)", x, row);
            else
                printf("( none)");
            printf("%s", !link || k[0] == 1 ? "  " : x + 1 == k[0] ? " >" : "--");
        }
        putchar('\n');
        if (row) {
            printf("      ");
            for (unsigned x = 0; x < k[0]; x++)
                printf("   %c     ", right_cable(t, k, board_at(t, x, row, z), 3) ? '|' : ' ');
            putchar('\n');
        }
    }
}

static void discover_text(const struct torus *t, unsigned dims, const uint8_t k[3])
{
    printf("%u boards", torus_boards(t));
    if (dims == 2)
        printf(", a %ux%u torus", k[0], k[1]);
    else if (dims == 3)
        printf(", a %ux%ux%u torus", k[0], k[1], k[2]);
    if (torus_fault(t, 0))
        printf(", not cabled right");
    printf("\n\n");
    for (unsigned z = 0; dims && z < k[2]; z++) {
        if (dims == 3)
            printf("  z = %u\n", z);
        draw_plane(t, k, z);
        putchar('\n');
    }
    if (dims == 3 && k[2] > 1) {
        unsigned up = 0;
        for (unsigned i = 0; i < torus_boards(t); i++)
            up += right_cable(t, k, torus_board(t, i), 4);
        printf("  z+ cables: %u of %u\n\n", up,
               torus_boards(t) / k[2] * (k[2] == 2 ? 1 : (unsigned)k[2]));
    }
    printf("  board     serial number     here by\n");
    for (unsigned i = 0; i < torus_boards(t); i++) {
        static const char *const ports[] = {"x+", "x-", "y+", "y-", "z+", "z-"};
        const struct torus_board *b = torus_board(t, i);
        char at[16] = "?";
        if (b->placed)
            at_text(b->at, dims, at);
        printf("  (%s)%*s%016llx ", at, 8 - (int)strlen(at), "", (unsigned long long)b->serial);
        if (!b->hops)
            printf(" plugged in");
        for (unsigned h = 0; h < b->hops; h++)
            printf(" %s", ports[b->path[h]]);
        putchar('\n');
    }
}

static void discover_json(const struct torus *t, unsigned dims, const uint8_t k[3])
{
    json_t *boards = json_array(), *faults = json_array();
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        json_t *cables = json_array(), *path = json_array();
        for (unsigned p = 0; p < 2u * b->dims; p++)
            json_array_append_new(cables, b->peer[p] < 0
                                              ? json_null()
                                              : json_pack("{s:i,s:i}", "board", b->peer[p], "port",
                                                          (int)b->peer_port[p]));
        for (unsigned h = 0; h < b->hops; h++)
            json_array_append_new(path, json_integer(b->path[h]));
        json_array_append_new(
            boards, json_pack("{s:o,s:o,s:b,s:o,s:o}", "serial", json_serial(b->serial), "at",
                              b->placed ? json_at(b->at, dims) : json_null(), "configured",
                              b->configured, "path", path, "cables", cables));
    }
    for (unsigned i = 0; torus_fault(t, i); i++)
        json_array_append_new(faults, json_string(torus_fault(t, i)));
    put_json(json_pack("{s:o,s:o,s:o}", "sizes", dims ? json_at(k, dims) : json_null(), "boards",
                       boards, "faults", faults));
}

static void discover_csv(const struct torus *t, unsigned dims)
{
    printf("board,serial,x,y,z,hops,configured\n");
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        printf("%u,%016llx,", i, (unsigned long long)b->serial);
        for (unsigned d = 0; d < 3; d++) {
            if (b->placed && d < dims)
                printf("%u", b->at[d]);
            putchar(',');
        }
        printf("%u,%d\n", b->hops, b->configured);
    }
}

static int do_discover(struct torus *t, const struct args *a)
{
    int error = torus_discover(t);
    if (error != TORUS_OK && error != TORUS_E_MISCABLED)
        return report(t, error);
    uint8_t k[3];
    unsigned dims = torus_sizes(t, k);
    if (a->format == JSON)
        discover_json(t, dims, k);
    else if (a->format == CSV)
        discover_csv(t, dims);
    else
        discover_text(t, dims, k);
    for (unsigned i = 0; torus_fault(t, i); i++)
        fprintf(stderr, "torusctl: %s\n", torus_fault(t, i));
    return error == TORUS_OK ? 0 : 1;
}

// info, program -----------------------------------------------------------------------------------

static int print_programmed(struct torus *t, const struct args *a)
{
    struct torus_preset p = {0};
    unsigned generation = 0;
    uint8_t k[3];
    int error = torus_programmed(t, &p, &generation);
    if (error != TORUS_OK && error != TORUS_E_MIXED)
        return report(t, error);
    unsigned dims = torus_sizes(t, k);
    const char *name = p.routing ? torus_routing_name(p.routing) : NULL;
    const char *tie = p.tie_both ? "both" : "plus";
    if (!name)
        name = "none";
    if (a->format == JSON) {
        put_json(json_pack("{s:o,s:s,s:s,s:i,s:i,s:i,s:b}", "sizes", json_at(k, dims), "routing",
                           name, "tie", tie, "threshold", p.threshold, "delta", p.delta,
                           "generation", (int)generation, "consistent", error == TORUS_OK));
    } else if (a->format == CSV) {
        printf("kx,ky,kz,routing,tie,threshold,delta,generation,consistent\n");
        printf("%u,%u,%u,%s,%s,%u,%u,%u,%d\n", k[0], k[1], k[2], name, tie, p.threshold, p.delta,
               generation, error == TORUS_OK);
    } else {
        printf("%ux%u", k[0], k[1]);
        if (dims == 3)
            printf("x%u", k[2]);
        printf(" torus, routing %s", name);
        if (p.routing)
            printf(", tie %s, threshold %u slots, Delta %u, generation %u", tie, p.threshold,
                   p.delta, generation);
        putchar('\n');
    }
    return error == TORUS_OK ? 0 : report(t, error);
}

static int do_info(struct torus *t, const struct args *a)
{
    int error = torus_attach(t);
    return error == TORUS_OK ? print_programmed(t, a) : report(t, error);
}

// Attached if possible: the boards are configured and agree. Else discovered.
static int attach_or_discover(struct torus *t)
{
    int error = torus_attach(t);
    if (error == TORUS_E_UNKNOWN || error == TORUS_E_MIXED || error == TORUS_E_BOARD)
        error = torus_discover(t);
    return error;
}

static int do_program(struct torus *t, const struct args *a)
{
    int routing = torus_routing_named(a->routing);
    if (!routing)
        return wrong("routing", a->routing, "say abr, por, ofr, dor or rdr");
    if (a->tie && strcmp(a->tie, "both") != 0 && strcmp(a->tie, "plus") != 0)
        return wrong("tie", a->tie, "say both or plus");
    if (a->resume && a->abort)
        return wrong("option", "--abort", "either --resume or --abort");
    struct torus_preset p = torus_preset_default((enum torus_routing)routing);
    p.tie_both = !a->tie || !strcmp(a->tie, "both");
    if (a->threshold >= 0)
        p.threshold = (uint8_t)a->threshold;
    if (a->delta >= 0)
        p.delta = (uint8_t)a->delta;
    int error = attach_or_discover(t);
    if (error == TORUS_OK)
        error = a->resume  ? torus_program_resume(t)
                : a->abort ? torus_program_abort(t)
                           : torus_program(t, &p);
    return error == TORUS_OK ? print_programmed(t, a) : report(t, error);
}

// run ---------------------------------------------------------------------------------------------

struct list {
    char *item[MAX_LIST];
    unsigned count;
};

static bool split(char *text, struct list *out)
{
    out->count = 0;
    for (char *save, *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        if (out->count == MAX_LIST)
            return false;
        out->item[out->count++] = word;
    }
    return out->count > 0;
}

static void run_row(const struct args *a, json_t *rows, const char *routing, const char *pattern,
                    const struct torus_result *r)
{
    if (a->format == JSON) {
        json_array_append_new(
            rows, json_pack("{s:s,s:s,s:f,s:f,s:f,s:f,s:f,s:f,s:I,s:f,s:f,s:f,s:f,s:I,s:I,s:i,s:i}",
                            "pattern", pattern, "routing", routing, "offered", r->offered,
                            "accepted", r->accepted, "offered_gamma0", r->offered / r->gamma0,
                            "accepted_gamma0", r->accepted / r->gamma0, "mean", r->mean, "p99",
                            r->p99, "max", (json_int_t)r->max, "oidn", r->oidn, "widn", r->widn,
                            "link_use", r->link_use, "hops", r->hops, "sent", (json_int_t)r->sent,
                            "received", (json_int_t)r->received, "errors", (int)r->errors,
                            "packet_flits", (int)r->packet_flits));
    } else if (a->format == CSV) {
        printf("%s,%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%u,%.6g,%.6g,%.6g,%.6g,%llu,%llu,%u\n", pattern,
               routing, r->offered, r->accepted, r->offered / r->gamma0, r->accepted / r->gamma0,
               r->mean, r->p99, r->max, r->oidn, r->widn, r->link_use, r->hops,
               (unsigned long long)r->sent, (unsigned long long)r->received, r->errors);
    } else {
        printf("%-11s %-7s %7.4f %6.3f %8.4f %6.3f %8.1f %6.0f %6.3f %6.3f %6.3f %8llu\n", pattern,
               routing, r->offered, r->offered / r->gamma0, r->accepted, r->accepted / r->gamma0,
               r->mean, r->p99, r->oidn, r->widn, r->link_use, (unsigned long long)r->received);
    }
    fflush(stdout);
}

static void run_head(const struct args *a, unsigned dims, const uint8_t k[3])
{
    if (a->format == CSV)
        printf("pattern,routing,offered,accepted,offered_gamma0,accepted_gamma0,mean,p99,max,oidn,"
               "widn,link_use,hops,sent,received,errors\n");
    if (a->format != TEXT)
        return;
    printf("loads in flits per cycle and node, and in gamma0 = %.4f of them; latency in cycles; "
           "link use in flits per cycle and link\n",
           torus_gamma0(dims, k));
    printf("%-11s %-7s %7s %6s %8s %6s %8s %6s %6s %6s %6s %8s\n", "pattern", "routing", "offered",
           "gamma", "accepted", "gamma", "mean", "p99", "OIDN", "WIDN", "links", "packets");
}

static int do_run(struct torus *t, const struct args *a)
{
    char patterns[1024], loads[1024];
    struct list pattern_list, load_list;
    int pattern[MAX_LIST];
    double load[MAX_LIST];
    snprintf(patterns, sizeof patterns, "%s", a->patterns);
    if (!strcmp(patterns, "all")) {
        patterns[0] = 0;
        for (int i = 0; i < TORUS_PATTERNS; i++) {
            strcat(patterns, i ? "," : "");
            strcat(patterns, torus_pattern_name((enum torus_pattern)i));
        }
    }
    snprintf(loads, sizeof loads, "%s", a->loads);
    if (!split(patterns, &pattern_list))
        return wrong("patterns", a->patterns, "a list of 1 to 64 names");
    if (!split(loads, &load_list))
        return wrong("loads", a->loads, "a list of 1 to 64 numbers");
    for (unsigned i = 0; i < pattern_list.count; i++)
        if ((pattern[i] = torus_pattern_named(pattern_list.item[i])) < 0)
            return wrong("pattern", pattern_list.item[i],
                         "say uniform, butterfly, transpose, bitreverse, rotate3d, complement, "
                         "tornado, neighbour or all");
    for (unsigned i = 0; i < load_list.count; i++) {
        char *end;
        load[i] = strtod(load_list.item[i], &end);
        if (end == load_list.item[i] || *end || !(load[i] > 0 && load[i] <= 1000))
            return wrong("load", load_list.item[i], "a number above 0, at most 1000");
    }
    int error = torus_attach(t);
    struct torus_preset preset;
    unsigned generation;
    if (error == TORUS_OK)
        error = torus_programmed(t, &preset, &generation);
    if (error != TORUS_OK)
        return report(t, error);
    uint8_t k[3];
    unsigned dims = torus_sizes(t, k);
    double unit = a->gamma ? torus_gamma0(dims, k) : 1;
    const char *routing = preset.routing ? torus_routing_name(preset.routing) : "none";
    json_t *rows = json_array(), *skipped = json_array();
    int status = 0;
    bool head = false;
    for (unsigned i = 0; i < pattern_list.count && status != 2; i++) {
        const char *name = pattern_list.item[i];
        const char *why = torus_pattern_missing((enum torus_pattern)pattern[i], dims, k);
        if (why && pattern_list.count > 1) {
            fprintf(stderr, "torusctl: pattern %s is skipped: %s\n", name, why);
            json_array_append_new(skipped, json_string(name));
            continue;
        }
        for (unsigned j = 0; j < load_list.count && status != 2; j++) {
            struct torus_run run = a->run;
            struct torus_result result;
            run.pattern = (enum torus_pattern)pattern[i];
            run.load = load[j] * unit;
            error = torus_run(t, &run, &result);
            if (error == TORUS_OK || (error == TORUS_E_FAILED && result.accepted > 0)) {
                if (!head)
                    run_head(a, dims, k);
                head = true;
                run_row(a, rows, routing, name, &result);
            }
            if (error != TORUS_OK)
                status = report(t, error);
        }
    }
    if (a->format == JSON && head)
        put_json(json_pack("{s:o,s:o,s:f,s:s,s:s,s:i,s:O,s:O}", "sizes", json_at(k, dims), "at",
                           json_null(), "gamma0", torus_gamma0(dims, k), "routing", routing, "tie",
                           preset.tie_both ? "both" : "plus", "generation", (int)generation, "runs",
                           rows, "skipped", skipped));
    json_decref(rows);
    json_decref(skipped);
    return status;
}

// counters ----------------------------------------------------------------------------------------

// Name of a counter as in rtl/regs/outflank.json; false where this build has no such port.
static bool counter_name(unsigned index, unsigned dims, char text[32])
{
    static const char *const ports[] = {"x+", "x-", "y+", "y-", "z+", "z-"};
    static const char *const vcs[] = {"adaptive", "vs1", "vs2"};
    static const char *const per_vc[] = {"flits", "packets", "stall_credit", "stall_alloc"};
    static const char *const node[] = {"injected", "delivered", "oidn",     "widn", "pinned",
                                       "refused",  "discarded", "poisoned", "hops"};
    static const char *const link[] = {"crc", "retry", "reset"};
    unsigned port, local = 2 * dims;
    if (index < OFR_COUNTER_NODE_BASE) {
        port = index / 12;
        snprintf(text, 32, "%s.%s.%s",
                 port == local ? "local"
                 : port < 6    ? ports[port]
                               : "?",
                 vcs[index / 4 % 3], per_vc[index % 4]);
        return port <= local;
    }
    if (index < OFR_COUNTER_LINK_BASE) {
        snprintf(text, 32, "%s", node[index - OFR_COUNTER_NODE_BASE]);
        return true;
    }
    bool high = index >= OFR_COUNTER_HIGH_BASE;
    unsigned i = index - (high ? OFR_COUNTER_HIGH_BASE : OFR_COUNTER_LINK_BASE);
    port = i / 3;
    if (high)
        snprintf(text, 32, "%s.%s.high_water", ports[port], vcs[i % 3]);
    else
        snprintf(text, 32, "%s.%s", ports[port], link[i % 3]);
    return port < local;
}

struct dump {
    const struct args *a;
    unsigned dims;
    bool one;
    uint8_t at[3];
    json_t *boards;
};

static void dump_board(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    struct dump *d = ctx;
    char place[16], name[32];
    if (d->one && memcmp(at, d->at, 3) != 0)
        return;
    at_text(at, d->dims, place);
    json_t *values = json_object();
    if (d->a->format == TEXT)
        printf("(%s)\n", place);
    for (unsigned i = 0; i < TORUS_COUNTERS; i++) {
        if (!counter_name(i, d->dims, name) || (!counters[i] && !d->a->all && d->a->format == TEXT))
            continue;
        if (d->a->format == JSON)
            json_object_set_new(values, name, json_integer((json_int_t)counters[i]));
        else if (d->a->format == CSV)
            printf("%u,%u,%u,%s,%llu\n", at[0], at[1], at[2], name,
                   (unsigned long long)counters[i]);
        else
            printf("  %-24s %llu\n", name, (unsigned long long)counters[i]);
    }
    if (d->a->format == JSON)
        json_array_append_new(
            d->boards, json_pack("{s:o,s:O}", "at", json_at(at, d->dims), "counters", values));
    json_decref(values);
}

// "X,Y" or "X,Y,Z".
static bool parse_at(const char *text, uint8_t at[3])
{
    unsigned v[3] = {0, 0, 0};
    char extra;
    if (sscanf(text, "%u,%u,%u%c", &v[0], &v[1], &v[2], &extra) != 3) {
        v[2] = 0;
        if (sscanf(text, "%u,%u%c", &v[0], &v[1], &extra) != 2)
            return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (v[i] > 15)
            return false;
        at[i] = (uint8_t)v[i];
    }
    return isdigit((unsigned char)text[0]);
}

static int do_counters(struct torus *t, const struct args *a)
{
    struct dump d = {.a = a, .one = a->at != NULL};
    if (a->at && !parse_at(a->at, d.at))
        return wrong("place", a->at, "write X,Y or X,Y,Z, each from 0 to 15");
    int error = torus_attach(t);
    struct torus_preset preset;
    unsigned generation;
    if (error == TORUS_OK)
        error = torus_programmed(t, &preset, &generation);
    if (error != TORUS_OK && error != TORUS_E_MIXED)
        return report(t, error);
    int status = error == TORUS_OK ? 0 : report(t, error);
    uint8_t k[3];
    d.dims = torus_sizes(t, k);
    for (unsigned i = 0; i < 3; i++)
        if (d.one && d.at[i] >= k[i])
            return wrong("place", a->at, "outside of the torus");
    d.boards = json_array();
    if (a->format == CSV)
        printf("x,y,z,counter,value\n");
    error = torus_counters(t, dump_board, &d);
    if (a->format == JSON && error == TORUS_OK)
        put_json(json_pack("{s:o,s:O}", "sizes", json_at(k, d.dims), "boards", d.boards));
    json_decref(d.boards);
    return error == TORUS_OK ? status : report(t, error);
}

// ping --------------------------------------------------------------------------------------------

static int ping_one(struct torus *t, const struct args *a, const uint8_t *at, json_t *rows)
{
    struct torus_identity id;
    int error = at ? torus_ping(t, at, &id) : torus_ping_path(t, NULL, 0, &id);
    if (error != TORUS_OK)
        return report(t, error);
    char place[16] = "-";
    if (id.configured)
        at_text(id.at, id.dims, place);
    if (a->format == JSON)
        json_array_append_new(rows, json_pack("{s:o,s:o,s:b,s:i,s:i,s:i,s:b,s:b,s:b,s:f}", "serial",
                                              json_serial(id.serial), "at",
                                              id.configured ? json_at(id.at, id.dims) : json_null(),
                                              "configured", id.configured, "dims", id.dims, "links",
                                              id.links, "version", id.version, "key", id.has_key,
                                              "leased", id.leased, "staged", id.staged, "seconds",
                                              id.seconds));
    else if (a->format == CSV)
        printf("%016llx,%s%s%s,%d,%u,%u,%u,%.6f\n", (unsigned long long)id.serial, "\"", place,
               "\"", id.configured, id.dims, id.links, id.version, id.seconds);
    else
        printf("board %016llx at %s%s%s: %u dimensions, links 0x%02x, protocol %u%s, %.3f ms\n",
               (unsigned long long)id.serial, id.configured ? "(" : "", place,
               id.configured ? ")" : "", id.dims, id.links, id.version,
               id.configured ? "" : ", not configured", 1e3 * id.seconds);
    fflush(stdout);
    return 0;
}

static int do_ping(struct torus *t, const struct args *a)
{
    uint8_t at[3], k[3] = {0};
    int error = TORUS_OK, status = 0;
    if (a->at && !parse_at(a->at, at))
        return wrong("place", a->at, "write X,Y or X,Y,Z, each from 0 to 15");
    if (a->at || a->all)
        error = torus_attach(t);
    if (error != TORUS_OK)
        return report(t, error);
    torus_sizes(t, k);
    json_t *rows = json_array();
    if (a->format == CSV)
        printf("serial,at,configured,dims,links,version,seconds\n");
    for (unsigned i = 0; i < a->count && !status; i++) {
        if (!a->all) {
            status = ping_one(t, a, a->at ? at : NULL, rows);
            continue;
        }
        for (at[2] = 0; at[2] < k[2]; at[2]++)
            for (at[1] = 0; at[1] < k[1]; at[1]++)
                for (at[0] = 0; at[0] < k[0] && !status; at[0]++)
                    status = ping_one(t, a, at, rows);
    }
    if (a->format == JSON && !status)
        put_json(json_incref(rows));
    json_decref(rows);
    return status;
}

// -------------------------------------------------------------------------------------------------

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "COMMAND",
        .doc = "Brings up and measures a torus of Outflank boards through one of them.\v"
               "Commands:\n"
               "  discover   find the boards, draw the torus, report wrong cables\n"
               "  info       what is programmed\n"
               "  program    coordinates and routing tables of all boards\n"
               "  run        traffic patterns: load, latency, derouted packets, link use\n"
               "  counters   all counters of all boards\n"
               "  ping       ask a board who it is\n"
               "Exit status: 0 good, 1 a check failed, 2 wrong use or no connection.",
    };
    struct args a = {.routing = "ofr",
                     .threshold = -1,
                     .delta = -1,
                     .patterns = "uniform",
                     .loads = "0.1",
                     .run = torus_run_default(),
                     .count = 1};
    static const struct {
        const char *name;
        int (*run)(struct torus *t, const struct args *a);
    } commands[] = {
        {"discover", do_discover}, {"info", do_info},         {"program", do_program},
        {"run", do_run},           {"counters", do_counters}, {"ping", do_ping},
    };
    argp_err_exit_status = 2;
    if (argp_parse(&argp, argc, argv, 0, NULL, &a))
        return 2;
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(a.command, commands[i].name) != 0)
            continue;
        struct torus *t;
        int error = torus_open(&t, a.where, &a.options);
        int status = error == TORUS_OK ? commands[i].run(t, &a) : report(t, error);
        torus_close(t);
        return status;
    }
    return wrong("command", a.command, "say discover, info, program, run, counters or ping");
}
