// SPDX-License-Identifier: Apache-2.0
// torusctl serve: one process has the board, and any number of tools, unchanged, share it. Sockets
// and waiting; which frame goes when, and whose an answer is, is relay.c's.
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ctl.h"
#include "relay.h"
#include "tenant.h"

enum {
    MAX_BOARD_FDS = 16,
    BACKLOG = 16,
    READS = 16, // of the board before others have their turn
    TIDY = 10,  // seconds that its command has to end by itself
};

static struct {
    bool tcp;
    uint16_t port;
} set;

static const struct argp_option options[] = {
    {"tcp", 'P', "PORT", 0,
     "a port on 127.0.0.1 too, for every user of this machine: -t tcp:PORT (0: any that is free)",
     1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    if (key != 'P')
        return false;
    set.tcp = true;
    set.port = (uint16_t)whole(state, arg, 0, 65535);
    return true;
}

struct guest {
    int fd; // -1: none
    uint8_t rest[256];
    size_t rest_at, rest_count; // bytes that wait for room in its queue
};

struct serve {
    struct torus *t;
    struct relay *relay;
    bool debug;
    int tcp; // listens, -1: none
    struct guest guest[RELAY_CLIENTS];
    uint8_t out[OFR_FRAME_BYTES]; // on its way to the board
    unsigned out_at;              // bytes of it that are there; all: no frame
    bool more;                    // may have come from the board
    double wake;
    pid_t tenant; // serve's command, 0: none
};

// Guests ------------------------------------------------------------------------------------------

static void let_in(struct serve *s, int fd)
{
    int client = fd < 0 ? -1 : relay_join(s->relay);
    if (client >= 0)
        s->guest[client] = (struct guest){.fd = fd};
    else if (fd >= 0)
        close(fd);
}

static void let_in_tcp(struct serve *s)
{
    int on = 1, fd = accept4(s->tcp, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    let_in(s, fd);
}

static void throw_out(struct serve *s, int client)
{
    close(s->guest[client].fd);
    s->guest[client].fd = -1;
    relay_leave(s->relay, client);
}

// One piece at a time, so that nobody's stream keeps others waiting.
static void from_guest(struct serve *s, int client)
{
    struct guest *g = &s->guest[client];
    if (g->rest_at == g->rest_count) {
        ssize_t n = recv(g->fd, g->rest, sizeof g->rest, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
            throw_out(s, client);
            return;
        }
        g->rest_at = 0;
        g->rest_count = n > 0 ? (size_t)n : 0;
    }
    g->rest_at +=
        relay_from_client(s->relay, client, g->rest + g->rest_at, g->rest_count - g->rest_at);
}

static void to_guest(struct serve *s, int client)
{
    const uint8_t *bytes;
    size_t count = relay_for_client(s->relay, client, &bytes);
    ssize_t n = count ? send(s->guest[client].fd, bytes, count, MSG_NOSIGNAL) : 0;
    if (n > 0)
        relay_got(s->relay, client, (size_t)n);
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
        throw_out(s, client);
}

// The board ---------------------------------------------------------------------------------------

// False: it is gone.
static bool from_board(struct serve *s)
{
    uint8_t bytes[1024];
    int n = 1;
    for (unsigned i = 0; i < READS && n > 0; i++) {
        n = torus_share_read(s->t, bytes, sizeof bytes);
        if (n > 0)
            relay_from_board(s->relay, bytes, (size_t)n, seconds_now());
    }
    s->more = n > 0;
    return n >= 0;
}

static bool to_board(struct serve *s)
{
    for (;;) {
        if (s->out_at == sizeof s->out) {
            if (!relay_to_board(s->relay, seconds_now(), s->out, &s->wake))
                return true;
            s->out_at = 0;
            if (s->debug)
                debug_frame(NULL, true, s->out);
        }
        int n = torus_share_write(s->t, s->out + s->out_at, sizeof s->out - s->out_at);
        if (n <= 0)
            return n == 0;
        s->out_at += (unsigned)n;
    }
}

// Waiting -----------------------------------------------------------------------------------------

static void wait_for_some(struct serve *s, const sigset_t *signals, double most)
{
    struct pollfd fds[MAX_BOARD_FDS + 1 + RELAY_CLIENTS];
    int who[RELAY_CLIENTS];
    bool writing = s->out_at < sizeof s->out;
    unsigned boards = torus_share_poll(s->t, fds, MAX_BOARD_FDS, writing), count = boards, first;
    fds[count++] = (struct pollfd){.fd = s->tcp, .events = POLLIN}; // -1: ignored
    first = count;
    double left = writing ? 1 : s->wake - seconds_now();
    for (int i = 0; i < RELAY_CLIENTS; i++) {
        const uint8_t *bytes;
        struct guest *g = &s->guest[i];
        if (g->fd < 0)
            continue;
        bool takes = relay_takes(s->relay, i);
        if (takes && g->rest_at < g->rest_count)
            left = 0;
        who[count - first] = i;
        fds[count++] = (struct pollfd){
            .fd = g->fd,
            .events = (short)((takes ? POLLIN : 0) |
                              (relay_for_client(s->relay, i, &bytes) ? POLLOUT : 0))};
    }
    left = left < 0 || s->more ? 0 : left > most ? most : left;
    struct timespec wait = {.tv_sec = (time_t)left,
                            .tv_nsec = (long)(1e9 * (left - (double)(time_t)left))};
    if (ppoll(fds, count, &wait, signals) < 0)
        return;
    if (boards && fds[0].revents)
        let_in(s, torus_share_accept(s->t));
    if (fds[boards].revents)
        let_in_tcp(s);
    for (unsigned i = first; i < count; i++) {
        int client = who[i - first];
        struct guest *g = &s->guest[client];
        bool rest = g->rest_at < g->rest_count && relay_takes(s->relay, client);
        if (fds[i].revents & (POLLHUP | POLLERR) && !relay_takes(s->relay, client))
            throw_out(s, client); // nothing of it is read any more
        else if (fds[i].revents & (POLLIN | POLLHUP | POLLERR) || rest)
            from_guest(s, client);
        if (g->fd >= 0)
            to_guest(s, client);
    }
}

static void nothing(int number)
{
    (void)number;
}

// Signals that end the waiting, and nothing else: those that ask for the end, and the command's
// own.
static void signals(sigset_t *block, sigset_t *before)
{
    sigaction(SIGCHLD, &(const struct sigaction){.sa_handler = nothing}, NULL);
    sigemptyset(block);
    sigaddset(block, SIGINT);
    sigaddset(block, SIGTERM);
    sigaddset(block, SIGHUP);
    sigaddset(block, SIGCHLD);
    sigprocmask(SIG_BLOCK, block, before);
}

// Until it is told to end, or its command has ended: that one may tidy up first.
static int serve(struct serve *s, const struct args *a)
{
    int status = 0;
    double end = 0;
    if (a->rest_count && (s->tenant = tenant_start(a)) < 0)
        return 2;
    sigset_t block, before;
    signals(&block, &before);
    for (;;) {
        if (s->tenant && tenant_ended(s->tenant, interrupted(NULL), &status)) {
            s->tenant = 0;
            break;
        }
        if (interrupted(NULL) && s->tenant && !end) {
            end = seconds_now() + TIDY;
            kill(s->tenant, SIGTERM);
        }
        if (interrupted(NULL) && (!s->tenant || seconds_now() > end))
            break;
        if (!from_board(s) || !to_board(s)) {
            status = wrong("board", torus_share_path(s->t),
                           "the connection to it broke; what was under way has no answer");
            break;
        }
        wait_for_some(s, &before, end ? 0.1 : 3600);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return interrupted(NULL) ? 0 : status;
}

// Start and end -----------------------------------------------------------------------------------

static int listen_tcp(uint16_t *port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, BACKLOG) ||
        getsockname(fd, (struct sockaddr *)&at, &size)) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    *port = ntohs(at.sin_port);
    return fd;
}

// Is it a board, and does it speak our version? Says on `out` where it is.
static int ask_board(struct torus *t, FILE *out)
{
    struct torus_identity who;
    int error = torus_ping_path(t, NULL, 0, &who);
    if (error != TORUS_OK)
        return report(t, error);
    fprintf(out, "torusctl: board %016llx is shared at unix:%s", (unsigned long long)who.serial,
            torus_share_path(t));
    if (set.tcp)
        fprintf(out, " and tcp:%u", set.port);
    fputc('\n', out);
    fflush(out);
    return output_failed() ? 2 : 0;
}

static int do_serve(struct torus *t, const struct args *a)
{
    struct serve *s = calloc(1, sizeof *s);
    struct relay *relay = relay_new(a->options.window ? a->options.window : 7);
    int status = 2;
    if (!s || !relay) {
        status = wrong("command", "serve", "out of memory");
    } else {
        *s = (struct serve){.t = t, .relay = relay, .debug = a->debug, .tcp = -1, .wake = 0};
        s->out_at = sizeof s->out;
        for (unsigned i = 0; i < RELAY_CLIENTS; i++)
            s->guest[i].fd = -1;
        if (set.tcp && (s->tcp = listen_tcp(&set.port)) < 0) {
            char port[8];
            snprintf(port, sizeof port, "%u", set.port);
            status = wrong("--tcp", port, strerror(errno));
        } else {
            status = ask_board(t, a->rest_count ? stderr : stdout); // its command's is stdout
        }
        if (status == 0)
            status = serve(s, a);
        if (s->tenant > 0)
            tenant_kill(s->tenant);
        // Clients' connections end with the process, after the board's: who asks again at once
        // gets it.
        if (s->tcp >= 0)
            close(s->tcp);
    }
    relay_free(relay);
    free(s);
    return status;
}

const struct command command_serve = {
    .name = "serve",
    .summary = "have the board, and share it with any number of tools",
    .about =
        "Has the board until it is ended by Ctrl-C or SIGTERM, and passes on what other tools ask "
        "it. They are told nothing of it: whoever of the same user names the same board with -t "
        "gets to it through this process. So any number of tools can share a serial line, a board "
        "on USB or a simulator's socket, each of which lets one in at a time. The socket is in a "
        "folder that only the user can enter, $XDG_RUNTIME_DIR/outflank or /tmp/outflank-UID; it "
        "is gone when this ends.\n\n"
        "Each tool keeps its own session: answers go to who asked, writing needs the boards' lease "
        "as ever, and one tool has it at a time. Requests take turns; a tool that is slow, dead or "
        "sends nonsense holds up no other. With --tcp other users of this machine can come too, "
        "and through a tunnel other machines': whoever can open the port can write to the boards "
        "unless they have a key.\n\n"
        "Where the board goes away this ends with status 2, and so do the tools' requests.\n\n"
        "With a COMMAND that is run at the board too, as a tool like any other, with all that "
        "follows it; this ends when that does, with its status, and ends it when it is told to "
        "end itself. So `serve program --around --watch 5' shares a board of a torus that leads "
        "around cables by itself.",
    .arguments = "[COMMAND [ARGUMENT...]]",
    .most = MAX_REST,
    .examples = "serve\nserve --tcp 5000\nserve program --routing ofr --around --watch 5\n",
    .groups = CONNECTION | AT_ONCE,
    .options = options,
    .option = option,
    .shares = true,
    .run = do_serve,
};
