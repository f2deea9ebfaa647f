// SPDX-License-Identifier: Apache-2.0
// See at_pins.h. What boardsim is told is translated here; sim/bitstream/boards.sh finds the
// bitstreams, has bitsim built where that is not done yet, and becomes it.
#include "at_pins.h"

#include "basics.h"
#include "cables.h"
#include "uarts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SCRIPT "sim/bitstream/boards.sh"

enum { WORDS = 32 + MAX_PLUGS * 2, WORD = 64 };

struct command {
    char *word[WORDS + 1]; // the last is NULL
    unsigned words;
};

__attribute__((format(printf, 2, 3))) static void add(struct command *c, const char *format, ...)
{
    char *word = allocate(1, WORD);
    va_list args;
    va_start(args, format);
    vsnprintf(word, WORD, format, args);
    va_end(args);
    c->word[c->words++] = word;
}

// Does one of --cable's words from `from` to `until` pull out what is at that end?
static bool is_pulled(const struct sim *s, size_t from, size_t until, struct cable_end end)
{
    struct cable_end a, b;
    for (size_t i = from; i < until; i++)
        if (read_cable(s, s->o.plug[i], &a, &b) && b.board < 0 && a.board == end.board &&
            a.port == end.port)
            return true;
    return false;
}

static void add_cables(struct command *c, const struct sim *s)
{
    for (size_t i = 0; i < s->o.plugs; i++) {
        struct cable_end a, b;
        bool read = read_cable(s, s->o.plug[i], &a, &b);
        bool loops = read && a.board == b.board && a.port == b.port;
        if (!read || (b.board >= 0 && !loops))
            die("--cable %s: beside a bitstream a cable can be pulled, as 0.x+, or lead back to "
                "its own port, as 0.x+:0.x+, and none be plugged in elsewhere; boards are 0 to %u",
                s->o.plug[i], s->boards - 1);
        struct cable_end far = facing_end(s, a);
        if (loops ? is_pulled(s, i, s->o.plugs, a)
                  : far.board < 0 || is_pulled(s, 0, i, a) || is_pulled(s, 0, i, far))
            continue;
        add(c, loops ? "--loop" : "--pull");
        add(c, "%d:%d", a.board, a.port);
    }
}

static void add_options(struct command *c, const struct sim *s)
{
    const struct options *o = &s->o;
    const uint8_t *k = o->torus.k;
    add(c, "--dims");
    if (o->torus.n == 2)
        add(c, "%ux%u", k[0], k[1]);
    else
        add(c, "%ux%ux%u", k[0], k[1], k[2]);
    add(c, "--seed");
    add(c, "%" PRIu64, o->seed);
    if (o->cycles) {
        add(c, "--cycles");
        add(c, "%" PRIu64, o->cycles);
    }
    if (o->bit_errors > 0) {
        double every = round(1 / o->bit_errors);
        if (!(every >= 2 && every <= INT32_MAX && fabs(every * o->bit_errors - 1) < 0.01))
            die("--bit-errors %g: beside a bitstream one bit of a whole number, 2 to %d, is wrong: "
                "0.5, 0.25, 1e-6",
                o->bit_errors, INT32_MAX);
        add(c, "--errors");
        add(c, "%.0f", every);
    }
    if (o->given['n'])
        add(c, "--alone");
    add_cables(c, s);
}

void at_pins(struct sim *s)
{
    const struct options *o = &s->o;
    struct command c = {.words = 0};
    char path[108];
    if (!strchr(o->kinds, 'b')) {
        if (o->bitstream || o->beside)
            die("--%s: goes with a b in --boards", o->bitstream ? "bitstream" : "beside");
        return;
    }
    if (strlen(o->kinds) != s->boards || strspn(o->kinds, "brg") != s->boards)
        die("--boards %s: beside a bitstream write %u letters, b (bitstream), r (RTL) or g "
            "(golden)",
            o->kinds, s->boards);
    if (s->boards > AT_PINS_BOARDS)
        die("--dims: %u boards; with a bitstream among them up to %d", s->boards, AT_PINS_BOARDS);
    // Of a link with its physical layer, which is what there is at pins.
    const char *other = options_other(o, o->phy ? "bdsCSecniok" : "bdsCSecnio");
    if (other)
        die("--%s: has no meaning beside a bitstream (b in --boards), which is run at its pins; "
            "leave it out",
            other);
    if (access(SCRIPT, R_OK) != 0)
        die("--boards %s: bitstreams are run from the top folder of the sources; there is "
            "no " SCRIPT " here",
            o->kinds);
    socket_path(s, s->boards - 1, path);
    if (access(o->directory, W_OK | X_OK) != 0)
        die("--sockets %s: %s", o->directory, strerror(errno));
    add(&c, "sh");
    add(&c, SCRIPT);
    c.word[c.words++] = o->kinds;
    add(&c, "%u", o->torus.n);
    c.word[c.words++] = (char *)o->directory;
    c.word[c.words++] = o->bitstream ? o->bitstream : "ice40hx8k-b-evn";
    c.word[c.words++] = o->beside ? o->beside : "";
    add_options(&c, s);
    signal(SIGPIPE, SIG_DFL);
    execvp("sh", c.word);
    die("cannot start sh " SCRIPT ": %s", strerror(errno));
}
