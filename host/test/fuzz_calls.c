// SPDX-License-Identifier: Apache-2.0
// See fuzz_calls.h. Every function of libtorus.h that parses an answer is here, by its name
// (fuzz_test.sh sees to it), and those that work on what others have parsed.
#include "fuzz_calls.h"

#include <stdlib.h>

static const uint8_t far[3] = {1, 1, 0};

static void each(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    uint64_t *sum = ctx;
    for (unsigned i = 0; i < TORUS_COUNTERS; i++)
        *sum += counters[i] + at[0];
}

static int ping_path(struct torus *t)
{
    struct torus_identity identity;
    return torus_ping_path(t, (const uint8_t[]){0, 2}, 2, &identity);
}

static int ping(struct torus *t)
{
    struct torus_identity identity;
    return torus_ping(t, far, &identity);
}

static int find(struct torus *t)
{
    uint8_t at[3];
    return torus_find(t, 3, at);
}

static void ignore_place(void *ctx, uint64_t serial, const uint8_t at[3])
{
    (void)ctx;
    (void)serial;
    (void)at;
}

static int places(struct torus *t)
{
    return torus_places(t, ignore_place, NULL);
}

static int read_one(struct torus *t)
{
    uint32_t value;
    return torus_read(t, far, 0, &value);
}

static int links(struct torus *t)
{
    struct torus_link ends[TORUS_PORTS];
    return torus_links(t, 0, ends);
}

static int bert(struct torus *t)
{
    struct torus_bert result;
    return torus_bert(t, 0, 0, 1e-6, &result);
}

// Two ends joined first.
static const struct torus_end from = {{0, 0, 0}, 1}, to = {{1, 0, 0}, 2};

static int channel_open(struct torus *t)
{
    return torus_channel_open(t, &from, &to, 0);
}

static int channel_send(struct torus *t)
{
    size_t sent;
    int error = channel_open(t);
    return error == TORUS_OK ? torus_channel_send(t, &from, "12345", 5, 0, &sent) : error;
}

static int channel_recv(struct torus *t)
{
    char message[12];
    size_t got;
    bool whole;
    int error = channel_open(t);
    return error == TORUS_OK ? torus_channel_recv(t, &to, message, sizeof message, 0, &got, &whole)
                             : error;
}

static int channel_join(struct torus *t)
{
    return torus_channel_join(t, &from, TORUS_PINS, &to, TORUS_PINS, 0);
}

static int channel_release(struct torus *t)
{
    return torus_channel_release(t, &to);
}

static int channel_close(struct torus *t)
{
    int error = channel_open(t);
    return error == TORUS_OK ? torus_channel_close(t, &from, 0.001) : error;
}

static int channel_abort(struct torus *t)
{
    return torus_channel_abort(t, &to);
}

static int channel_state(struct torus *t)
{
    struct torus_channel state;
    return torus_channel_state(t, &to, &state);
}

static int messages(struct torus *t)
{
    char room[12];
    struct torus_message m[2] = {{.end = from, .data = "12345", .bytes = 5, .other = 1},
                                 {.end = to, .take = true, .data = room, .bytes = 12, .other = 0}};
    int error = channel_open(t);
    return error == TORUS_OK ? torus_messages(t, m, 2, 0) : error;
}

static int message_send(struct torus *t)
{
    int error = channel_open(t);
    return error == TORUS_OK ? torus_message_send(t, &from, "12345", 5, 0) : error;
}

static int message_recv(struct torus *t)
{
    char room[12];
    size_t bytes;
    int error = channel_open(t);
    return error == TORUS_OK ? torus_message_recv(t, &to, room, sizeof room, 0, &bytes) : error;
}

// A group of two members; what one of the collectives does in it. On fake boards what comes is no
// message of a collective: that it finds this out, and can be closed, is as good as it gets there.
static int grouped(struct torus *t, int (*call)(struct torus_group *g))
{
    static const uint8_t at[2][3] = {{0, 0, 0}, {1, 0, 0}};
    struct torus_group_options options = torus_group_options_default();
    struct torus_group *g;
    options.seconds = 0.001;
    int error = torus_group_open(&g, t, &options, at, 2);
    if (error != TORUS_OK)
        return error;
    error = call ? call(g) : TORUS_OK;
    if ((error != TORUS_OK) != (*torus_detail(t) != 0))
        abort(); // closing says anew what there is to say
    return torus_group_close(g);
}

static int group(struct torus *t)
{
    return grouped(t, NULL);
}

static int barrier(struct torus *t)
{
    return grouped(t, torus_barrier);
}

static uint8_t block[2][8], blocks[16];
static void *const block_of[2] = {block[0], block[1]};
static int32_t word[2][2], sum[2];
static int32_t *const word_of[2] = {word[0], word[1]};

static int do_broadcast(struct torus_group *g)
{
    return torus_broadcast(g, 1, block_of, 8);
}

static int broadcast(struct torus *t)
{
    return grouped(t, do_broadcast);
}

static int do_reduce(struct torus_group *g)
{
    return torus_reduce(g, 0, TORUS_SUM, word_of, sum, 2);
}

static int reduce(struct torus *t)
{
    return grouped(t, do_reduce);
}

static int do_all_reduce(struct torus_group *g)
{
    return torus_all_reduce(g, TORUS_MAX, word_of, 2);
}

static int all_reduce(struct torus *t)
{
    return grouped(t, do_all_reduce);
}

static int do_scatter(struct torus_group *g)
{
    return torus_scatter(g, 0, blocks, block_of, 8);
}

static int scatter(struct torus *t)
{
    return grouped(t, do_scatter);
}

static int do_gather(struct torus_group *g)
{
    return torus_gather(g, 0, block_of, blocks, 8);
}

static int gather(struct torus *t)
{
    return grouped(t, do_gather);
}

// The same of a group of two blocks of collectives that are software's.
static int treed(struct torus *t, int (*call)(struct torus_tree *g))
{
    static const uint8_t at[2][3] = {{0, 0, 0}, {1, 0, 0}};
    struct torus_tree_options options = torus_tree_options_default();
    struct torus_tree *g;
    options.software = true;
    options.seconds = 0.001;
    int error = torus_tree_open(&g, t, &options, at, 2);
    if (error != TORUS_OK)
        return error;
    error = call ? call(g) : TORUS_OK;
    if ((error != TORUS_OK) != (*torus_detail(t) != 0))
        abort();
    return torus_tree_close(g);
}

static int32_t tree_all[4]; // two members' two words

static int tree(struct torus *t)
{
    return treed(t, NULL);
}

static int tree_barrier(struct torus *t)
{
    return treed(t, torus_tree_barrier);
}

static int do_tree_all_reduce(struct torus_tree *g)
{
    return torus_tree_all_reduce(g, TORUS_MAX, word_of, 2);
}

static int tree_all_reduce(struct torus *t)
{
    return treed(t, do_tree_all_reduce);
}

static int do_tree_broadcast(struct torus_tree *g)
{
    return torus_tree_broadcast(g, word_of, 2);
}

static int tree_broadcast(struct torus *t)
{
    return treed(t, do_tree_broadcast);
}

static int do_tree_scatter(struct torus_tree *g)
{
    return torus_tree_scatter(g, tree_all, word_of, 2);
}

static int tree_scatter(struct torus *t)
{
    return treed(t, do_tree_scatter);
}

static int do_tree_gather(struct torus_tree *g)
{
    return torus_tree_gather(g, word_of, tree_all, 2);
}

static int tree_gather(struct torus *t)
{
    return treed(t, do_tree_gather);
}

static int do_tree_reduce(struct torus_tree *g)
{
    return torus_tree_reduce(g, TORUS_SUM, word_of, tree_all, 2);
}

static int tree_reduce(struct torus *t)
{
    return treed(t, do_tree_reduce);
}

static int tree_clear(struct torus *t)
{
    static const uint8_t at[1][3] = {{1, 0, 0}};
    return torus_tree_clear(t, at, 1);
}

static const uint8_t user_at[1][3] = {{1, 0, 0}};

static int user_load(struct torus *t)
{
    static const uint8_t image[33] = {0x6f};
    return torus_user_load(t, user_at, 1, image, sizeof image);
}

static int user_start(struct torus *t)
{
    return torus_user_start(t, user_at, 1, (const uint32_t[4]){1, 2, 3, 4});
}

static int user_stop(struct torus *t)
{
    return torus_user_stop(t, NULL, 0);
}

static int user_join(struct torus *t)
{
    const struct torus_end from = {{0, 0, 0}, 0}, to = {{1, 0, 0}, 1};
    return torus_user_join(t, &from, &to, 0.01);
}

static int user_state(struct torus *t)
{
    struct torus_user user;
    return torus_user_state(t, far, &user);
}

static int user_console(struct torus *t)
{
    char text[13];
    size_t bytes;
    return torus_user_console(t, far, text, sizeof text, &bytes);
}

static int user_memory(struct torus *t)
{
    uint8_t data[9];
    return torus_user_memory(t, far, 3, data, sizeof data);
}

// Of two boards whose datagrams are software's.
static int datagram_attach(struct torus *t)
{
    int error = torus_datagram_attach(t, from.at, true);
    return error == TORUS_OK ? torus_datagram_attach(t, to.at, true) : error;
}

static int datagram_send(struct torus *t)
{
    int error = datagram_attach(t);
    return error == TORUS_OK
               ? torus_datagram_send(t, from.at, &to, TORUS_MINIMAL, "12345", 5, 0.001)
               : error;
}

static int datagram_recv(struct torus *t)
{
    char room[12];
    size_t bytes;
    struct torus_end sender;
    int error = datagram_attach(t);
    return error == TORUS_OK
               ? torus_datagram_recv(t, to.at, room, sizeof room, 0.001, &bytes, &sender)
               : error;
}

static int write_one(struct torus *t)
{
    return torus_write(t, far, 0x18, 5);
}

static int program(struct torus *t)
{
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    return torus_program(t, &preset);
}

static int program_table(struct torus *t)
{
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    struct torus_destination list[] = {{.from_all = true, .to = {1, 1}, .mode = TORUS_ESCAPE}};
    struct torus_table table;
    torus_preset_table(&preset, 2, &table);
    table.delta = 1;
    table.destinations = list;
    table.destination_count = 1;
    int error = torus_program_table(t, &table);
    list[0].mode = TORUS_IDN; // and those alone
    return error == TORUS_OK ? torus_program_table(t, &table) : error;
}

static int resume(struct torus *t)
{
    return torus_program_resume(t, NULL);
}

static int undo(struct torus *t)
{
    return torus_program_abort(t, NULL);
}

static int programmed(struct torus *t)
{
    struct torus_preset preset;
    unsigned generation;
    return torus_programmed(t, &preset, &generation);
}

static int around(struct torus *t)
{
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    struct torus_destination *list = NULL;
    struct torus_table table;
    unsigned count, unreachable;
    torus_preset_table(&preset, 2, &table);
    table.delta = 1;
    int error = torus_around(t, &table, &list, &count, &unreachable);
    free(list);
    return error;
}

static int safe(struct torus *t)
{
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    struct torus_table table;
    torus_preset_table(&preset, 2, &table);
    table.delta = 1;
    return torus_table_safe(t, &table);
}

static int links_changed(struct torus *t)
{
    bool changed;
    return torus_links_changed(t, &changed);
}

static int links_follow(struct torus *t)
{
    bool known;
    int error = torus_links_changed(t, &known); // a report may come meanwhile
    return error == TORUS_OK ? torus_links_follow(t, &known) : error;
}

static int destinations_on(struct torus *t)
{
    unsigned boards;
    return torus_destinations_on(t, &boards);
}

static int lease(struct torus *t)
{
    return torus_lease(t, 1);
}

static int release(struct torus *t)
{
    int error = torus_lease(t, 1);
    return error == TORUS_OK ? torus_release(t) : error;
}

static int owner(struct torus *t)
{
    struct torus_owner who;
    return torus_owner(t, &who);
}

static int set_key(struct torus *t)
{
    return torus_set_key(t, 0x123456789abcdef);
}

static int run(struct torus *t)
{
    struct torus_run wanted = torus_run_default();
    struct torus_result result;
    wanted.message_packets = 2;
    return torus_run(t, &wanted, &result);
}

static int histogram(struct torus *t)
{
    struct torus_run wanted = torus_run_default();
    struct torus_result result;
    uint32_t count[TORUS_BINS];
    if (torus_run(t, &wanted, &result) != TORUS_OK)
        result = (struct torus_result){.measured = 1000, .max = 4000};
    return torus_histogram(t, &result, count);
}

static int flows(struct torus *t)
{
    struct torus_flow_options o = torus_flow_options_default();
    struct torus_flow flow[4] = {{.from = {0, 0}, .to = {1, 1}},
                                 {.from = {1, 1}, .to = {0, 0}},
                                 {.from = {0, 1}, .to = {1, 0}},
                                 {.from = {1, 0}, .to = {0, 1}}};
    return torus_flows(t, &o, flow, 4);
}

// Where one is asked for, the boards of a 16x16x16 are not too many for what it is written to.
static int one_time(struct torus *t)
{
    uint8_t k[3];
    double error;
    struct torus_time *board =
        torus_sizes(t, k) ? calloc((size_t)k[0] * k[1] * k[2], sizeof *board) : NULL;
    int said = torus_one_time(t, board, &error);
    free(board);
    return said;
}

static int counters(struct torus *t)
{
    uint64_t sum = 0;
    return torus_counters(t, each, &sum);
}

static int snapshot(struct torus *t)
{
    uint8_t k[3];
    uint64_t sum = 0;
    double error;
    double *late = torus_sizes(t, k) ? calloc((size_t)k[0] * k[1] * k[2], sizeof *late) : NULL;
    int said = torus_snapshot(t, late, &error, each, &sum);
    free(late);
    return said;
}

const struct fuzz_call fuzz_calls[] = {
    {"torus_discover", torus_discover},
    {"torus_attach", torus_attach},
    {"torus_assign", torus_assign},
    {"torus_ping_path", ping_path},
    {"torus_ping", ping},
    {"torus_find", find},
    {"torus_read", read_one},
    {"torus_write", write_one},
    {"torus_program", program},
    {"torus_program_table", program_table},
    {"torus_program_resume", resume},
    {"torus_program_abort", undo},
    {"torus_programmed", programmed},
    {"torus_around", around},
    {"torus_table_safe", safe},
    {"torus_links_changed", links_changed},
    {"torus_links_follow", links_follow},
    {"torus_destinations_on", destinations_on},
    {"torus_lease", lease},
    {"torus_release", release},
    {"torus_owner", owner},
    {"torus_set_key", set_key},
    {"torus_stop", torus_stop},
    {"torus_run", run},
    {"torus_histogram", histogram},
    {"torus_flows", flows},
    {"torus_one_time", one_time},
    {"torus_counters", counters},
    {"torus_snapshot", snapshot},
    {"torus_close", lease}, // at the end, always: gives it back
    {"torus_links", links},
    {"torus_places", places},
    {"torus_channel_open", channel_open},
    {"torus_channel_join", channel_join},
    {"torus_channel_release", channel_release},
    {"torus_channel_send", channel_send},
    {"torus_channel_recv", channel_recv},
    {"torus_channel_close", channel_close},
    {"torus_channel_abort", channel_abort},
    {"torus_channel_state", channel_state},
    {"torus_bert", bert},
    {"torus_messages", messages},
    {"torus_message_send", message_send},
    {"torus_message_recv", message_recv},
    {"torus_group_open", group},
    {"torus_group_close", group},
    {"torus_barrier", barrier},
    {"torus_broadcast", broadcast},
    {"torus_reduce", reduce},
    {"torus_all_reduce", all_reduce},
    {"torus_scatter", scatter},
    {"torus_gather", gather},
    {"torus_datagram_attach", datagram_attach},
    {"torus_datagram_send", datagram_send},
    {"torus_datagram_recv", datagram_recv},
    {"torus_tree_open", tree},
    {"torus_tree_close", tree},
    {"torus_tree_barrier", tree_barrier},
    {"torus_tree_broadcast", tree_broadcast},
    {"torus_tree_scatter", tree_scatter},
    {"torus_tree_gather", tree_gather},
    {"torus_tree_reduce", tree_reduce},
    {"torus_tree_all_reduce", tree_all_reduce},
    {"torus_tree_clear", tree_clear},
    {"torus_user_load", user_load},
    {"torus_user_start", user_start},
    {"torus_user_stop", user_stop},
    {"torus_user_join", user_join},
    {"torus_user_state", user_state},
    {"torus_user_console", user_console},
    {"torus_user_memory", user_memory},
};
const unsigned fuzz_call_count = sizeof fuzz_calls / sizeof *fuzz_calls;

struct torus_options fuzz_options(void)
{
    struct torus_options options = torus_options_default();
    options.timeout = 0.05;
    options.retry = 0.02;
    options.window = 1;
    options.session = 7;
    options.token = 7;
    return options;
}

int fuzz_begin(struct torus *t, unsigned how)
{
    return how & FUZZ_DISCOVER ? torus_discover(t) : torus_attach(t);
}
