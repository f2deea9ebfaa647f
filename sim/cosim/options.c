// SPDX-License-Identifier: Apache-2.0
// See options.h.
// lint-flags: -DBOARDSIM_VERSION="0"
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *argp_program_version = "boardsim " BOARDSIM_VERSION;

static const struct argp_option list[] = {
    {"dims", 'd', "KxK[xK]", 0, "sizes of the torus, 1 to 16 each (default 4x4)", 0},
    {"boards", 'b', "KIND", 0,
     "rtl (default), golden, small, or a letter r, g or s for each board in order; bitstream or b: "
     "decoded bitstreams, r and g beside them at their pins, from the sources' top folder",
     0},
    {"bitstream", 'i', "BOARD", 0,
     "whose bitstream b is, as make bitstream leaves it (default ice40hx8k-b-evn)", 0},
    {"beside", 'o', "BOARD", 0,
     "what r and g beside b are (default: the same board, with an iCE40 ulx3s-85f-small)", 0},
    {"sockets", 's', "DIR", 0, "folder of the UARTs' sockets boardN.sock (default .)", 0},
    {"pty", 'p', NULL, 0, "UARTs as pseudo-terminals instead", 0},
    {"usbip", 'u', "PORT", 0,
     "show every board as its USB chip too: USB/IP on 127.0.0.1 (port 0: any that is free)", 0},
    {"chip", 'K', "CHIP", 0, "which: ft2232h (default), ft232h or ft231x", 0},
    {"no-shadow", 'n', NULL, 0, "no golden model beside the RTL boards", 0},
    {"cable", 'c', "A.x+[:B.y-]", 0, "pull a cable, or plug one in (repeatable)", 0},
    {"latency", 'l', "CYCLES", 0, "of a cable, 1 to 32 (default 2)", 0},
    {"link", 'k', "KIND", 0,
     "reliable (default): frames, CRC, retry; plain: wires, which take less time; or phy: "
     "reliable with their physical layer, cables of four wires and a clock each way; rtl in "
     "two dimensions, no golden model beside",
     0},
    {"bit-errors", 'e', "RATE", 0, "of a bit on a cable of reliable links, 0 to 0.5", 0},
    {"bursts", 'r', "RATE", 0,
     "of a word there: a burst begins, 40 words long in the mean, half of their bits wrong", 0},
    {"spread", 'x', "CYCLES", 0,
     "there a cable is up to so much longer than --latency, both ways, drawn", 0},
    {"pull", 'U', "A.x+@FROM-TO", 0,
     "there that cable's plug is out from one cycle to another (repeatable)", 0},
    {"stuck", 'T', "A.x+:WIRE", 0,
     "with --link phy: that wire, 0 to 3, brings that port nothing but zeros; 4: the clock, so "
     "that direction is dead (repeatable)",
     0},
    {"jitter", 'j', "PERCENT", 0,
     "with --link phy: each edge on a cable comes up to so much of a bit early or late, 0 to "
     "50",
     0},
    {"misfit", 'M', "N", 0,
     "there golden board N says that it has other slots: its links must not come up", 0},
    {"channels", 'N', "N", 0,
     "ends of channels that each board has, 0 (default) or 8, with collectives and datagrams; "
     "rtl: in two dimensions, with --link reliable",
     0},
    {"user", 'E', NULL, 0,
     "RTL boards have a second soft core, for a user's program, at the first four ends; no "
     "golden model beside; golden boards have none",
     0},
    {"logic", 'G', "FILE", 0,
     "a shared object: a user's logic at the pins of the channels of each board; without, what "
     "comes "
     "there is taken, and gone",
     0},
    {"threads", 't', "N", 0, "default: one a core", 0},
    {"cycles", 'C', "N", 0, "stop after N cycles (default: run on)", 0},
    {"break", 'B', "CYCLE", 0,
     "from then on board 0's golden model sees a wrong credit: must be found", 0},
    {"ppm", 'P', "N", 0,
     "each board has a clock of its own, drawn from the seed, up to N parts per million off", 0},
    {"wait", 'w', NULL, 0,
     "time stands still while no host waits for an answer: a session replays cycle by cycle", 0},
    {"ledger", 'L', "FILE", 0,
     "at the end and on SIGUSR1, write the users' packets that went out of each port", 0},
    {"at", 'A', "CYCLE:ORDER", 0,
     "in that cycle, or up to 63 later, do what an order below says (repeatable)", 0},
    {"seed", 'S', "N", 0,
     "of serial numbers, of the state boards wake up in, of clocks (default 1)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    unsigned k[3];
    char *end = NULL, extra;
    if (key > 0 && key < (int)sizeof o->given)
        o->given[key] = true;
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
        o->kinds = strcmp(arg, "golden") && strcmp(arg, "rtl") && strcmp(arg, "small") &&
                           strcmp(arg, "bitstream")
                       ? arg
                       : NULL;
        return 0;
    case 'i':
        o->bitstream = arg;
        return 0;
    case 'o':
        o->beside = arg;
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
    case 'A': {
        errno = 0;
        unsigned long long cycle = strtoull(arg, &end, 10);
        if (arg[0] < '0' || arg[0] > '9' || *end != ':' || errno == ERANGE)
            argp_failure(state, 2, 0, "--at %s: write CYCLE:ORDER, e.g. --at '50000:reset 3'", arg);
        if (o->orders == MAX_ORDERS)
            argp_failure(state, 2, 0, "--at: at most %d times", MAX_ORDERS);
        o->order_at[o->orders++] = (struct timed_order){.cycle = cycle, .order = end + 1};
        return 0;
    }
    case ARGP_KEY_ARG: {
        size_t used = strlen(o->order);
        if (used + strlen(arg) + 3 > sizeof o->order)
            argp_failure(state, 2, 0, "%s: too long", arg);
        snprintf(o->order + used, sizeof o->order - used, "%s%s", used ? " " : "", arg);
        return 0;
    }
    case 'K':
        if (!strcmp(arg, "ft2232h") || !strcmp(arg, "ft232h"))
            o->chip = arg[3] == '3' ? FTDI_232H : FTDI_2232H;
        else if (!strcmp(arg, "ft231x"))
            o->chip = FTDI_231X;
        else
            argp_failure(state, 2, 0, "--chip %s: ft2232h, ft232h or ft231x", arg);
        return 0;
    case 'k':
        if (strcmp(arg, "plain") && strcmp(arg, "reliable") && strcmp(arg, "phy"))
            argp_failure(state, 2, 0, "--link %s: plain, reliable or phy", arg);
        o->reliable = arg[0] == 'r';
        o->phy = !strcmp(arg, "phy");
        return 0;
    case 'T':
        if (o->stucks == MAX_PLUGS)
            argp_failure(state, 2, 0, "--stuck: at most %d times", MAX_PLUGS);
        o->stuck[o->stucks++] = arg;
        return 0;
    case 'j': {
        unsigned long percent = strtoul(arg, &end, 10);
        if (arg[0] < '0' || arg[0] > '9' || *end || percent > 50)
            argp_failure(state, 2, 0, "--jitter %s: 0 to 50, percent of a bit", arg);
        o->jitter = (unsigned)percent;
        return 0;
    }
    case 'N':
        if (strcmp(arg, "0") && strcmp(arg, "8"))
            argp_failure(state, 2, 0, "--channels %s: 0 or 8", arg);
        o->channels = arg[0] == '8' ? 8 : 0;
        return 0;
    case 'E':
        o->user = true;
        return 0;
    case 'G':
        o->logic = arg;
        return 0;
    case 'U':
        if (o->pulls == MAX_PLUGS)
            argp_failure(state, 2, 0, "--pull: at most %d times", MAX_PLUGS);
        o->pull[o->pulls++] = arg;
        return 0;
    case 'e':
    case 'r': {
        double rate = strtod(arg, &end);
        if (end == arg || *end || !(rate >= 0 && rate <= 0.5))
            argp_failure(state, 2, 0, "%s: a rate from 0 to 0.5", arg);
        *(key == 'e' ? &o->bit_errors : &o->bursts) = rate;
        return 0;
    }
    case ARGP_KEY_END:
        if (!o->reliable && !o->phy && (o->bit_errors > 0 || o->bursts > 0 || o->spread))
            argp_failure(state, 2, 0, "--bit-errors, --bursts, --spread: not with --link plain");
        if (!o->reliable && (o->pulls || o->misfit >= 0))
            argp_failure(state, 2, 0, "--pull, --misfit: with --link reliable");
        if (!o->phy && o->stucks)
            argp_failure(state, 2, 0, "--stuck: with --link phy");
        if (!o->phy && o->jitter)
            argp_failure(state, 2, 0, "--jitter: with --link phy");
        if (o->phy && (o->break_at || o->ledger))
            argp_failure(state, 2, 0, "--break, --ledger: not with --link phy");
        if (o->user && !o->channels)
            argp_failure(state, 2, 0, "--user: goes with --channels 8");
        if (o->user && o->break_at)
            argp_failure(state, 2, 0, "--break: no golden model is beside boards with --user");
        if ((o->reliable || o->phy) && o->ppm > MAX_LINK_PPM)
            argp_failure(state, 2, 0,
                         "--ppm: at most %d, which is what a link's physical layer makes up for; "
                         "more only with --link plain",
                         MAX_LINK_PPM);
        if (o->latency + o->spread > MAX_LATENCY)
            argp_failure(state, 2, 0, "--latency and --spread: at most %d together", MAX_LATENCY);
        return 0;
    case 'M':
    case 'x':
    case 'u':
    case 'P':
    case 'l':
    case 't':
    case 'B':
    case 'C':
    case 'S': {
        errno = 0;
        unsigned long long value = strtoull(arg, &end, 10);
        // strtoull() takes signs and spaces, and says what is too large by errno
        if (arg[0] < '0' || arg[0] > '9' || *end || errno == ERANGE ||
            (key == 'l' && (value < 1 || value > MAX_LATENCY)) || (key == 'P' && value > MAX_PPM) ||
            (key == 'u' && value > 65535))
            argp_failure(state, 2, 0, "%s: a number%s", arg,
                         key == 'l'   ? " from 1 to 32"
                         : key == 'u' ? " from 0 to 65535"
                         : key == 'P' ? " from 0 to 500000"
                                      : "");
        if (key == 'u')
            o->usbip = true;
        if (key == 'l')
            o->latency = (unsigned)value;
        else if (key == 'M')
            o->misfit = value > INT_MAX ? INT_MAX : (int)value;
        else if (key == 'x')
            o->spread = value > MAX_LATENCY ? MAX_LATENCY : (unsigned)value;
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

// At the end, argp's own of --help as well: what was printed has arrived, or the exit status says
// no.
static void close_output(void)
{
    bool before = ferror(stdout);
    if (!fflush(stdout) && !before)
        return;
    fprintf(stderr, "boardsim: standard output could not be written%s%s\n", before ? "" : ": ",
            before ? "" : strerror(errno));
    _exit(1);
}

const char *options_other(const struct options *o, const char *letters)
{
    for (const struct argp_option *option = list; option->name; option++)
        if (o->given[option->key] && !strchr(letters, option->key))
            return option->name;
    return NULL;
}

struct options options_read(int argc, char **argv)
{
    static const struct argp parser = {
        list,
        parse,
        "[ORDER]",
        "Simulates a torus of boards; each board's UART is a Unix socket that torusctl can use.\v"
        "With an ORDER the simulator that runs already, with the same --sockets, is told: `reset "
        "5`, "
        "board 5 begins anew as by its button; `cut 5.x+`, the cable at that port is pulled; `join "
        "5.x+`, the torus' own is plugged in there, or `join 5.x+:7.y-`, another one. Links fall "
        "with "
        "that, and come up again; then the order is done.\n\n"
        "Board N is node N = x + kx y + kx ky z. Ends on SIGINT or SIGTERM; the exit status is 1 "
        "if an RTL board differed from the golden model. On SIGUSR1 it prints the cycle it is at; "
        "SIGUSR2: all boards lose power and start anew.",
        NULL,
        NULL,
        NULL};
    struct options o = {.torus = {.n = 2, .k = {4, 4}},
                        .kind = 'r',
                        .shadow = true,
                        .directory = ".",
                        .latency = 2,
                        .reliable = true,
                        .misfit = -1,
                        .seed = 1};
    argp_err_exit_status = 2;
    atexit(close_output);
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    o.shadow = o.shadow && !o.phy && !o.user;
    return o;
}
