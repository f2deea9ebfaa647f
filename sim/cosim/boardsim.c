// SPDX-License-Identifier: Apache-2.0
// boardsim: a torus of boards in one process, joined by cables, each board's UART a Unix socket.
// Options, start and end, the verdict.
#include "boardsim.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Cycles that the firmware in RAM needs before it takes a frame.
enum { FIRMWARE_START = 8192 };

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

noreturn void die(const char *format, ...)
{
    va_list args;
    fprintf(stderr, "boardsim: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory)
        die("out of memory for %zu boards", n);
    return memory;
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
        least = v.rounds < least ? v.rounds : least;
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

uint64_t random_of(uint64_t seed, uint32_t n, unsigned what)
{
    uint64_t z = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + n + ((uint64_t)what << 32);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// The Verilated boards read "fw.hex" in the present folder when they are made: goes to where it is,
// beside this program in the build folder or installed. Returns the folder to come back to.
static int enter_firmware(void)
{
    static const char *const places[] = {"../share/outflank", "../firmware"};
    char program[PATH_MAX], path[PATH_MAX + 32];
    int back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (back < 0 || n <= 0)
        die("cannot find this program's folder: %s", strerror(errno));
    program[n] = 0;
    *strrchr(program, '/') = 0;
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s", program, places[i]);
        if (chdir(path) == 0 && access("fw.hex", R_OK) == 0)
            return back;
    }
    die("no firmware for RTL boards: fw.hex is neither in %s/%s nor in %s/%s", program, places[0],
        program, places[1]);
}

static void make_boards(struct sim *s)
{
    int back = strchr(s->o.kinds, 'r') ? enter_firmware() : -1;
    for (uint32_t n = 0; n < s->boards; n++) {
        struct board_options o = {.kind = s->o.kinds[n] == 'g'   ? BOARD_GOLDEN
                                          : s->o.kinds[n] == 's' ? BOARD_SMALL
                                                                 : BOARD_RTL,
                                  .shadow = s->o.shadow,
                                  .n = s->o.torus.n,
                                  .break_at = n == 0 ? s->o.break_at : 0,
                                  .serial = random_of(s->o.seed, n, 0)};
        s->board[n] = board_new(&o);
        if (!s->board[n])
            die("out of memory for board %u", n);
    }
    if (back >= 0 && (fchdir(back) || close(back)))
        die("cannot go back to the folder it was started in: %s", strerror(errno));
}

// Until every board has seen its links.
static void switch_on(struct sim *s)
{
    uint64_t until = s->cycle + (s->o.wait ? FIRMWARE_START : 0);
    if (s->o.ppm)
        start_clocks(s);
    do
        step_batch(s);
    while (s->cycle < until || (s->clocks && !clocks_run(s)));
}

// All boards off and on again; their USB chips are powered by the host.
static void power_cycle(struct sim *s)
{
    s->differed = !all_equal(s);
    for (uint32_t n = 0; n < s->boards; n++)
        board_free(s->board[n]);
    memset(s->line, 0, s->boards * sizeof *s->line);
    s->reported = s->owed = 0;
    make_boards(s);
    switch_on(s);
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
    open_ledger(s);
    open_uarts(s);
}

static void say_apart(struct sim *s)
{
    uint32_t times;
    printf("boardsim: the latest snapshots are %" PRIu64 " cycles apart", snapshots_apart(s));
    if (times_apart(s, &times))
        printf(", NODE.TIME %" PRIu32, times);
    putchar('\n');
}

static void run(struct sim *s)
{
    bool trapped = false;
    switch_on(s); // before a host that waits already is served
    while (!stop && (!s->o.cycles || s->cycle < s->o.cycles)) {
        if (asked) {
            asked = 0;
            write_ledger(s);
            if (s->clocks)
                say_apart(s);
            printf("boardsim: cycle %" PRIu64 "\n", s->cycle);
            fflush(stdout);
        }
        if (cycle_power) {
            cycle_power = 0;
            power_cycle(s);
        }
        bool busy = serve_uarts(s);
        for (uint32_t n = 0; n < s->boards; n++)
            busy |= board_poll_firmware(s->board[n]);
        if ((s->o.wait && !s->owed) || (!busy && idle(s))) {
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
    case 'L':
        o->ledger = arg;
        return 0;
    case 'w':
        o->wait = true;
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
    case 'P':
    case 'l':
    case 't':
    case 'B':
    case 'C':
    case 'S': {
        unsigned long long value = strtoull(arg, &end, 10);
        if (end == arg || *end || (key == 'l' && (value < 1 || value > MAX_LATENCY)) ||
            (key == 'P' && value > MAX_PPM) || (key == 'u' && value > 65535))
            argp_failure(state, 2, 0, "%s: a number%s", arg,
                         key == 'l'   ? " from 1 to 32"
                         : key == 'u' ? " from 0 to 65535"
                         : key == 'P' ? " from 0 to 500000"
                                      : "");
        if (key == 'u')
            o->usbip = true;
        if (key == 'l')
            o->latency = (unsigned)value;
        else if (key == 'P')
            o->ppm = (unsigned)value;
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
        {"ppm", 'P', "N", 0,
         "each board has a clock of its own, drawn from the seed, up to N parts per million off",
         0},
        {"wait", 'w', NULL, 0,
         "time stands still while no host waits for an answer: a session replays cycle by cycle",
         0},
        {"ledger", 'L', "FILE", 0,
         "at the end and on SIGUSR1, write the users' packets that went out of each port", 0},
        {"seed", 'S', "N", 0,
         "of serial numbers, of the state boards wake up in, of clocks (default 1)", 0},
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
    start_threads(&s);
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
    write_ledger(&s);
    close_uarts(&s);
    if (s.usbip)
        usbip_free(s.usbip);
    for (uint32_t n = 0; n < s.boards; n++)
        board_free(s.board[n]);
    return equal ? 0 : 1;
}
