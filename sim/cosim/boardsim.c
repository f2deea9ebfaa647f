// SPDX-License-Identifier: Apache-2.0
// boardsim: a torus of boards in one process, joined by cables, each board's UART a Unix socket.
// Start and end, the verdict.
#include "at_pins.h"
#include "basics.h"
#include "cables.h"
#include "clocks.h"
#include "control.h"
#include "falls.h"
#include "ledger.h"
#include "phy_cables.h"
#include "reliable.h"
#include "steps.h"
#include "times.h"
#include "uarts.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRMWARE_START = 8192, // cycles that the firmware in RAM needs before it takes a frame
    LINKS_UP = 1 << 14,    // cycles within which reliable links are up, where their cables let them
    PHY_UP = 1 << 16,      // with their physical layer, which trains
    RESTS = 1 << 20,       // cycles without a host and a flit, after which nobody is in a hurry
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

static enum board_kind kind_of(char letter)
{
    return letter == 'g' ? BOARD_GOLDEN : letter == 's' ? BOARD_SMALL : BOARD_RTL;
}

// Does an ELF file end before what is to be mapped of it? dlopen() does not look, and SIGBUS would
// follow. What is not ELF it refuses itself.
static bool is_cut(const char *path)
{
    Elf64_Ehdr head;
    Elf64_Phdr part;
    struct stat s;
    FILE *file = fopen(path, "rb");
    bool cut = false;
    if (file && fstat(fileno(file), &s) == 0 && fread(&head, sizeof head, 1, file) == 1 &&
        !memcmp(head.e_ident, ELFMAG, SELFMAG) && head.e_ident[EI_CLASS] == ELFCLASS64) {
        uint64_t size = (uint64_t)s.st_size;
        cut = head.e_phoff > size || fseek(file, (long)head.e_phoff, SEEK_SET) != 0;
        for (unsigned i = 0; i < head.e_phnum && !cut; i++)
            cut = fread(&part, sizeof part, 1, file) != 1 ||
                  (part.p_type == PT_LOAD &&
                   (part.p_offset > size || part.p_filesz > size - part.p_offset));
    }
    if (file)
        fclose(file);
    return cut;
}

// --logic: of the file, or NULL where none is asked for.
static const struct logic *find_logic(const struct options *o)
{
    if (!o->logic)
        return NULL;
    if (!o->channels)
        die("--logic %s: goes with --channels 8", o->logic);
    // A name without a slash would be looked for among the system's libraries.
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", strchr(o->logic, '/') ? "" : "./", o->logic);
    if (is_cut(path))
        die("--logic %s: it is cut short; build it anew", o->logic);
    void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!file)
        die("--logic: %s", dlerror());
    const struct logic *(*made)(void);
    void *symbol = dlsym(file, "outflank_logic");
    if (!symbol)
        die("--logic %s: it has no outflank_logic(), see logic.h", o->logic);
    memcpy(&made, &symbol, sizeof made); // ISO C has no other way
    const struct logic *logic = made();
    if (logic->version != LOGIC_VERSION || logic->ends != BOARD_CHANNELS || logic->width != 32)
        die("--logic %s: of version %u, %u ends, %u bits; boards want %d, %d, 32", o->logic,
            logic->version, logic->ends, logic->width, LOGIC_VERSION, BOARD_CHANNELS);
    return logic;
}

static void make_boards(struct sim *s)
{
    int back = strchr(s->o.kinds, 'r') ? enter_firmware() : -1;
    for (uint32_t n = 0; n < s->boards; n++) {
        struct board_options o = {.kind = kind_of(s->o.kinds[n]),
                                  .shadow = s->o.shadow,
                                  .reliable = s->o.reliable,
                                  .phy = s->o.phy,
                                  .n = s->o.torus.n,
                                  .channels = s->o.channels,
                                  .user = s->o.user && s->o.kinds[n] == 'r',
                                  .logic = s->logic,
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
    uint64_t until = s->cycle + (s->o.wait ? FIRMWARE_START : 0),
             up = s->cycle + (s->o.phy ? PHY_UP : LINKS_UP);
    if (s->o.ppm)
        start_clocks(s);
    do
        step_batch(s);
    while (s->cycle < until || (s->clocks && !clocks_run(s)) ||
           (s->cycle < up && !(links_are_up(s) && phy_is_up(s))));
}

// All boards off and on again; their USB chips are powered by the host.
static void power_cycle(struct sim *s)
{
    s->differed = !all_equal(s);
    for (uint32_t n = 0; n < s->boards; n++) {
        board_free(s->board[n]);
        s->uart[n].gone = 0;
    }
    memset(s->line, 0, s->boards * sizeof *s->line);
    falls_clear(s);
    s->reported = s->owed = 0;
    make_boards(s);
    open_links(s);
    open_phy(s);
    switch_on(s);
}

static void set_up(struct sim *s)
{
    s->boards = ofr_nodes(&s->o.torus);
    s->board = allocate(s->boards, sizeof *s->board);
    s->peer = allocate(s->boards, sizeof *s->peer);
    s->line = allocate(s->boards, sizeof *s->line);
    s->link = allocate(s->boards, sizeof *s->link);
    s->uart = allocate(s->boards, sizeof *s->uart);
    s->in = allocate(s->boards, sizeof *s->in);
    s->fds = allocate(s->boards + 2 + USBIP_CLIENTS, sizeof *s->fds);
    if (!s->o.kinds) {
        s->o.kinds = allocate(s->boards + 1, 1);
        memset(s->o.kinds, s->o.kind, s->boards);
    }
    at_pins(s);
    if (strlen(s->o.kinds) != s->boards || strspn(s->o.kinds, "rgs") != s->boards)
        die("--boards %s: write %u letters, r (RTL), g (golden) or s (small)", s->o.kinds,
            s->boards);
    if (strchr(s->o.kinds, 's') && strspn(s->o.kinds, "s") != s->boards)
        die("--boards %s: small boards have 16-bit flits, the others 32: no cable joins them",
            s->o.kinds);
    if (strchr(s->o.kinds, 's') && s->o.torus.n != 2)
        die("--boards small: they have two dimensions, --dims has %u", s->o.torus.n);
    for (uint32_t n = 0; n < s->boards && s->o.channels; n++)
        if (!board_may_have_channels(kind_of(s->o.kinds[n]), s->o.torus.n, s->o.reliable))
            die("--channels %u: small boards have none, and RTL boards in two dimensions with "
                "--link reliable only",
                s->o.channels);
    if (s->o.user && !strchr(s->o.kinds, 'r'))
        die("--user: goes with an RTL board; the golden model has no user's core");
    if (s->o.phy && (strspn(s->o.kinds, "r") != s->boards || s->o.torus.n != 2))
        die("--link phy: goes with --boards rtl, all of them, in two dimensions only");
    if (s->o.misfit >= 0 && (s->o.misfit >= (int)s->boards || s->o.kinds[s->o.misfit] != 'g'))
        die("--misfit %d: there is no golden board of that number", s->o.misfit);
    s->logic = find_logic(&s->o);
    make_boards(s);
    cable_torus(s);
    change_cables(s);
    read_pulls(s);
    falls_clear(s);
    open_ledger(s);
    open_links(s);
    open_phy(s);
    open_uarts(s);
    open_control(s);
}

static void say_apart(struct sim *s)
{
    printf("boardsim: the latest snapshots are %" PRIu64 " cycles apart", snapshots_apart(s));
    printf(", NODE.TIME %" PRIu32, times_apart(s));
    putchar('\n');
}

// Golden boards' time stands still while there is nothing to do, so that within a session all is
// the same however fast a host is. But a host that has not asked anything for a second is away:
// from then on time goes by the wall clock, so that what is a matter of time comes to its end, as a
// write lease whose host is dead. since, at: seconds, since when there is nothing to do, 0: there
// is; how far time has gone. Ends of reliable links know nothing of such a leap: their counters
// stand still, and what is on a cable is there as before.
static void time_goes_on(struct sim *s, double *since, double *at)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    if (s->o.wait || s->o.cycles || s->o.pulls || s->clocks)
        return;
    if (*since == 0)
        *since = *at = now;
    if (now - *since < 1)
        return;
    double seconds = now - *at < 10 ? now - *at : 10; // boards look at their timers in between
    uint64_t cycles = (uint64_t)(seconds * RTL_CLOCK_HZ) / BATCH * BATCH;
    *at = now;
    _Static_assert(BATCH % LINE == 0, "a leap leaves what is on the cables in its place");
    for (uint32_t n = 0; n < s->boards; n++)
        board_skip(s->board[n], cycles);
    s->cycle += cycles;
}

static void run(struct sim *s)
{
    double since = 0, at = 0; // time_goes_on()
    bool trapped = false;
    uint64_t last = 0; // cycle in which there was something to do
    switch_on(s);      // before a host that waits already is served
    while (!stop && (!s->o.cycles || s->cycle < s->o.cycles)) {
        if (asked) {
            asked = 0;
            write_ledger(s);
            if (s->clocks)
                say_apart(s);
            times_say(s);
            printf("boardsim: cycle %" PRIu64 "\n", s->cycle);
            fflush(stdout);
        }
        if (cycle_power) {
            cycle_power = 0;
            power_cycle(s);
        }
        bool busy = serve_uarts(s);
        serve_control(s);
        falls_go_on(s);
        for (uint32_t n = 0; n < s->boards; n++)
            busy |= board_poll_firmware(s->board[n]);
        bool settling = falls_settling(s) || (s->control.client >= 0 && s->control.waits);
        if (!settling &&
            ((s->o.wait && !s->owed && !uarts_backlog(s)) || (!busy && !s->o.cycles && idle(s)))) {
            wait_for_host(s);
            time_goes_on(s, &since, &at);
            continue;
        }
        since = 0;
        // RTL boards' time goes on, but need not take a core for it.
        if (busy || settling || !quiet(s))
            last = s->cycle;
        else if (!s->o.cycles && s->cycle > last + RESTS)
            wait_for_host(s);
        step_batch(s);
        times_watch(s);
        report(s);
        for (uint32_t n = 0; n < s->boards && !trapped; n++)
            if (board_trapped(s->board[n])) {
                trapped = true;
                fprintf(stderr, "boardsim: the core of board %u has stopped on a trap\n", n);
            }
    }
}

int main(int argc, char **argv)
{
    struct sim s = {.o = options_read(argc, argv), .times = {.beyond = -HUGE_VAL}};
    struct sigaction action = {.sa_handler = on_signal};
    struct timespec from, to;

    signal(SIGPIPE, SIG_IGN);
    if (s.o.order[0])
        return ask_control(&s.o);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
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
    say_links(&s);
    say_phy(&s);
    times_say(&s);
    close_links(&s);
    close_phy(&s);
    free(s.pull);
    free(s.times.at);
    close_uarts(&s);
    close_control(&s);
    if (s.usbip)
        usbip_free(s.usbip);
    for (uint32_t n = 0; n < s.boards; n++)
        board_free(s.board[n]);
    return equal ? 0 : 1;
}
