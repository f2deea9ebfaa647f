// SPDX-License-Identifier: Apache-2.0
// Options that commands share, and how values of options are read.
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "ctl.h"

enum {
    BAUD = 256,
    RETRY,
    WINDOW,
    SESSION,
    KEY,
    KEY_FILE,
    TAKE_OVER,
    DEBUG,
    NAMES,
    MESSAGE,
    WARMUP,
    CYCLES,
    SEED
};

// Values ------------------------------------------------------------------------------------------

double number(struct argp_state *state, const char *arg, double low, double high)
{
    char *end;
    double value = strtod(arg, &end);
    if (end == arg || *end || isspace((unsigned char)*arg) || !(value >= low && value <= high)) {
        argp_failure(state, 2, 0, "'%s' is not a number from %g to %g", arg, low, high);
        exit(2);
    }
    return value;
}

uint64_t whole(struct argp_state *state, const char *arg, uint64_t low, uint64_t high)
{
    uint64_t value = 0;
    bool good = *arg;
    for (const char *c = arg; *c && good; c++) {
        unsigned digit = (unsigned)(*c - '0');
        good = digit <= 9 && value <= (high - digit) / 10;
        value = 10 * value + digit;
    }
    if (!good || value < low || value > high) {
        argp_failure(state, 2, 0, "'%s' is not a whole number from %llu to %llu", arg,
                     (unsigned long long)low, (unsigned long long)high);
        exit(2);
    }
    return value;
}

unsigned one_of(struct argp_state *state, const char *arg, const char *what, const char *list)
{
    size_t length = strlen(arg);
    unsigned which = 0;
    for (const char *at = list; at; which++) {
        if (length && !strncmp(at, arg, length) && (!at[length] || at[length] == '|'))
            return which;
        at = strchr(at, '|');
        at = at ? at + 1 : NULL;
    }
    argp_failure(state, 2, 0, "%s '%s': say one of %s", what, arg, list);
    exit(2);
}

bool parse_key(const char *text, uint64_t *key)
{
    size_t digits = strspn(text, "0123456789abcdefABCDEF");
    *key = digits && digits <= 16 && !text[digits] ? strtoull(text, NULL, 16) : 0;
    return *key != 0;
}

// Groups ------------------------------------------------------------------------------------------

// A value that is not there, or a list (the argument's name has a comma) with nothing where one is
// to be, is never meant.
static void look_at(struct argp_state *state, const struct argp_option *o, const char *arg)
{
    size_t length = o->arg ? strlen(arg) : 1;
    bool list = o->arg && strchr(o->arg, ',');
    if (!length)
        argp_failure(state, 2, 0, "--%s '': say its %s", o->name, o->arg);
    else if (list && (*arg == ',' || arg[length - 1] == ',' || strstr(arg, ",,")))
        argp_failure(state, 2, 0, "--%s '%s': nothing stands beside a comma", o->name, arg);
}

void note_given(struct argp_state *state, struct args *a, const struct argp_option *options,
                unsigned group, int key, const char *arg)
{
    while (options->key != key || !options->name)
        options++;
    look_at(state, options, arg);
    for (unsigned i = 0; i < a->given_count; i++)
        if (!strcmp(a->given[i].name, options->name))
            return;
    if (a->given_count < MAX_GIVEN)
        a->given[a->given_count++] = (struct given){options->name, group};
}

static const struct argp_option connection_options[] = {
    {0, 0, 0, 0, "Connection:", 90},
    {"transport", 't', "WHERE", 0,
     "the board we are plugged into: usb, usb:SERIAL, unix:PATH, tty:PATH or tcp:PORT", 90},
    {"baud", BAUD, "N", 0, "usb, tty: bits per second (115200)", 90},
    {"timeout", 'T', "SECONDS", 0, "give up after so long without an answer (30)", 90},
    {"debug", DEBUG, 0, 0, "show every frame on stderr, decoded; keys are left out", 90},
    {0},
};

static error_t parse_connection(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case 't':
        a->where = arg;
        break;
    case BAUD:
        a->options.baud = (unsigned)whole(state, arg, 300, 12000000);
        break;
    case 'T':
        a->options.timeout = number(state, arg, 0.01, 1e6);
        break;
    case DEBUG:
        a->debug = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    note_given(state, a, connection_options, CONNECTION, key, arg);
    return 0;
}

static const struct argp_option request_options[] = {
    {"retry", RETRY, "SECONDS", 0, "send again after so long (0.5, doubling)", 90},
    {"session", SESSION, "N", 0, "session number, 1 to 65535 (random)", 90},
    {0},
};

static error_t parse_requests(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    if (key == RETRY)
        a->options.retry = number(state, arg, 0.001, 1e6);
    else if (key == SESSION)
        a->options.session = (uint16_t)whole(state, arg, 1, 65535);
    else
        return ARGP_ERR_UNKNOWN;
    note_given(state, a, request_options, REQUESTS, key, arg);
    return 0;
}

static const struct argp_option window_options[] = {
    {"window", WINDOW, "N", 0,
     "requests under way at once, 1 to 7 (4; discover, counters, serve 7)", 90},
    {0},
};

static error_t parse_window(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    if (key != WINDOW)
        return ARGP_ERR_UNKNOWN;
    a->options.window = (unsigned)whole(state, arg, 1, 7);
    note_given(state, a, window_options, AT_ONCE, key, arg);
    return 0;
}

static const struct argp_option place_options[] = {
    {"names", NAMES, "FILE", 0,
     "names of boards, a serial number and a name a line; then names may stand for places, and "
     "are shown with them",
     90},
    {0},
};

static error_t parse_places(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    if (key != NAMES)
        return ARGP_ERR_UNKNOWN;
    a->names = arg;
    note_given(state, a, place_options, PLACES, key, arg);
    return 0;
}

static const struct argp_option writing_options[] = {
    {0, 0, 0, 0, "Writing to the boards:", 80},
    {"key", KEY, "HEX", 0, "64-bit key of locked boards, up to 16 hexadecimal digits", 80},
    {"take-over", TAKE_OVER, 0, 0,
     "take over the write lease that a torusctl of yours has, or with --key anybody's", 80},
    {"key-file", KEY_FILE, "FILE", 0, "a file with that key; one that others may read is refused",
     80},
    {0},
};

static error_t parse_writing(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case KEY:
        if (!parse_key(arg, &a->options.key))
            argp_failure(state, 2, 0, "--key: up to 16 hexadecimal digits, not 0");
        break;
    case KEY_FILE:
        a->key_file = arg;
        break;
    case TAKE_OVER:
        a->options.take_over = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (a->options.key && a->key_file)
        argp_failure(state, 2, 0, "either --key or --key-file");
    note_given(state, a, writing_options, WRITING, key, arg);
    return 0;
}

static const struct argp_option format_options[] = {
    {"format", 'f', "text|json|csv", 0, "of what is printed (text)", 70},
    {0},
};

static error_t parse_format(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    if (key != 'f')
        return ARGP_ERR_UNKNOWN;
    a->format = (enum format)one_of(state, arg, "format", "text|json|csv");
    note_given(state, a, format_options, FORMAT, key, arg);
    return 0;
}

static const struct argp_option stream_options[] = {
    {"length", 'L', "FLITS", 0, "flits a packet (a slot)", 60},
    {"warmup", WARMUP, "CYCLES", 0, "cycles before the window of measurement (1000)", 60},
    {"cycles", CYCLES, "CYCLES", 0, "cycles of the window (4000)", 60},
    {0},
};

static error_t parse_stream(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case 'L':
        a->run.packet_flits = (unsigned)whole(state, arg, 4, 1024);
        break;
    case WARMUP:
        a->run.warmup = (unsigned)whole(state, arg, 0, 1 << 28);
        break;
    case CYCLES:
        a->run.cycles = (unsigned)whole(state, arg, 1, 1 << 28);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    note_given(state, a, stream_options, STREAM, key, arg);
    return 0;
}

static const struct argp_option message_options[] = {
    {"message", MESSAGE, "PACKETS", 0, "packets a message (1)", 61},
    {"seed", SEED, "N", 0, "of the destinations (1)", 61},
    {0},
};

static error_t parse_messages(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case MESSAGE:
        a->run.message_packets = (unsigned)whole(state, arg, 1, 65535);
        break;
    case SEED:
        a->run.seed = (uint32_t)whole(state, arg, 0, UINT32_MAX);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    note_given(state, a, message_options, MESSAGES, key, arg);
    return 0;
}

static const struct argp groups[] = {
    {.options = connection_options, .parser = parse_connection},
    {.options = request_options, .parser = parse_requests},
    {.options = window_options, .parser = parse_window},
    {.options = place_options, .parser = parse_places},
    {.options = writing_options, .parser = parse_writing},
    {.options = format_options, .parser = parse_format},
    {.options = stream_options, .parser = parse_stream},
    {.options = message_options, .parser = parse_messages},
};

const struct argp *group_argp(unsigned group)
{
    unsigned i = 0;
    while (group >> i > 1)
        i++;
    return &groups[i];
}

const struct argp_option *group_options(unsigned group)
{
    return group_argp(group)->options;
}

bool next_example(const struct command *c, const char **at, char line[EXAMPLE])
{
    bool board = c->run && **at != '!';
    *at += **at == '!';
    int length = (int)strcspn(*at, "\n");
    snprintf(line, EXAMPLE, "torusctl %s%.*s", board ? "-t usb " : "", length, *at);
    *at += length + ((*at)[length] == '\n');
    return length > 0;
}

char *fill_in(int key, const char *text, void *input)
{
    static const char word[] = "@PATTERNS@";
    const char *at = text ? strstr(text, word) : NULL;
    char list[400], *out;
    (void)key;
    (void)input;
    pattern_list(list, sizeof list);
    if (!at || asprintf(&out, "%.*s%s%s", (int)(at - text), text, list, at + strlen(word)) < 0)
        return (char *)text;
    return out;
}
