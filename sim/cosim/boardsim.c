// SPDX-License-Identifier: Apache-2.0
// boardsim: a torus of boards in one process, joined by cables, each board's UART a Unix socket.
#include "board.h"
#include "usbip.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    BATCH = 64,         // cycles between two looks at the sockets
    FIRMWARE_EVERY = 8, // cycles between two polls of a golden board's firmware
    MAX_LATENCY = 32,
    IDLE_MS = 20, // longest sleep while nothing is in flight
    MAX_THREADS = 16,
    MAX_PLUGS = 256,
    SPINS = 4000, // looks at the barrier before giving the core away
};

struct cable_end {
    int board, port; // -1: nothing plugged in
};

// What an output port showed in the last cycles: its cable. A board can be up to `latency` cycles
// ahead of the one that looks at it.
enum { LINE = 2 * MAX_LATENCY };
struct line {
    struct ofr_flit flit[LINE];
    uint8_t credit[LINE][OFR_VCS]; // of the port's input, on their way to the far output
};

struct uart_socket {
    int listener, client; // -1: none
    bool pty;
};

struct options {
    struct ofr_torus torus;
    char *kinds; // a letter a board
    char kind;   // of all boards, where kinds is NULL
    bool shadow, pty;
    const char *directory;
    unsigned latency, threads;
    uint64_t cycles; // 0: until a signal
    uint64_t seed;
    uint64_t break_at;     // 0: never
    char *plug[MAX_PLUGS]; // --cable, in order
    size_t plugs;
    bool usbip; // serve
    unsigned port;
    enum ftdi_kind chip;
};

struct sim {
    struct options o;
    uint32_t boards;
    struct board **board;
    struct cable_end (*peer)[OFR_LINKS];
    struct line (*line)[OFR_LINKS];
    struct uart_socket *uart;
    struct ftdi_chip *chip; // with usbip
    struct usbip *usbip;    // NULL: none
    struct ofr_node_in *in;
    struct pollfd *fds;
    uint64_t cycle;
    uint64_t reported; // snapshots a board that have been told about
    bool differed;     // before the last power cycle
    // Threads: each steps its share of the boards and meets the others every `latency` cycles
    unsigned threads;
    pthread_t thread[MAX_THREADS];
    uint64_t last_flit[MAX_THREADS];
    sem_t go[MAX_THREADS];
    atomic_uint arrived, round;
    bool quit;
};

struct worker {
    struct sim *sim;
    unsigned number;
};

static volatile sig_atomic_t stop, asked, cycle_power;

static void on_signal(int number)
{
    if (number == SIGUSR1)
        asked = 1;
    else if (number == SIGUSR2)
        cycle_power = 1;
    else
        stop = 1;
}

__attribute__((format(printf, 1, 2))) static void die(const char *format, ...)
{
    va_list args;
    fprintf(stderr, "boardsim: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

static void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory)
        die("out of memory for %zu boards", n);
    return memory;
}

// --- Cables
// ------------------------------------------------------------------------------------------

static void unplug(struct sim *s, struct cable_end end)
{
    struct cable_end *far = &s->peer[end.board][end.port];
    if (far->board >= 0)
        s->peer[far->board][far->port] = (struct cable_end){-1, -1};
    *far = (struct cable_end){-1, -1};
}

static void plug(struct sim *s, struct cable_end a, struct cable_end b)
{
    unplug(s, a);
    unplug(s, b);
    s->peer[a.board][a.port] = b;
    s->peer[b.board][b.port] = a;
}

static void cable_torus(struct sim *s)
{
    const struct ofr_torus *t = &s->o.torus;
    for (uint32_t n = 0; n < s->boards; n++)
        for (int p = 0; p < OFR_LINKS; p++)
            s->peer[n][p] = (struct cable_end){-1, -1};
    for (uint32_t n = 0; n < s->boards; n++) {
        struct ofr_coord at = ofr_node_coord(t, n);
        uint32_t ports = ofr_existing_ports(t, &at);
        for (unsigned p = 0; p < 2U * t->n; p++) {
            struct ofr_coord to = ofr_neighbour(t, at, p);
            if (ports >> p & 1)
                plug(s, (struct cable_end){(int)n, (int)p},
                     (struct cable_end){(int)ofr_node_id(t, &to), (int)(p ^ 1)});
        }
    }
}

// "5.x+": port x+ of board 5.
static const char *parse_end(const struct sim *s, const char *text, struct cable_end *end)
{
    char *at;
    errno = 0;
    unsigned long board = strtoul(text, &at, 10);
    if (errno || at == text || *at != '.' || board >= s->boards)
        return NULL;
    const char *dim = strchr("xyz", at[1]);
    if (!at[1] || !dim || dim - "xyz" >= s->o.torus.n || (at[2] != '+' && at[2] != '-'))
        return NULL;
    end->board = (int)board;
    end->port = (int)ofr_port((unsigned)(strchr("xyz", at[1]) - "xyz"), at[2] == '-');
    return at + 3;
}

static void change_cables(struct sim *s)
{
    for (size_t i = 0; i < s->o.plugs; i++) {
        struct cable_end a, b;
        const char *rest = parse_end(s, s->o.plug[i], &a);
        if (rest && *rest == '\0') {
            unplug(s, a);
        } else if (rest && *rest == ':' && (rest = parse_end(s, rest + 1, &b)) && !*rest) {
            plug(s, a, b);
        } else {
            die("--cable %s: write 5.x+ to pull a cable, 5.x+:7.y- to plug one; boards are 0 to "
                "%u, ports x+ x- y+ y-%s",
                s->o.plug[i], s->boards - 1, s->o.torus.n == 3 ? " z+ z-" : "");
        }
    }
}

// One cycle of board n: what its cables bring, its step, what it shows to its cables.
static void step_board(struct sim *s, uint32_t n, uint64_t cycle, uint64_t *last_flit)
{
    unsigned now = (unsigned)(cycle % LINE);
    unsigned then = (unsigned)((cycle + LINE - s->o.latency) % LINE);
    struct ofr_node_in *in = &s->in[n];

    for (unsigned p = 0; p < 2U * s->o.torus.n; p++) {
        struct cable_end far = s->peer[n][p];
        in->link_up[p] = far.board >= 0;
        in->tx_ready[p] = true;
        in->rx[p].valid = false;
        if (far.board < 0)
            continue;
        in->rx[p] = s->line[far.board][far.port].flit[then];
        memcpy(in->tx_credit[p], s->line[far.board][far.port].credit[then], OFR_VCS);
    }
    const struct ofr_router_out *out = board_out(s->board[n]);
    for (unsigned p = 0; p < 2U * s->o.torus.n; p++) {
        s->line[n][p].flit[now] = out->tx[p];
        memcpy(s->line[n][p].credit[now], out->rx_credit[p], OFR_VCS);
        if (out->tx[p].valid)
            *last_flit = cycle;
    }
    board_step(s->board[n], in);
    if (cycle % FIRMWARE_EVERY == 0)
        board_poll_firmware(s->board[n]);
}

// All threads meet here. Some cycles take microseconds, so they look before they sleep.
static void meet(struct sim *s)
{
    unsigned round = atomic_load(&s->round);
    if (atomic_fetch_add(&s->arrived, 1) + 1 == s->threads) {
        atomic_store(&s->arrived, 0);
        atomic_store(&s->round, round + 1);
        return;
    }
    for (unsigned spins = 0; atomic_load(&s->round) == round; spins++)
        if (spins >= SPINS)
            sched_yield();
}

// A thread's share of BATCH cycles. What a board sees is `latency` cycles old, so each goes on for
// that many before the next one, and the threads, need to follow.
static void run_batch(struct sim *s, unsigned thread)
{
    uint32_t from = s->boards * thread / s->threads;
    uint32_t to = s->boards * (thread + 1) / s->threads;
    uint64_t end = s->cycle + BATCH;
    for (uint64_t cycle = s->cycle, until; cycle < end; cycle = until) {
        until = end - cycle < s->o.latency ? end : cycle + s->o.latency;
        for (uint32_t n = from; n < to; n++)
            for (uint64_t at = cycle; at < until; at++)
                step_board(s, n, at, &s->last_flit[thread]);
        if (s->threads > 1)
            meet(s);
    }
    if (s->threads > 1)
        meet(s); // nobody looks at s->cycle any more
}

static void *work(void *arg)
{
    struct worker *w = arg;
    for (;;) {
        while (sem_wait(&w->sim->go[w->number])) {
            // a signal came
        }
        if (w->sim->quit)
            return NULL;
        run_batch(w->sim, w->number);
    }
}

static void step_batch(struct sim *s)
{
    for (unsigned t = 1; t < s->threads; t++)
        sem_post(&s->go[t]);
    run_batch(s, 0);
    s->cycle += BATCH;
}

static void start_threads(struct sim *s, struct worker worker[MAX_THREADS])
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    s->threads = s->o.threads ? s->o.threads : cores > 0 ? (unsigned)cores : 1;
    if (s->threads > s->boards)
        s->threads = s->boards;
    if (s->threads > MAX_THREADS)
        s->threads = MAX_THREADS;
    for (unsigned t = 1; t < s->threads; t++) {
        worker[t] = (struct worker){s, t};
        sem_init(&s->go[t], 0, 0);
        if (pthread_create(&s->thread[t], NULL, work, &worker[t]))
            die("cannot start %u threads", s->threads);
    }
}

static void end_threads(struct sim *s)
{
    s->quit = true;
    for (unsigned t = 1; t < s->threads; t++) {
        sem_post(&s->go[t]);
        pthread_join(s->thread[t], NULL);
    }
}

// Nothing in any golden board or on any cable: time may stand still.
static bool idle(const struct sim *s)
{
    for (unsigned t = 0; t < s->threads; t++)
        if (s->cycle < s->last_flit[t] + 2 * MAX_LATENCY)
            return false;
    for (uint32_t n = 0; n < s->boards; n++)
        if (!board_idle(s->board[n]))
            return false;
    return true;
}

// --- UARTs
// -------------------------------------------------------------------------------------------

static void socket_path(const struct sim *s, uint32_t n, char path[108])
{
    if (snprintf(path, 108, "%s/board%u.sock", s->o.directory, n) >= 108)
        die("--sockets %s: the path is too long for a Unix socket", s->o.directory);
}

static void open_pty(struct sim *s, uint32_t n)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (fd < 0 || grantpt(fd) || unlockpt(fd))
        die("no pseudo-terminal for board %u: %s", n, strerror(errno));
    fcntl(fd, F_SETFL, O_NONBLOCK);
    printf("board %u: %s\n", n, ptsname(fd));
    s->uart[n] = (struct uart_socket){.listener = -1, .client = fd, .pty = true};
}

static void open_socket(struct sim *s, uint32_t n)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socket_path(s, n, address.sun_path);
    unlink(address.sun_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 4))
        die("%s: %s", address.sun_path, strerror(errno));
    s->uart[n] = (struct uart_socket){.listener = fd, .client = -1};
}

static void close_uarts(struct sim *s)
{
    for (uint32_t n = 0; n < s->boards; n++) {
        char path[108];
        if (s->uart[n].client >= 0)
            close(s->uart[n].client);
        if (s->uart[n].listener < 0)
            continue;
        close(s->uart[n].listener);
        socket_path(s, n, path);
        unlink(path);
    }
}

static void drop_client(struct uart_socket *u)
{
    if (u->pty)
        return;
    close(u->client);
    u->client = -1;
}

// What comes from the host, as far as the board takes it; a second host waits in the listener.
static bool serve_uart(struct sim *s, uint32_t n)
{
    struct uart_socket *u = &s->uart[n];
    uint8_t bytes[256], byte;
    bool any = false;
    if (u->client < 0 && u->listener >= 0)
        u->client = accept4(u->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (u->client >= 0 && board_uart_backlog(s->board[n]) < sizeof bytes) {
        ssize_t got = read(u->client, bytes, sizeof bytes);
        for (ssize_t i = 0; i < got; i++)
            board_uart_send(s->board[n], bytes[i]);
        any = got > 0;
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR && errno != EIO))
            drop_client(u);
    }
    size_t count = 0;
    while (count < sizeof bytes && board_uart_receive(s->board[n], &byte))
        bytes[count++] = byte;
    // A host that does not read loses what its kernel buffer cannot take, as on a serial line
    if (count && u->client >= 0 && write(u->client, bytes, count) < 0 && errno != EAGAIN)
        drop_client(u);
    return any || count;
}

// The same for a board whose UART somebody has over USB.
static bool serve_usb(struct sim *s, uint32_t n)
{
    uint8_t byte;
    bool any = false;
    for (; board_uart_backlog(s->board[n]) < 256 && ftdi_uart_get(&s->chip[n], &byte); any = true)
        board_uart_send(s->board[n], byte);
    for (; ftdi_uart_room(&s->chip[n]) && board_uart_receive(s->board[n], &byte); any = true)
        ftdi_uart_put(&s->chip[n], byte);
    return any;
}

static bool socket_taken(void *ctx, unsigned n)
{
    const struct sim *s = ctx;
    return s->uart[n].client >= 0 && !s->uart[n].pty;
}

static bool serve_uarts(struct sim *s)
{
    bool any = false;
    if (s->usbip)
        usbip_serve(s->usbip, socket_taken, s);
    for (uint32_t n = 0; n < s->boards; n++)
        if (s->usbip && usbip_attached(s->usbip, n) ? serve_usb(s, n) : serve_uart(s, n))
            any = true;
    return any;
}

static void wait_for_host(struct sim *s)
{
    int milliseconds = IDLE_MS;
    nfds_t count = s->usbip ? usbip_wait(s->usbip, s->fds, &milliseconds) : 0;
    for (uint32_t n = 0; n < s->boards; n++) {
        if (s->usbip && usbip_attached(s->usbip, n))
            continue;
        if (s->uart[n].client >= 0)
            s->fds[count++] = (struct pollfd){.fd = s->uart[n].client, .events = POLLIN};
        else if (s->uart[n].listener >= 0)
            s->fds[count++] = (struct pollfd){.fd = s->uart[n].listener, .events = POLLIN};
    }
    poll(s->fds, count, milliseconds);
}

// --- The verdict
// ---------------------------------------------------------------------------------------

// Says once for every round of snapshots whether all counters of all boards equal the model's.
static void report(struct sim *s)
{
    uint64_t least = UINT64_MAX, equal = 0, different = 0;
    uint32_t compared = 0;
    const char *difference = NULL;
    for (uint32_t n = 0; n < s->boards; n++) {
        if (s->o.kinds[n] == 'g')
            continue;
        struct board_verdict v = board_verdict(s->board[n]);
        uint64_t rounds = (v.counters_equal + v.counters_differ) / OFR_COUNTS;
        least = rounds < least ? rounds : least;
        equal += v.counters_equal;
        different += v.counters_differ;
        compared++;
        if (v.difference && !difference) {
            static char text[200];
            snprintf(text, sizeof text, "board %u, %s", n, v.difference);
            difference = text;
        }
    }
    if (!s->o.shadow || !compared || least <= s->reported)
        return;
    s->reported = least;
    if (!different && !difference)
        printf("boardsim: snapshot %" PRIu64 ": every counter of all %u boards equals the golden "
               "model's (%" PRIu64 " compared so far)\n",
               least, compared, equal);
    else
        printf("boardsim: snapshot %" PRIu64 ": %" PRIu64 " counters DIFFER from the golden "
               "model's: %s\n",
               least, different, difference ? difference : "?");
    fflush(stdout);
}

static bool all_equal(const struct sim *s)
{
    if (s->differed)
        return false;
    for (uint32_t n = 0; n < s->boards; n++)
        if (board_verdict(s->board[n]).difference)
            return false;
    return true;
}

// --- Start and end
// ---------------------------------------------------------------------------------------

// A serial number that says nothing about the place in the torus.
static uint64_t serial_number(uint64_t seed, uint32_t n)
{
    uint64_t z = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + n;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void make_boards(struct sim *s)
{
    for (uint32_t n = 0; n < s->boards; n++) {
        struct board_options o = {.kind = s->o.kinds[n] == 'g'   ? BOARD_GOLDEN
                                          : s->o.kinds[n] == 's' ? BOARD_SMALL
                                                                 : BOARD_RTL,
                                  .shadow = s->o.shadow,
                                  .n = s->o.torus.n,
                                  .break_at = n == 0 ? s->o.break_at : 0,
                                  .serial = serial_number(s->o.seed, n)};
        s->board[n] = board_new(&o);
        if (!s->board[n])
            die("out of memory for board %u", n);
    }
}

// All boards off and on again; their USB chips are powered by the host.
static void power_cycle(struct sim *s)
{
    s->differed = !all_equal(s);
    for (uint32_t n = 0; n < s->boards; n++)
        board_free(s->board[n]);
    memset(s->line, 0, s->boards * sizeof *s->line);
    s->reported = 0;
    make_boards(s);
}

static void open_usb(struct sim *s)
{
    s->chip = allocate(s->boards, sizeof *s->chip);
    for (uint32_t n = 0; n < s->boards; n++) {
        char serial[32];
        snprintf(serial, sizeof serial, "%016" PRIx64, serial_number(s->o.seed, n));
        ftdi_plug_in(&s->chip[n], s->o.chip, serial);
    }
    s->usbip = usbip_new(s->o.port, s->chip, s->boards);
    if (!s->usbip)
        die("--usbip %u: %s", s->o.port, strerror(errno));
    printf("boardsim: USB/IP on 127.0.0.1 port %u\n", usbip_port(s->usbip));
}

static void set_up(struct sim *s)
{
    s->boards = ofr_nodes(&s->o.torus);
    s->board = allocate(s->boards, sizeof *s->board);
    s->peer = allocate(s->boards, sizeof *s->peer);
    s->line = allocate(s->boards, sizeof *s->line);
    s->uart = allocate(s->boards, sizeof *s->uart);
    s->in = allocate(s->boards, sizeof *s->in);
    s->fds = allocate(s->boards + 1 + USBIP_CLIENTS, sizeof *s->fds);
    if (!s->o.kinds) {
        s->o.kinds = allocate(s->boards + 1, 1);
        memset(s->o.kinds, s->o.kind, s->boards);
    }
    if (strlen(s->o.kinds) != s->boards || strspn(s->o.kinds, "rgs") != s->boards)
        die("--boards %s: write %u letters, r (RTL), g (golden) or s (small)", s->o.kinds,
            s->boards);
    if (strchr(s->o.kinds, 's') && strspn(s->o.kinds, "s") != s->boards)
        die("--boards %s: small boards have 16-bit flits, the others 32: no cable joins them",
            s->o.kinds);
    if (strchr(s->o.kinds, 's') && s->o.torus.n != 2)
        die("--boards small: they have two dimensions, --dims has %u", s->o.torus.n);
    make_boards(s);
    cable_torus(s);
    change_cables(s);
    if (mkdir(s->o.directory, 0777) && errno != EEXIST)
        die("--sockets %s: %s", s->o.directory, strerror(errno));
    for (uint32_t n = 0; n < s->boards; n++) {
        if (s->o.pty)
            open_pty(s, n);
        else
            open_socket(s, n);
    }
    if (s->o.usbip)
        open_usb(s);
}

static void run(struct sim *s)
{
    bool trapped = false;
    step_batch(s); // every board has seen its links before a host that waits already is served
    while (!stop && (!s->o.cycles || s->cycle < s->o.cycles)) {
        if (asked) {
            asked = 0;
            printf("boardsim: cycle %" PRIu64 "\n", s->cycle);
            fflush(stdout);
        }
        if (cycle_power) {
            cycle_power = 0;
            power_cycle(s);
            step_batch(s);
        }
        bool busy = serve_uarts(s);
        for (uint32_t n = 0; n < s->boards; n++)
            busy |= board_poll_firmware(s->board[n]);
        if (!busy && idle(s)) {
            wait_for_host(s);
            continue;
        }
        step_batch(s);
        report(s);
        for (uint32_t n = 0; n < s->boards && !trapped; n++)
            if (board_trapped(s->board[n])) {
                trapped = true;
                fprintf(stderr, "boardsim: the core of board %u has stopped on a trap\n", n);
            }
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    unsigned k[3];
    char *end = NULL, extra;
    switch (key) {
    case 'd': {
        int n = sscanf(arg, "%ux%ux%u%c", &k[0], &k[1], &k[2], &extra);
        int two = sscanf(arg, "%ux%u%c", &k[0], &k[1], &extra);
        if (n != 3 && (n != 2 || two != 2))
            argp_failure(state, 2, 0, "--dims %s: write KxK or KxKxK, e.g. 4x4", arg);
        o->torus.n = (uint8_t)n;
        for (int i = 0; i < n; i++) {
            if (k[i] < 1 || k[i] > 16)
                argp_failure(state, 2, 0, "--dims %s: sizes are from 1 to 16", arg);
            o->torus.k[i] = (uint8_t)k[i];
        }
        return 0;
    }
    case 'b':
        o->kind = arg[0];
        o->kinds = strcmp(arg, "golden") && strcmp(arg, "rtl") && strcmp(arg, "small") ? arg : NULL;
        return 0;
    case 's':
        o->directory = arg;
        return 0;
    case 'p':
        o->pty = true;
        return 0;
    case 'n':
        o->shadow = false;
        return 0;
    case 'c':
        if (o->plugs == MAX_PLUGS)
            argp_failure(state, 2, 0, "--cable: at most %d times", MAX_PLUGS);
        o->plug[o->plugs++] = arg;
        return 0;
    case 'K':
        if (!strcmp(arg, "ft2232h") || !strcmp(arg, "ft232h"))
            o->chip = arg[3] == '3' ? FTDI_232H : FTDI_2232H;
        else if (!strcmp(arg, "ft231x"))
            o->chip = FTDI_231X;
        else
            argp_failure(state, 2, 0, "--chip %s: ft2232h, ft232h or ft231x", arg);
        return 0;
    case 'u':
    case 'l':
    case 't':
    case 'B':
    case 'C':
    case 'S': {
        unsigned long long value = strtoull(arg, &end, 10);
        if (end == arg || *end || (key == 'l' && (value < 1 || value > MAX_LATENCY)) ||
            (key == 'u' && value > 65535))
            argp_failure(state, 2, 0, "%s: a number%s", arg,
                         key == 'l'   ? " from 1 to 32"
                         : key == 'u' ? " from 0 to 65535"
                                      : "");
        if (key == 'u')
            o->usbip = true;
        if (key == 'l')
            o->latency = (unsigned)value;
        else if (key == 'u')
            o->port = (unsigned)value;
        else if (key == 't')
            o->threads = (unsigned)value;
        else if (key == 'B')
            o->break_at = value;
        else if (key == 'C')
            o->cycles = value;
        else
            o->seed = value;
        return 0;
    }
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"dims", 'd', "KxK[xK]", 0, "sizes of the torus, 1 to 16 each (default 4x4)", 0},
        {"boards", 'b', "KIND", 0,
         "rtl (default), golden, small, or a letter r, g or s for each board in order", 0},
        {"sockets", 's', "DIR", 0, "folder of the UARTs' sockets boardN.sock (default .)", 0},
        {"pty", 'p', NULL, 0, "UARTs as pseudo-terminals instead", 0},
        {"usbip", 'u', "PORT", 0,
         "show every board as its USB chip too: USB/IP on 127.0.0.1 (port 0: any that is free)", 0},
        {"chip", 'K', "CHIP", 0, "which: ft2232h (default), ft232h or ft231x", 0},
        {"no-shadow", 'n', NULL, 0, "no golden model beside the RTL boards", 0},
        {"cable", 'c', "A.x+[:B.y-]", 0, "pull a cable, or plug one in (repeatable)", 0},
        {"latency", 'l', "CYCLES", 0, "of a cable, 1 to 32 (default 2)", 0},
        {"threads", 't', "N", 0, "default: one a core", 0},
        {"cycles", 'C', "N", 0, "stop after N cycles (default: run on)", 0},
        {"break", 'B', "CYCLE", 0,
         "from then on board 0's golden model sees a wrong credit: must be found", 0},
        {"seed", 'S', "N", 0, "of the boards' serial numbers (default 1)", 0},
        {0}};
    static const struct argp parser = {
        list,
        parse,
        NULL,
        "Simulates a torus of boards; each board's UART is a Unix socket that torusctl can use.\v"
        "Board N is node N = x + kx y + kx ky z. Ends on SIGINT or SIGTERM; the exit status is 1 "
        "if an RTL board differed from the golden model. On SIGUSR1 it prints the cycle it is at; "
        "SIGUSR2: all boards lose power and start anew.",
        NULL,
        NULL,
        NULL};
    struct sim s = {.o = {.torus = {.n = 2, .k = {4, 4}},
                          .kind = 'r',
                          .shadow = true,
                          .directory = ".",
                          .latency = 2,
                          .seed = 1}};
    struct sigaction action = {.sa_handler = on_signal};
    struct timespec from, to;
    struct worker worker[MAX_THREADS];

    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &s.o);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    set_up(&s);
    printf("boardsim: %u boards, %s/board0.sock to board%u.sock\n", s.boards, s.o.directory,
           s.boards - 1);
    fflush(stdout);
    clock_gettime(CLOCK_MONOTONIC, &from);
    start_threads(&s, worker);
    run(&s);
    end_threads(&s);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
    printf("boardsim: %" PRIu64 " cycles of %u boards, %.0f cycles a second\n", s.cycle, s.boards,
           (double)s.cycle / seconds);
    bool equal = all_equal(&s);
    if (!equal)
        for (uint32_t n = 0; n < s.boards; n++)
            if (board_verdict(s.board[n]).difference)
                printf("boardsim: board %u differs from its golden model: %s\n", n,
                       board_verdict(s.board[n]).difference);
    close_uarts(&s);
    if (s.usbip)
        usbip_free(s.usbip);
    for (uint32_t n = 0; n < s.boards; n++)
        board_free(s.board[n]);
    return equal ? 0 : 1;
}
