// SPDX-License-Identifier: Apache-2.0
// torusctl monitor: the torus on the whole screen, looked at again and again.
#define _GNU_SOURCE
#include <curses.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "ofr_regs.h"

enum view { LOAD, STALLS, ERRORS, VIEWS };
enum { CELL = 13, COOL = 1, WARM, HOT }; // columns a board; colours
enum { VCS = 3, MGMT_BYTES = 32 };

static struct {
    double watch;   // seconds
    unsigned count; // of intervals, 0: no end
} set = {.watch = 1};

static const struct argp_option options[] = {
    {"watch", 'w', "SECONDS", 0, "look every so many seconds (1)", 1},
    {"count", 'c', "N", 0, "end after N intervals (no end)", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    if (key == 'w')
        set.watch = number(state, arg, 0.001, 1e6);
    else if (key == 'c')
        set.count = (unsigned)whole(state, arg, 1, 1000000);
    else
        return false;
    return true;
}

struct monitor {
    struct torus *t;
    struct counter_set set[2];
    unsigned now; // which of them is the later one
    double cycles, seconds;
    double mgmt, length;       // flits of management's packets, and of users' in the mean
    unsigned plane, left, top; // shown: z, first column and row of boards
    enum view view;
};

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    (void)number;
    stopped = 1;
}

static uint64_t change(const struct monitor *m, unsigned node, unsigned counter)
{
    return counters_change(&m->set[!m->now], &m->set[m->now], node, counter);
}

// Flits that management and users sent over an output: [0] management's. Its packets have one
// length and take the escape VCs; what is more there than such packets would be is users', whose
// mean length is that on the adaptive VCs. Where nobody uses those, or with packets as short as
// management's, they cannot be told apart: all are users' then but where just management's length
// is seen.
static void output_flits(const struct monitor *m, unsigned node, unsigned port, double flits[2])
{
    flits[0] = 0;
    flits[1] = (double)change(m, node, port * VCS * 4);
    for (unsigned vc = 1; vc < VCS; vc++) {
        unsigned at = (port * VCS + vc) * 4;
        double all = (double)change(m, node, at), packets = (double)change(m, node, at + 1);
        double more = all - packets * m->mgmt, users = 0; // a packet may be cut at either end
        if (fabs(more) > m->mgmt)
            users = m->length > 1.5 * m->mgmt ? more / (m->length - m->mgmt) : packets;
        users = users < 0 ? 0 : users > packets ? packets : users;
        double management = (packets - users) * m->mgmt;
        management = management > all || users == 0 ? all : management;
        flits[0] += management;
        flits[1] += all - management;
    }
}

// Mean length of the packets on the adaptive VCs, 0: there are none.
static double mean_length(const struct monitor *m)
{
    uint64_t flits = 0, packets = 0;
    for (unsigned node = 0; node < m->set[0].nodes; node++)
        for (unsigned port = 0; port < 2 * m->set[0].dims; port++) {
            flits += change(m, node, port * VCS * 4);
            packets += change(m, node, port * VCS * 4 + 1);
        }
    return packets ? (double)flits / (double)packets : 0;
}

// What an output does, in the present view: users' flits or stalled cycles per cycle, or errors.
static double output(const struct monitor *m, unsigned node, unsigned port, enum view view)
{
    uint64_t sum = 0;
    double flits[2];
    if (view == ERRORS) {
        for (unsigned i = 0; i < 3; i++)
            sum += change(m, node, OFR_COUNTER_LINK_BASE + 3 * port + i);
        return (double)sum;
    }
    if (!(m->cycles > 0))
        return 0;
    if (view == LOAD) {
        output_flits(m, node, port, flits);
        return flits[1] / m->cycles;
    }
    for (unsigned vc = 0; vc < VCS; vc++)
        sum += change(m, node, (port * VCS + vc) * 4 + 2);
    return (double)sum / m->cycles;
}

// One place on in +, or in -, in dimension dim.
static void move_on(const uint8_t k[3], uint8_t at[3], unsigned dim, bool minus)
{
    uint8_t last = (uint8_t)(k[dim] - 1);
    if (minus)
        at[dim] = at[dim] ? (uint8_t)(at[dim] - 1) : last;
    else
        at[dim] = at[dim] < last ? (uint8_t)(at[dim] + 1) : 0;
}

// Small boards do not count who waits.
static bool counted(const struct monitor *m, enum view view)
{
    return view != STALLS || !m->set[m->now].absent[2];
}

// Both directions of the cable at a + port: the larger value.
static void put_link(const struct monitor *m, const uint8_t at[3], unsigned port)
{
    const uint8_t *k = m->set[0].k;
    uint8_t far[3] = {at[0], at[1], at[2]};
    move_on(k, far, port / 2, false);
    double out = output(m, torus_node(k, at), port, m->view);
    double back = output(m, torus_node(k, far), port ^ 1, m->view);
    double value = out > back ? out : back;
    int colour = m->view == ERRORS ? (value > 0 ? HOT : COOL)
                 : value < 0.3     ? COOL
                 : value < 0.7     ? WARM
                                   : HOT;
    attron(COLOR_PAIR(colour));
    if (!counted(m, m->view))
        printw("   -");
    else if (m->view == ERRORS)
        printw("%4.0f", value);
    else
        printw("%3.0f%%", 100 * value);
    attroff(COLOR_PAIR(colour));
}

static void draw_torus(const struct monitor *m)
{
    const uint8_t *k = m->set[0].k;
    for (unsigned row = 0; row + m->top < k[1]; row++) {
        unsigned y = k[1] - 1u - row - m->top;
        int line = 2 + 2 * (int)row;
        if (line + 1 >= LINES - 6)
            break;
        for (unsigned x = m->left; x < k[0]; x++) {
            int column = 1 + CELL * (int)(x - m->left);
            uint8_t at[3] = {(uint8_t)x, (uint8_t)y, (uint8_t)m->plane};
            if (column + CELL >= COLS)
                break;
            const char *name = place_name(at);
            if (name)
                mvprintw(line, column, "%-7.7s", name);
            else
                mvprintw(line, column, "(%2u,%2u)", x, y);
            if (k[0] > 1 && (k[0] > 2 || x == 0))
                put_link(m, at, 0);
            if (k[1] > 1 && (k[1] > 2 || y == 1)) {
                move(line + 1, column + 2);
                move_on(k, at, 1, true);
                put_link(m, at, 2);
            }
        }
    }
}

static uint64_t total(const struct monitor *m, unsigned counter)
{
    uint64_t sum = 0;
    for (unsigned node = 0; node < m->set[0].nodes; node++)
        sum += change(m, node, counter);
    return sum;
}

static void draw_totals(const struct monitor *m)
{
    const struct counter_set *s = &m->set[m->now];
    char place[PLACE];
    double sum[VIEWS] = {0}, most[VIEWS] = {0};
    double management = 0;
    unsigned links = 0, port[VIEWS] = {0};
    uint8_t at[3] = {0}, where[VIEWS][3] = {{0}};
    for (unsigned node = 0; node < s->nodes; node++) {
        for (unsigned p = 0; p < 2 * s->dims; p++) {
            if (s->k[p / 2] == 1)
                continue;
            double flits[2];
            output_flits(m, node, p, flits);
            management += m->cycles > 0 ? flits[0] / m->cycles : 0;
            links++;
            for (unsigned v = 0; v < VIEWS; v++) {
                double value = output(m, node, p, (enum view)v);
                sum[v] += value;
                if (value > most[v]) {
                    most[v] = value;
                    memcpy(where[v], at, 3);
                    port[v] = p;
                }
            }
        }
        move_on(s->k, at, 0, false);
        if (!at[0])
            move_on(s->k, at, 1, false);
        if (!at[0] && !at[1])
            move_on(s->k, at, 2, false);
    }
    static const char *const name[] = {"link load", "waiting for credit", "link errors"};
    for (unsigned v = 0; v < VIEWS; v++) {
        double scale = v == ERRORS ? 1 : 100;
        if (!counted(m, (enum view)v)) {
            mvprintw(LINES - 5 + (int)v, 1, "%-20s not counted by these boards", name[v]);
            continue;
        }
        mvprintw(LINES - 5 + (int)v, 1, "%-20s %s %7.1f%s", name[v], v == ERRORS ? "all" : "mean",
                 scale * (v == ERRORS || !links ? sum[v] : sum[v] / links), v == ERRORS ? "" : "%");
        if (most[v] > 0)
            printw("   most %.1f%s: %s of %s", scale * most[v], v == ERRORS ? "" : "%",
                   torus_port_name(port[v]), place_called(where[v], s->dims, place));
    }
    mvprintw(LINES - 1, 40, "management %.1f%% of the links", // this program's, too
             links ? 100 * management / links : 0);
    mvprintw(LINES - 2, 1, "packets: injected %llu, derouted %llu, discarded %llu, poisoned %llu",
             (unsigned long long)total(m, OFR_COUNTER_INJECTED),
             (unsigned long long)(total(m, OFR_COUNTER_OIDN) + total(m, OFR_COUNTER_WIDN)),
             (unsigned long long)total(m, OFR_COUNTER_DISCARDED),
             (unsigned long long)total(m, OFR_COUNTER_POISONED));
    if (!s->absent[OFR_COUNTER_REFUSED])
        printw(", refused %llu", (unsigned long long)total(m, OFR_COUNTER_REFUSED));
}

static void draw(const struct monitor *m)
{
    static const char *const view[] = {"link load", "waiting for credit", "link errors"};
    const struct counter_set *s = &m->set[m->now];
    erase();
    mvprintw(0, 1, "%ux%u", s->k[0], s->k[1]);
    if (s->dims == 3)
        printw("x%u, z = %u", s->k[2], m->plane);
    printw("   %s   last %.2f s, %.0f cycles", view[m->view], m->seconds, m->cycles);
    mvprintw(LINES - 1, 1, "q quit   v view   arrows%s", s->dims == 3 ? "   + - plane" : "");
    draw_torus(m);
    draw_totals(m);
    refresh();
}

// Keys for so long. False: to quit.
static bool keys(struct monitor *m, double seconds)
{
    const uint8_t *k = m->set[0].k;
    for (double left = seconds; left > 0 && !stopped; left -= 0.05) {
        timeout(50);
        switch (getch()) {
        case 'q':
        case 'Q':
            stopped = 1;
            return false;
        case 'v':
            m->view = (m->view + 1) % VIEWS;
            break;
        case '+':
            m->plane = (m->plane + 1) % k[2];
            break;
        case '-':
            m->plane = (m->plane + k[2] - 1u) % k[2];
            break;
        case KEY_LEFT:
            m->left -= m->left > 0;
            break;
        case KEY_RIGHT:
            m->left += m->left + 1u < k[0];
            break;
        case KEY_UP:
            m->top -= m->top > 0;
            break;
        case KEY_DOWN:
            m->top += m->top + 1u < k[1];
            break;
        case KEY_RESIZE:
            break;
        default:
            continue;
        }
        draw(m);
    }
    return !stopped;
}

// The same, and others may have the board meanwhile; who has it then is waited for, and said.
static bool keys_and_rest(struct monitor *m, double seconds, int *error)
{
    torus_rest(m->t);
    bool go_on = keys(m, seconds);
    while (go_on && (*error = torus_back(m->t)) == TORUS_E_TRANSPORT && torus_taken(m->t)) {
        mvprintw(1, 1, "%.*s", COLS - 2, torus_detail(m->t));
        refresh();
        go_on = keys(m, 0.1);
    }
    if (!go_on)
        *error = TORUS_OK;
    return go_on;
}

static int look(struct monitor *m, struct counter_set *set)
{
    int error = counters_take(m->t, set);
    for (unsigned broke = 0;
         look_anew(m->t, error, &broke) && keys_and_rest(m, 0, &error) && error == TORUS_OK;)
        error = counters_take(m->t, set);
    return error;
}

static int look_on(struct monitor *m)
{
    int error = look(m, &m->set[0]);
    for (unsigned i = 0; error == TORUS_OK && !stopped && (!set.count || i < set.count); i++) {
        bool go_on = keys_and_rest(m, i == 0 ? 0.2 : set.watch, &error);
        if (!go_on || error != TORUS_OK)
            break;
        m->now = !m->now;
        error = look(m, &m->set[m->now]);
        m->cycles = counters_cycles(&m->set[!m->now], &m->set[m->now]);
        m->seconds = counters_seconds(&m->set[!m->now], &m->set[m->now]);
        m->length = mean_length(m);
        if (error == TORUS_OK && !stopped)
            draw(m);
    }
    return error;
}

static int do_monitor(struct torus *t, const struct args *a)
{
    struct monitor m = {.t = t, .set = {{.k = {1, 1, 1}}, {.k = {1, 1, 1}}}};
    (void)a;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return wrong("command", "monitor", "it needs a terminal; counters --watch does not");
    unsigned missing;
    int status = attach(t, &missing);
    if (!status && missing)
        status = wrong("torus", "with boards missing", "monitor shows all of them");
    if (status)
        return status;
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (!screen)
        return wrong("terminal", getenv("TERM") ? getenv("TERM") : "", "unknown to ncurses");
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    mvprintw(0, 1, "asking the boards");
    refresh();
    if (start_color() == OK && use_default_colors() == OK) {
        init_pair(COOL, COLOR_GREEN, -1);
        init_pair(WARM, COLOR_YELLOW, -1);
        init_pair(HOT, COLOR_RED, -1);
    }
    uint32_t shape = 0;
    int error = torus_read(t, NULL, OFR_NODE_SHAPE, &shape);
    unsigned flit_bytes = (shape & OFR_NODE_SHAPE_W8_MASK) >> OFR_NODE_SHAPE_W8_LSB;
    m.mgmt = (double)MGMT_BYTES / (flit_bytes ? flit_bytes : 1);
    if (error == TORUS_OK)
        error = look_on(&m);
    endwin();
    delscreen(screen);
    free(m.set[0].value);
    free(m.set[1].value);
    return error == TORUS_OK ? 0 : report(t, error);
}

const struct command command_monitor = {
    .name = "monitor",
    .summary = "the torus on the whole screen: load, waits, errors of the links",
    .about =
        "The torus on the whole screen, looked at again and again: load of the links by users' "
        "packets, cycles waiting for credit, errors; and how much of the links management "
        "takes, of which this program is a part. Keys: q quits, v changes what is shown, arrows "
        "scroll, + "
        "and - change the plane of a 3D torus. Others can have the board while this does not look "
        "at it.",
    .examples = "monitor\nmonitor --watch 5\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES,
    .options = options,
    .option = option,
    .run = do_monitor,
};
