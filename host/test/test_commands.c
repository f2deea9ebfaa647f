// SPDX-License-Identifier: Apache-2.0
// Two hosts at once, of which the first one uses torusctl: whatever command it is, a second session
// acts between any two of its frames (interleave.h). What was printed, as JSON, must be so, or
// there is a line of error. Every command of torusctl is here, or named with the reason why not.
// lint-flags: -Ihost/torusctl -Ihost/test
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctl.h"
#include "interleave.h"

static uint64_t seed;
static char key_file[] = "/tmp/outflank-key-XXXXXX";

// At load 0.5 a packet of 16 flits comes in 32 cycles, one of 32 in 64, and one at the end.
enum { WINDOW = 3200, PACKETS = 101, LONG_PACKETS = 51 };

enum { WORDS = 3 };

// A command as it is used, and whether what it printed is so.
struct use {
    const struct operation operation; // its name: the command's
    struct {
        const char *name, *value;
    } option[WORDS];
    const char *rest[WORDS];
    bool (*is)(const struct stage *s, json_t *printed);
    const char *why; // there is no such use: why not
};

// What is so ----------------------------------------------------------------------------------

static const char *text_of(json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

static json_int_t number_of(json_t *row, const char *key)
{
    return json_integer_value(json_object_get(row, key));
}

// What was there at first, or what the other one has programmed.
static bool good_routing(const struct stage *s, const char *name)
{
    return !strcmp(name, "abr") || (s->generation && !strcmp(name, "dor"));
}

// The other one's table, which nobody has programmed after it; else the one that is wanted.
static bool has_routing(const struct stage *s, unsigned wanted)
{
    unsigned now = routing_of(s->f);
    return now == wanted || (now == TORUS_DOR && s->generation);
}

static bool rows_are(json_t *printed, const char *name, unsigned count)
{
    return json_array_size(json_object_get(printed, name)) == count;
}

static bool is_known(const struct stage *s, json_t *printed)
{
    return good_routing(s, text_of(printed, "routing")) &&
           number_of(printed, "boards") == s->f->boards;
}

static bool is_all(const struct stage *s, json_t *printed)
{
    return rows_are(printed, "boards", s->f->boards);
}

static bool is_ofr(const struct stage *s, json_t *printed)
{
    bool after = s->generation && s->at >= s->frames - 2 * AFTER;
    (void)printed;
    return has_routing(s, after ? TORUS_DOR : TORUS_OFR);
}

static bool is_assigned(const struct stage *s, json_t *printed)
{
    bool is = is_all(s, printed);
    for (unsigned i = 0; i < s->f->boards; i++)
        is &= s->f->board[i].reg[OFR_NODE_CONTROL / 4] & 1;
    return is;
}

// All of one instant.
static bool is_instant(const struct stage *s, json_t *printed)
{
    json_t *boards = json_object_get(printed, "boards"), *row, *value;
    const char *name;
    json_int_t first = -1;
    size_t i;
    bool is = is_all(s, printed);
    json_array_foreach(boards, i, row)
    {
        json_object_foreach(json_object_get(row, "counters"), name, value)
        {
            first = first < 0 ? json_integer_value(value) : first;
            is &= json_integer_value(value) == first;
        }
    }
    return is && first > 0;
}

// Its own packets, all of them, by one routing each.
static bool is_runs(const struct stage *s, json_t *printed, unsigned count, unsigned routings)
{
    json_t *runs = json_object_get(printed, "runs"), *row;
    size_t i;
    bool is = rows_are(printed, "runs", count) && !(s->f->generated & ~routings);
    json_array_foreach(runs, i, row)
    {
        is &= number_of(row, "sent") == (json_int_t)s->f->boards * PACKETS &&
              number_of(row, "received") == number_of(row, "sent");
    }
    return is;
}

static unsigned bit(enum torus_routing routing)
{
    return 1u << routing;
}

static bool one_routing(const struct stage *s)
{
    return s->f->generated == bit(TORUS_ABR) ||
           (s->generation && s->f->generated == bit(TORUS_DOR));
}

static bool is_run(const struct stage *s, json_t *printed)
{
    json_t *row = json_array_get(json_object_get(printed, "runs"), 0);
    return is_runs(s, printed, 1, bit(TORUS_ABR) | bit(TORUS_DOR)) &&
           good_routing(s, text_of(row, "routing")) && one_routing(s);
}

// And what was there before is there again. The other one's run, before, is by ABR.
static bool is_bench(const struct stage *s, json_t *printed)
{
    return is_runs(s, printed, 2, bit(TORUS_POR) | bit(TORUS_OFR) | bit(TORUS_ABR)) &&
           has_routing(s, s->generation ? TORUS_DOR : TORUS_ABR);
}

static bool packets_are(const struct stage *s, json_t *printed, const char *name, unsigned count)
{
    json_t *row;
    size_t i;
    bool is = rows_are(printed, name, count) && one_routing(s);
    json_array_foreach(json_object_get(printed, name), i, row)
    {
        is &= number_of(row, "packets") == PACKETS;
    }
    return is;
}

static bool is_streams(const struct stage *s, json_t *printed)
{
    return packets_are(s, printed, "streams", 4);
}

static bool is_pairs(const struct stage *s, json_t *printed)
{
    return packets_are(s, printed, "pairs", s->f->boards * (s->f->boards - 1));
}

// Packets of fake boards take no links.
static bool is_trace(const struct stage *s, json_t *printed)
{
    return rows_are(printed, "hops", 0) && number_of(printed, "packets") == LONG_PACKETS &&
           one_routing(s);
}

static bool is_path(const struct stage *s, json_t *printed)
{
    (void)s;
    return rows_are(printed, "hops", 2);
}

static bool is_clocks(const struct stage *s, json_t *printed)
{
    bool is = rows_are(printed, "clocks", s->f->boards);
    for (unsigned i = 0; i < s->f->boards; i++)
        is &= !s->f->board[i].reg[OFR_NODE_TIME_ADD / 4] &&
              !s->f->board[i].reg[OFR_NODE_TIME_RATE / 4];
    return is;
}

// A field was written, and the rest of the register is as it was, or as the other one has written
// it: of two that write it one after the other, both have done it.
static bool is_field(const struct stage *s, json_t *printed)
{
    uint32_t now = s->f->board->reg[OFR_NODE_SEED / 4];
    bool other = s->acted && s->said == TORUS_OK;
    json_t *row = json_array_get(json_object_get(printed, "registers"), 0);
    json_int_t said = number_of(row, "value");
    return (said == 0x600d || (other && said == 0xbad)) &&
           (now == 0x600d || (other && now == 0xbad));
}

static bool is_read(const struct stage *s, json_t *printed)
{
    (void)s;
    return json_array_size(json_object_get(printed, "registers")) > 3;
}

static bool is_locked(const struct stage *s, json_t *printed)
{
    bool is = true;
    (void)printed;
    for (unsigned i = 0; i < s->f->boards; i++)
        is &= s->f->board[i].fw.key[0] == 0x9abcdef0 && s->f->board[i].fw.key[1] == 0x12345678;
    return is;
}

static bool is_stopped(const struct stage *s, json_t *printed)
{
    (void)printed;
    for (unsigned i = 0; i < s->f->boards; i++)
        if (s->f->board[i].reg[OFR_GEN_CONTROL / 4] & OFR_GEN_CONTROL_ENABLE_MASK)
            return s->acted && s->said == TORUS_OK; // the other one's
    return true;
}

// All boards have links, and all of these are up.
static bool is_linked(const struct stage *s, json_t *printed)
{
    size_t i;
    json_t *link;
    unsigned boards = 0;
    json_array_foreach(json_object_get(printed, "links"), i, link)
    {
        unsigned board = (unsigned)json_integer_value(json_object_get(link, "board"));
        boards |= 1u << (board & 31);
        if (strcmp(json_string_value(json_object_get(link, "state")), "up") != 0)
            return false;
    }
    return boards == (1u << s->f->boards) - 1;
}

// Commands ------------------------------------------------------------------------------------

static int go(struct stage *s, bool *is);

#define ON(command, x, y) .operation = {.name = (command), .go = go, .kx = (x), .ky = (y)}
// Whose boards have a time that goes on by itself; and where other traffic is an error.
#define ON_CLOCKS(command, x, y)                                                                   \
    .operation = {.name = (command), .go = go, .kx = (x), .ky = (y), .clocks = true}
#define ON_QUIET(command, x, y)                                                                    \
    .operation = {.name = (command),                                                               \
                  .go = go,                                                                        \
                  .kx = (x),                                                                       \
                  .ky = (y),                                                                       \
                  .clocks = true,                                                                  \
                  .quiet = true,                                                                   \
                  .slot_flits = 32}

// Options stay as they are once they are given: uses of a command with more of them come later.
static const struct use uses[] = {
    {ON("list", 0, 0), .why = "asks no board"},
    {ON("flash", 0, 0), .why = "asks no board"},
    {ON("discover", 2, 2), .is = is_all},
    {ON("discover", 2, 2), .option = {{"assign", NULL}}, .is = is_assigned},
    {ON("link", 2, 2), .is = is_linked},
    {ON("info", 2, 2), .is = is_known},
    {ON("program", 2, 2), .option = {{"routing", "ofr"}}, .is = is_ofr},
    {ON("run", 2, 2), .option = {{"load", "0.5"}}, .is = is_run},
    {ON("bench", 2, 1), .option = {{"load", "0.5"}, {"routing", "por,ofr"}, {"histogram", NULL}},
     .is = is_bench},
    {ON("counters", 2, 2), .is = is_instant},
    {ON("snapshot", 2, 2), .option = {{"all", NULL}}, .is = is_instant},
    {ON_CLOCKS("time", 2, 2), .is = is_clocks},
    {ON("monitor", 0, 0), .why = "calls what counters calls, again and again"},
    {ON("diff", 0, 0), .why = "asks no board"},
    {ON("ping", 2, 2), .option = {{"all", NULL}}, .is = is_all},
    {ON_QUIET("trace", 2, 1), .option = {{"load", "0.5"}}, .rest = {"0,0", "1,0"}, .is = is_trace},
    {ON("trace", 2, 2), .option = {{"path", "x+"}}, .is = is_path},
    {ON_CLOCKS("bandwidth", 2, 1), .option = {{"load", "0.5"}}, .rest = {"0,0", "1,0"},
     .is = is_streams},
    {ON_CLOCKS("latency", 2, 1), .option = {{"load", "0.5"}}, .rest = {"0,0", "1,0"},
     .is = is_pairs},
    {ON_CLOCKS("latency", 2, 1), .option = {{"all", NULL}}, .is = is_pairs},
    {ON("bert", 0, 0), .why = "these boards have no cables: bert_test.sh"},
    {ON("channel", 0, 0), .why = "these boards do not carry bytes: channel_test.sh"},
    {ON("datagram", 0, 0), .why = "these boards do not carry bytes: datagram_test.sh"},
    {ON("collective", 0, 0), .why = "these boards' collectives do nothing: tree_test.sh"},
    {ON("load", 0, 0), .why = "these boards' user's cores do nothing: user_test.sh"},
    {ON("start", 0, 0), .why = "these boards' user's cores do nothing: user_test.sh"},
    {ON("console", 0, 0), .why = "these boards' user's cores do nothing: user_test.sh"},
    {ON("osu", 0, 0), .why = "these boards do not carry bytes: b_eff_test.sh"},
    {ON("b_eff", 0, 0), .why = "these boards do not carry bytes: b_eff_test.sh"},
    {ON("reg", 2, 2), .rest = {"NODE"}, .is = is_read},
    {ON("reg", 2, 2), .rest = {"NODE.SEED=0x600d"}, .is = is_field},
    {ON("key", 2, 2), .rest = {"set", key_file}, .is = is_locked},
    {ON("serve", 0, 0), .why = "passes frames on: test_relay, serve_test.sh"},
    {ON("stop", 2, 2), .is = is_stopped},
};
enum { USES = sizeof uses / sizeof *uses };

static const struct command *command_of(const struct use *u)
{
    for (unsigned i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, u->operation.name))
            return commands[i];
    fail_msg("torusctl has no command %s", u->operation.name);
    return NULL;
}

static void set_options(const struct use *u, const struct command *c)
{
    for (unsigned i = 0; i < WORDS && u->option[i].name; i++) {
        const struct argp_option *o = c->options;
        while (o->name && strcmp(o->name, u->option[i].name) != 0)
            o++;
        assert_non_null(o->name);
        assert_true(c->option(o->key, (char *)u->option[i].value, NULL));
    }
}

// The last line of what a command said.
static void note(struct stage *s, char *said)
{
    said[strcspn(said, "\n")] = 0;
    snprintf(s->why, sizeof s->why, "%s", said);
}

static int go(struct stage *s, bool *is)
{
    const struct use *u = (const struct use *)s->o; // begins with it
    const struct command *c = command_of(u);
    struct args a = {.command = c, .format = JSON, .run = torus_run_default()};
    FILE *const out = stdout, *const err = stderr;
    char *printed = NULL, *said = NULL;
    size_t bytes, more;
    set_options(u, c);
    while (a.rest_count < WORDS && u->rest[a.rest_count]) {
        a.rest[a.rest_count] = u->rest[a.rest_count];
        a.rest_count++;
    }
    a.run.warmup = 0;
    a.run.cycles = WINDOW;
    s->f->generated = 0;
    stdout = open_memstream(&printed, &bytes);
    stderr = open_memstream(&said, &more);
    int status = c->prepare ? c->prepare(&a) : GO_ON;
    if (status == GO_ON)
        status = c->run(s->first, &a);
    fclose(stdout);
    fclose(stderr);
    stdout = out;
    stderr = err;
    note(s, said);
    if (status == 0) {
        json_t *document = json_loads(printed, 0, NULL);
        *is = (c->groups & FORMAT ? document != NULL : true) && u->is(s, document);
        json_decref(document);
    }
    free(printed);
    free(said);
    return status;
}

static void between_any_two_frames(void **state)
{
    const char *only = getenv("ONLY"); // a command; for the twins
    unsigned tried = 0, refused = 0, wrong = 0;
    (void)state;
    for (unsigned i = 0; i < USES; i++)
        if (!uses[i].why && (!only || !strcmp(only, uses[i].operation.name)))
            wrong += lies(&uses[i].operation, seed, &refused, &tried);
    print_message("# %u times, %u of them refused\n", tried, refused);
    assert_int_equal(wrong, 0);
    assert_true(only || tried > 1000);
}

static void every_command(void **state)
{
    (void)state;
    for (unsigned i = 0; commands[i]; i++) {
        unsigned here = 0;
        for (unsigned j = 0; j < USES; j++)
            here += !strcmp(commands[i]->name, uses[j].operation.name);
        if (!here)
            print_message("# %s is neither tried nor named\n", commands[i]->name);
        assert_true(here > 0);
    }
    for (unsigned j = 0; j < USES; j++)
        assert_non_null(command_of(&uses[j]));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command),
        cmocka_unit_test(between_any_two_frames),
    };
    int fd = mkstemp(key_file);
    seed = fake_seed(argc, argv);
    if (fd < 0 || write(fd, "123456789abcdef0\n", 17) != 17 || close(fd) != 0) {
        perror(key_file);
        return 2;
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests_name("commands", tests, NULL, NULL);
    unlink(key_file);
    return failed;
}
