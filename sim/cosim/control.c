// SPDX-License-Identifier: Apache-2.0
// What is done to boards and cables while they run.
#include "control.h"

#include "basics.h"
#include "cables.h"
#include "falls.h"
#include "reliable.h"
#include "uarts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER = 200 };

struct order {
    enum { RESET, CUT, JOIN } what;
    uint32_t board;        // RESET
    struct cable_end a, b; // CUT: a
};

// "reset 5" and so on. False: it is wrong, why[] says how.
static bool read_order(const struct sim *s, const char *text, struct order *o, char why[ANSWER])
{
    const char *ports = s->o.torus.n == 3 ? "x+ x- y+ y- z+ z-" : "x+ x- y+ y-";
    const char *rest = strchr(text, ' ');
    size_t length = rest ? (size_t)(rest++ - text) : 0;
    char extra;

    *o = (struct order){.what = RESET};
    if (length == 5 && !strncmp(text, "reset", length)) {
        if (rest[0] >= '0' && rest[0] <= '9' && strlen(rest) <= 4 &&
            sscanf(rest, "%" SCNu32 "%c", &o->board, &extra) == 1 && o->board < s->boards)
            return true;
        snprintf(why, ANSWER, "%s: boards are 0 to %" PRIu32, text, s->boards - 1);
        return false;
    }
    if ((length == 3 && !strncmp(text, "cut", length)) ||
        (length == 4 && !strncmp(text, "join", length))) {
        o->what = length == 3 ? CUT : JOIN;
        if (read_cable(s, rest, &o->a, &o->b) && (o->what == JOIN || o->b.board < 0))
            return true;
        snprintf(why, ANSWER, "%s: write %s; boards are 0 to %" PRIu32 ", ports %s", text,
                 o->what == CUT ? "cut 5.x+" : "join 5.x+, or join 5.x+:7.y-", s->boards - 1,
                 ports);
        return false;
    }
    snprintf(why, ANSWER, "%s: reset N, cut A.x+, join A.x+ or join A.x+:B.y-", text);
    return false;
}

// Does it. False: it cannot be done, why[] says so.
static bool carry_out(struct sim *s, const char *text, struct order *o, char why[ANSWER])
{
    if (o->what == RESET) {
        falls_reset(s, o->board);
        reset_links(s, o->board);
        board_reset(s->board[o->board]);
        s->owed = s->uart[o->board].gone = 0; // an answer of that board's does not come
        return true;
    }
    struct cable_end far = s->peer[o->a.board][o->a.port];
    if (o->what == CUT && far.board < 0) {
        snprintf(why, ANSWER, "%s: no cable is plugged in there", text);
        return false;
    }
    if (o->what == CUT) {
        unplug(s, o->a);
        return true;
    }
    if (o->b.board < 0)
        o->b = torus_cable(s, o->a);
    if (o->b.board < 0) {
        snprintf(why, ANSWER, "%s: the torus has no cable there; write join 5.x+:7.y-", text);
        return false;
    }
    if (far.board == o->b.board && far.port == o->b.port) {
        snprintf(why, ANSWER, "%s: that cable is plugged in", text);
        return false;
    }
    plug(s, o->a, o->b);
    return true;
}

static void carry_out_at(struct sim *s, struct timed_order *t)
{
    char why[ANSWER];
    struct order o;
    if (!read_order(s, t->order, &o, why) || !carry_out(s, t->order, &o, why))
        die("--at %" PRIu64 ":%s", t->cycle, why);
    printf("boardsim: %s, at cycle %" PRIu64 "\n", t->order, s->cycle);
    t->done = true;
}

static void answer(struct sim *s, const char *word, const char *text)
{
    char line[ANSWER + 8];
    int length = snprintf(line, sizeof line, "%s %s\n", word, text);
    if (write(s->control.client, line, (size_t)length) < 0) {
        // it has gone
    }
    close(s->control.client);
    s->control.client = -1;
}

// A line has come.
static void obey(struct sim *s)
{
    struct control *c = &s->control;
    struct order o;
    char why[ANSWER];
    if (!read_order(s, c->line, &o, why) || !carry_out(s, c->line, &o, why)) {
        answer(s, "no", why);
        return;
    }
    printf("boardsim: %s, at cycle %" PRIu64 "\n", c->line, s->cycle);
    fflush(stdout);
    c->waits = true;
}

static void hear(struct sim *s)
{
    struct control *c = &s->control;
    ssize_t got = read(c->client, c->line + c->got, sizeof c->line - 1 - c->got);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        close(c->client);
        c->client = -1;
        return;
    }
    c->got += (unsigned)got;
    c->line[c->got] = 0;
    char *end = strchr(c->line, '\n');
    if (end) {
        *end = 0;
        obey(s);
    } else if (c->got == sizeof c->line - 1) {
        answer(s, "no", "a command has one line of at most 62 characters");
    }
}

void serve_control(struct sim *s)
{
    struct control *c = &s->control;
    for (size_t i = 0; i < s->o.orders; i++)
        if (!s->o.order_at[i].done && s->cycle >= s->o.order_at[i].cycle)
            carry_out_at(s, &s->o.order_at[i]);
    if (c->client < 0) {
        c->client = accept4(c->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        c->got = 0;
        c->waits = false;
    }
    if (c->client >= 0 && !c->waits)
        hear(s);
    if (c->client >= 0 && c->waits && !falls_settling(s) && !links_settling(s)) {
        char text[ANSWER];
        snprintf(text, sizeof text, "%s: links have settled at cycle %" PRIu64, c->line, s->cycle);
        answer(s, "ok", text);
    }
}

// --- The socket
// ----------------------------------------------------------------------------------------

static struct sockaddr_un control_address(const char *directory)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t room = sizeof address.sun_path;
    if ((size_t)snprintf(address.sun_path, room, "%s/control.sock", directory) >= room)
        die("--sockets %s: the path is too long for a Unix socket", directory);
    return address;
}

void open_control(struct sim *s)
{
    struct sockaddr_un address = control_address(s->o.directory);
    char why[ANSWER];
    for (size_t i = 0; i < s->o.orders; i++) { // what cannot be read is said at once
        struct order o;
        if (!read_order(s, s->o.order_at[i].order, &o, why))
            die("--at %" PRIu64 ":%s", s->o.order_at[i].cycle, why);
    }
    s->control = (struct control){.listener = listen_at(address.sun_path), .client = -1};
}

void close_control(struct sim *s)
{
    struct sockaddr_un address = control_address(s->o.directory);
    if (s->control.client >= 0)
        close(s->control.client);
    close(s->control.listener);
    unlink(address.sun_path);
}

int ask_control(const struct options *o)
{
    struct sockaddr_un address = control_address(o->directory);
    char line[ANSWER + 8];
    size_t got = 0;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address))
        die("%s: %s; is a boardsim --sockets %s running?", address.sun_path, strerror(errno),
            o->directory);
    dprintf(fd, "%s\n", o->order);
    for (ssize_t n = 1; n > 0 && got<sizeof line - 1; got += n> 0 ? (size_t)n : 0)
        n = read(fd, line + got, sizeof line - 1 - got);
    close(fd);
    line[got] = 0;
    line[strcspn(line, "\n")] = 0;
    if (!strncmp(line, "no ", 3))
        die("%s", line + 3);
    if (strncmp(line, "ok ", 3))
        die("%s: the simulator has ended, or has had another command to do first", o->order);
    printf("boardsim: %s\n", line + 3);
    return 0;
}
