// SPDX-License-Identifier: Apache-2.0
// torusctl console: what users' programs have printed, and how they are.
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

enum { WAIT = 256, MOST_TEXT = 65536, ONCE = 1024 };

static struct {
    const char *at;
    double wait; // seconds, 0: does not
} set;

static const struct argp_option options[] = {
    {"at", 'a', "PLACE", 0, "of the board there; or all: of all that have a user's core (all)", 1},
    {"wait", WAIT, "SECONDS", 0, "first until none runs any more, so long at most", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    if (key == 'a')
        set.at = arg;
    else if (key == WAIT)
        set.wait = number(state, arg, 0, 1e6);
    return key == 'a' || key == WAIT;
}

static int prepare(struct args *a)
{
    (void)a;
    return users_good(set.at) ? GO_ON : 2;
}

// What a board's program has printed up to now.
struct heard {
    struct torus_user user;
    char *text;
    size_t bytes;
};

static int hear(struct torus *t, const uint8_t at[3], struct heard *h)
{
    size_t got;
    int error = torus_user_state(t, at, &h->user);
    do {
        char *more = realloc(h->text, h->bytes + ONCE);
        if (!more)
            return TORUS_E_MEMORY;
        h->text = more;
        got = 0;
        if (error == TORUS_OK && h->bytes < MOST_TEXT)
            error = torus_user_console(t, at, h->text + h->bytes, ONCE, &got);
        h->bytes += got;
    } while (error == TORUS_OK && got);
    return error;
}

static int hear_all(struct torus *t, uint8_t (*at)[3], unsigned boards, struct heard *h)
{
    double until = seconds_now() + set.wait;
    int error = TORUS_OK;
    for (;;) {
        bool running = false, late = seconds_now() >= until;
        for (unsigned i = 0; i < boards && error == TORUS_OK; i++) {
            error = hear(t, at[i], &h[i]);
            running |= h[i].user.running;
        }
        if (error != TORUS_OK || late || !running)
            return error;
        error = rest(t, 0.1);
    }
}

// Whatever a program prints: what a terminal would take for more than text, and bytes that are no
// ASCII, become a point.
static json_t *text_of(const struct heard *h)
{
    for (size_t i = 0; i < h->bytes; i++)
        if ((h->text[i] < ' ' && h->text[i] != '\n' && h->text[i] != '\t') || h->text[i] > '~')
            h->text[i] = '.';
    return json_stringn(h->text, h->bytes);
}

static const struct column columns[] = {
    {"at", "at", -8, 0},       {"state", "state", -1, 0}, {"code", "code", 0, 0},
    {"cause", "cause", -1, 0}, {"pc", "pc", 0, 0},        {"address", "address", 0, 0},
    {"lost", "lost", 0, 0},    {"text", NULL, 0, 0},      {0},
};

static void show(struct table *rows, const struct heard *h, const uint8_t at[3], unsigned dims)
{
    char pc[12], address[12];
    snprintf(pc, sizeof pc, "0x%x", h->user.pc);
    snprintf(address, sizeof address, "0x%x", h->user.address);
    table_row(rows, json_pack("{s:o,s:s,s:o,s:s?,s:s,s:s,s:i,s:o}", "at", json_at(at, dims),
                              "state", h->user.state, "code",
                              h->user.ended ? json_integer(h->user.code) : json_null(), "cause",
                              h->user.cause, "pc", pc, "address", address, "lost",
                              (int)h->user.lost, "text", text_of(h)));
}

// Each line with the board's place before it.
static void note_text(struct table *rows, const struct heard *h, const uint8_t at[3], unsigned dims)
{
    char place[16];
    for (size_t i = 0; i < h->bytes;) {
        const char *line = h->text + i, *end = memchr(line, '\n', h->bytes - i);
        size_t n = end ? (size_t)(end - line) : h->bytes - i;
        table_note(rows, "%s: %.*s", at_text(at, dims, place), (int)n, line);
        i += n + 1;
    }
}

static int do_console(struct torus *t, const struct args *a)
{
    uint8_t k[3];
    unsigned boards, missing;
    int status;
    uint8_t(*at)[3] = users_find(t, set.at, &boards, &missing, &status);
    if (!at)
        return status;
    unsigned dims = torus_sizes(t, k);
    struct heard *h = calloc(boards, sizeof *h);
    int error = h ? hear_all(t, at, boards, h) : TORUS_E_MEMORY;
    struct table *rows = error == TORUS_OK ? table_begin(a, "boards", columns) : NULL;
    for (unsigned i = 0; i < boards && rows && a->format == TEXT; i++) {
        json_decref(text_of(&h[i]));
        note_text(rows, &h[i], at[i], dims);
    }
    for (unsigned i = 0; i < boards && rows; i++)
        show(rows, &h[i], at[i], dims);
    if (rows)
        table_end(rows, NULL);
    else
        status = report(t, error);
    for (unsigned i = 0; i < boards && h; i++)
        free(h[i].text);
    free(h);
    free(at);
    return status ? status : missing > 0;
}

const struct command command_console = {
    .name = "console",
    .summary = "what the user's programs have printed, and how they are",
    .about =
        "Takes what users' programs have printed since somebody last did, with the board's place "
        "before each line, and says how they are: running, ended with a code, held, or stopped by "
        "what they did wrong, at which instruction (pc). Bytes for which the console had no room, "
        "as nobody took them in time, are lost and counted. Exit status 0, whatever they did.",
    .examples = "console\nconsole --wait 10 --format json\n",
    .groups = CONNECTION | REQUESTS | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .prepare = prepare,
    .run = do_console,
};
