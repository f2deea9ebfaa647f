// SPDX-License-Identifier: Apache-2.0
// lint-flags: -DBITS=X(bits1) -DRTL=X(rtl) -Isim/cosim -Isim/bitstream
//
// bitsim: boards' bitstreams, decoded and run, one or a torus, beside the RTL they were made from
// if that is one. A board and its RTL boot from a model of the SPI flash, or an ECP5's from block
// RAM, and get the same bytes on their UART; all output pins are compared in every cycle. The UART
// is a Unix socket: torusctl -t unix:PATH, in a torus that of board 0; --host: of another one, too.
//
//     bitsim [--flash FILE]... [--socket PATH] [--divisor N] [--cycles N] [--seed N] [--alone]
//            [--host N:BIT:PATH]... [--record N:FILE]... [--dims KxK[xK]] [--pull N:PORT]...
//            [--loose N:PORT]... [--loop N:PORT]... [--open N:PORT:WIRE]... [--straight]
//            [--errors N]
//
// FILE: the flash's content from its first byte on, of all boards, or once a board in their order.
// N, BIT: cycles a UART bit takes (417), cycles to run (until it is told to end), seed of what
// configuration does not set and of cables. --alone: no RTL beside. --record: the run of board N as
// session.h has it, for flips.c. --dims: that torus, of as many
// bitstreams as were built in and as many dimensions as these have; its cables, each of another
// length and its wires of others, are drawn from the seed, and there is none where K is 1. --pull:
// the cable at that port of board N is out; --loose: it is at first in, and at every SIGUSR1
// pulled, or plugged in again, with all others that are loose. --loop: what goes out at that port
// comes in there, over jumpers, in place of its cable, which may be pulled but not loose. --open:
// that data wire is open where it comes in. --straight: a cable's wires are as
// long as its clock, for boards that do not train (LINK 3). --errors: on each data wire of each
// cable one of so many bits is wrong on the average, from the end of reset on, drawn from the seed.
// Boards in a torus may be of RTL in place of a bitstream (build.sh), and of several kinds with as
// many cables; those of RTL get the serial numbers 00000000000000a1, a2 and so on, by their place.
// All have clocks of one rate here.
//
// Ends at SIGTERM or SIGINT, after --cycles, or at the first cycle in which pins differ; then says
// what it saw. Exit status: 0 all pins were equal; 1 they differ; 2 wrong use.

#define _GNU_SOURCE
#include "at_pins.h"
#include "chip.h"
#include "rng.h"
#include "serial_line.h"
#include "session.h"
#include "spi_flash.h"
#include "unix_listen.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    BURST = 4096,            // cycles between two looks at the socket
    AWAKE = 4 * 1000 * 1000, // cycles that go by without a host before time slows down
    AWAKE_RECORD = 20000,    // the same for a session that others are to run as well
    NAP_MS = 20,
    QUEUE = 1024, // a power of 2
    MAX_BOARDS = AT_PINS_BOARDS,
    DIMS = 3,
    PORTS = 2 * DIMS,              // x+, x-, y+, ...
    MAX_ENDS = MAX_BOARDS * PORTS, // of an option
    MAX_WIRES = 16,
    TOGETHER = 16, // cycles of a board of a torus before it is the next one's turn
    LINE = 128,    // half periods that a cable remembers, a power of 2
    LENGTH = 24,   // a cable takes 2 TOGETHER of them and up to so many more,
    SKEW = 3,      // and a wire of it up to so many more
    // Until then a cable's pins are 0 on a chip, and anything in the RTL.
    RESET = CHIP_RESET + 64,
    FIRST_SERIAL = 0xa1,
};

// What is built in: by build.sh, BITS as X(bits1) X(bits2), RTL as X(rtl) or nothing.
#define X(name) extern const struct chip_ops chip_##name;
BITS RTL
#undef X
#define X(name) &chip_##name,
    static const struct chip_ops *const all_bits[] = {BITS NULL},
                                        *const all_rtl[] = {RTL NULL};
#undef X

#define NEVER UINT64_MAX

enum kind { CHIP_BITS, CHIP_RTL, KINDS };

// A byte stream and its line: to the board, and from it.
struct line {
    uint8_t queue[QUEUE];
    unsigned in, out; // bytes put and taken
    struct serial_line wire;
};

static volatile sig_atomic_t ended, moved; // moved: the loose cable is to be

static void on_signal(int number)
{
    (void)number;
    ended = 1;
}

static void on_move(int number)
{
    (void)number;
    moved = 1;
}

noreturn static void die(const char *format, ...)
{
    va_list args;

    fputs("bitsim: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

static uint64_t number(const char *name, const char *text, uint64_t min, uint64_t max)
{
    char *end;

    errno = 0;
    uint64_t n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n < min || n > max)
        die("--%s %s: not a number from %" PRIu64 " to %" PRIu64, name, text, min, max);
    return n;
}

static uint8_t *read_flash(const char *path, size_t *bytes)
{
    struct stat st;
    FILE *f = fopen(path, "rb");

    if (!f || fstat(fileno(f), &st) || st.st_size < 1 || st.st_size > 1 << 24)
        die("--flash %s: %s", path, f ? "empty, or more than a flash of 16 MiB" : strerror(errno));
    uint8_t *image = malloc((size_t)st.st_size);
    if (!image || fread(image, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
        die("--flash %s: cannot read it", path);
    fclose(f);
    *bytes = (size_t)st.st_size;
    return image;
}

static int listen_at(const char *path)
{
    int fd = unix_listen(path);

    if (fd < 0)
        die("--socket %s: %s", path,
            errno == EADDRINUSE ? "another simulator listens there" : strerror(errno));
    return fd;
}

// The level of the line to the board in this cycle.
static bool line_send(struct line *l, uint64_t divisor)
{
    if (!serial_busy(&l->wire) && l->in != l->out)
        serial_put(&l->wire, l->queue[l->out++ % QUEUE], divisor);
    return serial_level(&l->wire, divisor);
}

// Takes the level of the line from the board.
static void line_receive(struct line *l, bool level, uint64_t divisor)
{
    int byte = serial_take(&l->wire, level, divisor);
    if (byte >= 0)
        l->queue[l->in++ % QUEUE] = (uint8_t)byte;
}

// A board: its chip as the bitstream says, and from the RTL if that is run beside.
struct board {
    const struct chip_ops *ops[KINDS];
    struct chip *chip[KINDS];
    struct chip_in in[KINDS];
    struct chip_pins pins[KINDS];
    uint64_t first[KINDS]; // cycle of the first start bit
    struct line to, from;  // its UART,
    uint64_t divisor;      // cycles a bit,
    const char *socket;    // and who is there; NULL: nobody
    int listener, client;
    struct spi_flash flash;
    FILE *record, *record_cables; // NULL: nobody wants it
    bool rx_was;
    uint64_t hash;    // of its pins in all halves
    uint64_t differs; // cycle in which its pins were not its RTL's
    struct {          // the last half periods at its cables' pins
        uint32_t clk[LINE];
        uint64_t data[LINE];
    } line[KINDS];
    struct { // what is at the other end of each cable
        struct board *board;
        unsigned port;
        unsigned delay[MAX_WIRES + 1]; // to here, half periods: of each data wire, of the clock
        uint64_t wrong[MAX_WIRES];     // when the next bit of a data wire is wrong, halves
        unsigned flips[MAX_WIRES];     // halves of such a bit to come
        uint32_t open;                 // data wires that are
    } peer[PORTS];
    struct rng noise;
};

// Bytes between the socket and the lines. Returns whether somebody is there.
static bool serve(struct board *b)
{
    uint8_t bytes[QUEUE];

    if (!b->socket)
        return false;
    if (b->client < 0)
        b->client = accept4(b->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    size_t count = 0;
    while (b->from.out != b->from.in && count < sizeof bytes)
        bytes[count++] = b->from.queue[b->from.out++ % QUEUE];
    if (b->client < 0)
        return false;
    bool gone = count && write(b->client, bytes, count) < 0 && errno != EAGAIN;
    size_t room = QUEUE - (b->to.in - b->to.out);
    ssize_t got = room ? read(b->client, bytes, room) : -1;
    for (ssize_t i = 0; i < got; i++)
        b->to.queue[b->to.in++ % QUEUE] = bytes[i];
    if (gone || got == 0 || (got < 0 && room && errno != EAGAIN && errno != EINTR)) {
        close(b->client);
        b->client = -1;
    }
    return true;
}

// What an option that names cables' ends says, each time it is there.
struct ends {
    const char *name, *at[MAX_ENDS];
    unsigned count;
};

struct options {
    const char *flash[MAX_BOARDS], *record[MAX_BOARDS], *socket[MAX_BOARDS];
    struct ends pull, loose, loop, open;
    uint64_t divisors[MAX_BOARDS]; // of the boards whose UART has its own; 0: `divisor`
    unsigned flashes;
    uint64_t divisor, cycles, seed, errors;
    unsigned k[DIMS];
    bool alone, torus, straight, recorded;
};

static unsigned boards_of(const struct options *o)
{
    return o->k[0] * o->k[1] * o->k[2];
}

// Port x+ of a board to x- of the next one, and so on.
static void plug_in(struct board *b, const struct options *o)
{
    struct rng rng = {o->seed};
    for (unsigned n = 0; n < boards_of(o); n++)
        for (unsigned p = 0; p < PORTS; p++) {
            unsigned at[DIMS] = {n % o->k[0], n / o->k[0] % o->k[1], n / o->k[0] / o->k[1]};
            unsigned k = o->k[p / 2];
            if (k == 1)
                continue;
            at[p / 2] = (at[p / 2] + (p % 2 ? k - 1 : 1)) % k;
            b[n].peer[p].board = &b[(at[2] * o->k[1] + at[1]) * o->k[0] + at[0]];
            b[n].peer[p].port = p ^ 1;
            unsigned length = 2 * TOGETHER + rng_below(&rng, LENGTH + 1);
            for (unsigned w = 0; w <= MAX_WIRES; w++)
                b[n].peer[p].delay[w] = length + (o->straight ? 0 : rng_below(&rng, SKEW + 1));
        }
}

// Bit errors, of every data wire one in `errors` bits, of a board's own noise: the same in every
// run, and for its bitstream and its RTL.
static void be_noisy(struct board *b, const struct options *o)
{
    for (unsigned n = 0; n < boards_of(o) && o->errors; n++) {
        b[n].noise = (struct rng){o->seed + n + 1};
        for (unsigned p = 0; p < PORTS; p++)
            for (unsigned w = 0; w < MAX_WIRES; w++)
                b[n].peer[p].wrong[w] = 2 * (RESET + rng_below(&b[n].noise, 2 * o->errors));
    }
}

// Once a half is over: a bit begins, wrong or not, as its cable's clock falls.
static void noise_goes_on(struct board *b, const struct options *o, uint64_t half)
{
    for (unsigned p = 0; p < PORTS && o->errors; p++) {
        bool begins = b->in[CHIP_BITS].cable_rx_clk >> p & 1;
        for (unsigned w = 0; w < MAX_WIRES; w++) {
            unsigned *flips = &b->peer[p].flips[w];
            *flips -= *flips > 0;
            if (!begins || b->peer[p].wrong[w] > half)
                continue;
            *flips = 2;
            b->peer[p].wrong[w] += 2 + 2 * (uint64_t)rng_below(&b->noise, 2 * o->errors);
        }
    }
}

// BOARD:PORT
static void read_end(const struct board *b, const struct options *o, const char *option,
                     const char *at, unsigned *n, unsigned *p)
{
    char end;
    if (sscanf(at, "%u:%u%c", n, p, &end) != 2 || *n >= boards_of(o) || *p >= b[*n].ops[0]->ports)
        die("--%s %s: write BOARD:PORT, e.g. 0:1", option, at);
}

// The same, where there is a cable.
static void find_end(const struct board *b, const struct options *o, const char *option,
                     const char *at, unsigned *n, unsigned *p)
{
    read_end(b, o, option, at, n, p);
    if (!b[*n].peer[*p].board)
        die("--%s %s: there is no cable", option, at);
}

static void pull(struct board *b, unsigned p)
{
    if (!b->peer[p].board)
        return;
    b->peer[p].board->peer[b->peer[p].port].board = NULL;
    b->peer[p].board = NULL;
}

// Jumpers from a port's outputs to its inputs, where its cable was if it had one.
static void loop(struct board *b, unsigned p, bool straight, struct rng *rng)
{
    pull(b, p);
    b->peer[p].board = b;
    b->peer[p].port = p;
    for (unsigned w = 0; w <= MAX_WIRES; w++)
        b->peer[p].delay[w] = 1 + (straight ? 0 : rng_below(rng, SKEW + 1));
}

// The cable between port p and the board `far`: out, or in again.
static void move(struct board *b, unsigned p, struct board *far, const char *name, uint64_t cycle)
{
    bool in = b->peer[p].board;
    if (in) {
        pull(b, p);
    } else {
        b->peer[p].board = far;
        far->peer[b->peer[p].port].board = b;
    }
    printf("bitsim: cycle %" PRIu64 ": --loose %s is %s\n", cycle, name, in ? "out" : "in again");
    fflush(stdout);
}

// What the cables bring in this half period. A wire that only one end has is 0.
static void cables(struct board *b, enum kind kind, uint64_t half)
{
    const unsigned wires = b->ops[kind]->wires;
    uint32_t clk = 0;
    uint64_t data = 0;
    for (unsigned p = 0; p < PORTS; p++) {
        const struct board *far = b->peer[p].board;
        unsigned port = b->peer[p].port;
        if (!far)
            continue;
        const unsigned far_wires = far->ops[kind]->wires;
        for (unsigned w = 0; w < wires && w < far_wires; w++) {
            uint64_t then = far->line[kind].data[(half - b->peer[p].delay[w]) % LINE];
            data |= (then >> (port * far_wires + w) & 1) << (p * wires + w);
            data ^= (uint64_t)(b->peer[p].flips[w] > 0) << (p * wires + w);
        }
        data &= ~((uint64_t)b->peer[p].open << p * wires);
        uint32_t then = far->line[kind].clk[(half - b->peer[p].delay[MAX_WIRES]) % LINE];
        clk |= (then >> port & 1) << p;
    }
    b->in[kind].cable_rx_clk = clk;
    b->in[kind].cable_rx = data;
}

static bool step_half(struct board *b, enum kind kind, bool clk, uint64_t half)
{
    struct chip_pins *pins = &b->pins[kind];
    bool good = b->ops[kind]->half(b->chip[kind], clk, &b->in[kind], pins);
    b->line[kind].clk[half % LINE] = pins->cable_tx_clk;
    b->line[kind].data[half % LINE] = pins->cable_tx;
    return good;
}

// Pins of cables count once the board is out of reset.
static bool equal(const struct chip_pins *a, const struct chip_pins *b, uint64_t cycle)
{
    bool reset = cycle < RESET;
    return a->uart_tx == b->uart_tx && a->flash_csn == b->flash_csn &&
           a->flash_sck == b->flash_sck && a->flash_mosi == b->flash_mosi && a->led == b->led &&
           (reset || (a->cable_tx_clk == b->cable_tx_clk && a->cable_tx == b->cable_tx));
}

static void show(const char *name, const struct chip_pins *p)
{
    printf("bitsim: %-9s uart_tx %d, flash_csn %d, sck %d, mosi %d, led %02x, cable_tx_clk %x, "
           "cable_tx %" PRIx64 "\n",
           name, p->uart_tx, p->flash_csn, p->flash_sck, p->flash_mosi, p->led, p->cable_tx_clk,
           p->cable_tx);
}

static void read_dims(struct options *o, const char *text)
{
    int end = 0;
    int dims = sscanf(text, "%ux%u%nx%u%n", &o->k[0], &o->k[1], &end, &o->k[2], &end);
    if (dims < 2 || text[end] || o->k[0] - 1 >= MAX_BOARDS || o->k[1] - 1 >= MAX_BOARDS ||
        o->k[2] - 1 >= MAX_BOARDS)
        die("--dims %s: write KxK or KxKxK, e.g. 2x2, each from 1 to %d", text, MAX_BOARDS);
    for (const struct chip_ops *const *chip = all_bits; *chip; chip++)
        if ((*chip)->ports != 2U * (unsigned)dims || (*chip)->wires > MAX_WIRES)
            die("--dims %s: %u dimensions, up to %d wires a cable; %s has %u of %u", text,
                (unsigned)dims, MAX_WIRES, (*chip)->name, (*chip)->ports, (*chip)->wires);
    o->torus = true;
}

static void read_record(struct options *o, const char *text)
{
    unsigned n;
    int end = 0;
    if (sscanf(text, "%u:%n", &n, &end) != 1 || !end || n >= MAX_BOARDS || !text[end])
        die("--record %s: write BOARD:FILE, e.g. 0:session", text);
    o->record[n] = text + end;
    o->recorded = true;
}

static void read_host(struct options *o, const char *text)
{
    unsigned n;
    uint64_t divisor;
    int end = 0;
    if (sscanf(text, "%u:%" SCNu64 ":%n", &n, &divisor, &end) != 2 || !end || n >= MAX_BOARDS ||
        divisor < 4 || divisor > 65535 || !text[end])
        die("--host %s: write BOARD:DIVISOR:PATH, e.g. 1:14:/tmp/second.sock", text);
    o->socket[n] = text + end;
    o->divisors[n] = divisor;
}

static void add_end(struct ends *e)
{
    if (e->count == MAX_ENDS)
        die("--%s %s: up to %d", e->name, optarg, MAX_ENDS);
    e->at[e->count++] = optarg;
}

static void parse(struct options *o, int argc, char **argv)
{
    static const struct option options[] = {
        {"flash", required_argument, NULL, 'f'},  {"socket", required_argument, NULL, 's'},
        {"host", required_argument, NULL, 'h'},   {"divisor", required_argument, NULL, 'd'},
        {"cycles", required_argument, NULL, 'c'}, {"seed", required_argument, NULL, 'r'},
        {"alone", no_argument, NULL, 'a'},        {"record", required_argument, NULL, 'w'},
        {"dims", required_argument, NULL, 'k'},   {"pull", required_argument, NULL, 'p'},
        {"loose", required_argument, NULL, 'l'},  {"straight", no_argument, NULL, 't'},
        {"errors", required_argument, NULL, 'e'}, {"loop", required_argument, NULL, 'o'},
        {"open", required_argument, NULL, 'n'},   {NULL, 0, NULL, 0},
    };
    int opt;

    while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (opt == 'f' && o->flashes < MAX_BOARDS)
            o->flash[o->flashes++] = optarg;
        else if (opt == 'f')
            die("--flash %s: up to %d", optarg, MAX_BOARDS);
        else if (opt == 's')
            o->socket[0] = optarg;
        else if (opt == 'h')
            read_host(o, optarg);
        else if (opt == 'd')
            o->divisor = number("divisor", optarg, 4, 65535);
        else if (opt == 'c')
            o->cycles = number("cycles", optarg, 1, UINT64_MAX);
        else if (opt == 'r')
            o->seed = number("seed", optarg, 0, UINT64_MAX);
        else if (opt == 'a')
            o->alone = true;
        else if (opt == 'w')
            read_record(o, optarg);
        else if (opt == 'p')
            add_end(&o->pull);
        else if (opt == 'l')
            add_end(&o->loose);
        else if (opt == 'o')
            add_end(&o->loop);
        else if (opt == 'n')
            add_end(&o->open);
        else if (opt == 't')
            o->straight = true;
        else if (opt == 'e')
            o->errors = number("errors", optarg, 1, INT32_MAX);
        else if (opt == 'k')
            read_dims(o, optarg);
        else
            exit(2);
    }
    if (optind != argc)
        die("usage: bitsim [--flash FILE]... [--socket PATH] [--divisor N] [--cycles N] [--seed N]"
            " [--alone] [--host N:BIT:PATH]... [--record N:FILE]... [--dims KxK[xK]] [--pull "
            "N:PORT]... [--loose N:PORT]..."
            " [--loop N:PORT]... [--open N:PORT:WIRE]... [--straight] [--errors N]");
    unsigned built = sizeof all_bits / sizeof *all_bits - 1;
    if (boards_of(o) != built)
        die("--dims: %u boards, and %u are built in", boards_of(o), built);
    if (o->flashes > 1 && o->flashes != built)
        die("--flash: %u, for %u boards: one for all, or one each", o->flashes, built);
    for (unsigned n = built; n < MAX_BOARDS; n++)
        if (o->record[n] || o->socket[n])
            die("--%s %u:...: of %u boards", o->record[n] ? "record" : "host", n, built);
    for (unsigned n = 0; n < built && o->torus; n++)
        if (o->record[n] && (all_bits[n]->ports > SESSION_RX || all_bits[n]->wires > SESSION_WIRES))
            die("--record %u:%s: up to %d cables of %d wires", n, o->record[n], SESSION_RX,
                SESSION_WIRES);
    const struct ends *const ends[] = {&o->pull, &o->loose, &o->loop, &o->open};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i]->count && !o->torus)
            die("--%s: with --dims", ends[i]->name);
    if (o->errors && !o->torus)
        die("--errors: with --dims");
    o->alone |= !all_rtl[0];
}

static FILE *create(const char *path, const char *behind)
{
    char name[4096];
    snprintf(name, sizeof name, "%s%s", path, behind);
    FILE *f = fopen(name, "w");
    if (!f)
        die("--record %s: %s", name, strerror(errno));
    return f;
}

static void begin_record(struct board *b, const struct options *o, const char *path)
{
    b->record = create(path, "");
    b->record_cables = o->torus ? create(path, SESSION_CABLES) : NULL;
}

static void end_record(struct board *b, const char *path, uint64_t cycles)
{
    session_write_end(b->record, cycles, b->hash);
    if (fclose(b->record) != 0 || (b->record_cables && fclose(b->record_cables) != 0))
        die("--record %s: %s", path, strerror(errno));
}

// Inputs of a half of a cycle, before it.
static void record(struct board *b, bool clk, uint64_t cycle)
{
    if (!clk && b->in->uart_rx != b->rx_was)
        session_write_rx(b->record, cycle, b->in->uart_rx);
    if (!clk && cycle && cycle % SESSION_CHECK == 0)
        session_write_hash(b->record, cycle, b->hash);
    b->rx_was = b->in->uart_rx;
    uint16_t cables = session_cables(b->in);
    if (b->record_cables)
        fwrite(&cables, sizeof cables, 1, b->record_cables);
}

// A cycle of a board. Returns false when a model ended the simulation.
static bool step(struct board *b, const struct options *o, unsigned kinds, uint64_t cycle)
{
    bool good = true;
    for (enum kind kind = 0; kind < kinds; kind++)
        b->in[kind].uart_rx = kind ? b->in[0].uart_rx : line_send(&b->to, b->divisor);
    for (unsigned clk = 0; clk < 2; clk++) {
        for (enum kind kind = 0; kind < kinds; kind++) {
            if (o->torus)
                cables(b, kind, 2 * cycle + clk);
            bool recorded = kind == CHIP_BITS && b->record;
            if (recorded)
                record(b, clk, cycle);
            good = step_half(b, kind, clk, 2 * cycle + clk) && good;
            if (recorded)
                b->hash = session_hash(b->hash, session_pins(b->pins));
        }
        noise_goes_on(b, o, 2 * cycle + clk);
    }
    if (kinds == KINDS && !equal(&b->pins[CHIP_BITS], &b->pins[CHIP_RTL], cycle))
        b->differs = cycle;
    for (enum kind kind = 0; kind < kinds; kind++)
        if (!b->pins[kind].uart_tx && !b->first[kind])
            b->first[kind] = cycle;
    b->in[CHIP_BITS].flash_miso = b->in[CHIP_RTL].flash_miso =
        spi_flash_step(&b->flash, b->pins->flash_csn, b->pins->flash_sck, b->pins->flash_mosi);
    line_receive(&b->from, b->pins->uart_tx, b->divisor);
    return good;
}

int main(int argc, char **argv)
{
    struct options o = {.divisor = 417,
                        .cycles = UINT64_MAX,
                        .seed = 1,
                        .k = {1, 1, 1},
                        .pull.name = "pull",
                        .loose.name = "loose",
                        .loop.name = "loop",
                        .open.name = "open"};
    parse(&o, argc, argv);

    unsigned boards = boards_of(&o), kinds = o.alone ? 1 : KINDS;
    struct board *b = calloc(boards, sizeof *b);
    uint8_t *image[MAX_BOARDS] = {NULL};
    size_t bytes[MAX_BOARDS] = {0};
    struct sigaction action = {.sa_handler = on_signal};

    if (!b)
        die("out of memory");
    for (unsigned i = 0; i < o.flashes; i++)
        image[i] = read_flash(o.flash[i], &bytes[i]);

    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    for (unsigned n = 0; n < boards; n++) {
        unsigned i = o.flashes > 1 ? n : 0;
        spi_flash_init(&b[n].flash, image[i], 0, bytes[i]);
        b[n].hash = SESSION_HASH_START;
        b[n].differs = NEVER;
        b[n].rx_was = true;
        b[n].divisor = o.divisors[n] ? o.divisors[n] : o.divisor;
        b[n].socket = o.socket[n];
        b[n].listener = o.socket[n] ? listen_at(o.socket[n]) : -1;
        b[n].client = -1;
        if (o.record[n])
            begin_record(&b[n], &o, o.record[n]);
        b[n].ops[CHIP_BITS] = all_bits[n];
        b[n].ops[CHIP_RTL] = all_rtl[0];
        for (enum kind kind = 0; kind < kinds; kind++) {
            b[n].in[kind] = (struct chip_in){.uart_rx = true, .flash_miso = true};
            if (!(b[n].chip[kind] = b[n].ops[kind]->create(o.seed)))
                die("out of memory");
            if (o.torus && b[n].ops[kind]->serial)
                b[n].ops[kind]->serial(b[n].chip[kind], FIRST_SERIAL + n);
        }
    }
    if (o.torus)
        plug_in(b, &o);
    struct {
        unsigned board, port;
        struct board *far; // at the other end
    } loose[MAX_ENDS];
    for (unsigned i = 0; i < o.loose.count; i++) {
        find_end(b, &o, "loose", o.loose.at[i], &loose[i].board, &loose[i].port);
        const struct board *here = &b[loose[i].board];
        loose[i].far = here->peer[loose[i].port].board;
        for (unsigned j = 0; j < i; j++)
            if ((&b[loose[j].board] == here && loose[j].port == loose[i].port) ||
                (loose[j].far == here &&
                 b[loose[j].board].peer[loose[j].port].port == loose[i].port))
                die("--loose %s: it is loose already", o.loose.at[i]);
    }
    if (o.loose.count)
        sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_move}, NULL);
    for (unsigned i = 0; i < o.pull.count; i++) {
        unsigned n, port;
        find_end(b, &o, "pull", o.pull.at[i], &n, &port);
        pull(&b[n], port);
    }
    struct rng jumpers = {o.seed + boards + 1}; // none of their noises
    for (unsigned i = 0; i < o.loop.count; i++) {
        unsigned n, p;
        read_end(b, &o, "loop", o.loop.at[i], &n, &p);
        for (unsigned j = 0; j < o.loose.count; j++)
            if ((loose[j].board == n && loose[j].port == p) ||
                (loose[j].far == &b[n] && b[loose[j].board].peer[loose[j].port].port == p))
                die("--loop %s: the cable there is that of --loose %s", o.loop.at[i],
                    o.loose.at[j]);
        loop(&b[n], p, o.straight, &jumpers);
    }
    for (unsigned i = 0; i < o.open.count; i++) {
        unsigned n, p, w;
        char end;
        if (sscanf(o.open.at[i], "%u:%u:%u%c", &n, &p, &w, &end) != 3 || n >= boards ||
            p >= b[n].ops[0]->ports || w >= b[n].ops[0]->wires)
            die("--open %s: write BOARD:PORT:WIRE, e.g. 0:1:2", o.open.at[i]);
        b[n].peer[p].open |= 1U << w;
    }
    be_noisy(b, &o);
    printf("bitsim: seed %" PRIu64, o.seed);
    for (unsigned n = 0; n < boards; n++)
        if (b[n].socket)
            printf(", %s", b[n].socket);
    putchar('\n');
    fflush(stdout);

    bool same = true, good = true;
    uint64_t cycle = 0, quiet = 0;
    clock_t began = clock();
    while (!ended && same && good && cycle < o.cycles) {
        if (cycle % BURST == 0) {
            bool served = false, hosts = false;
            for (unsigned n = 0; n < boards; n++) {
                served = serve(&b[n]) || served;
                hosts = hosts || b[n].socket;
            }
            quiet = served || !hosts ? 0 : quiet + BURST;
            if (quiet > (o.recorded ? AWAKE_RECORD : AWAKE)) {
                struct pollfd wait[MAX_BOARDS];
                for (unsigned n = 0; n < boards; n++)
                    wait[n] = (struct pollfd){.fd = b[n].listener, .events = POLLIN};
                poll(wait, boards, NAP_MS);
            }
        }
        if (moved) {
            moved = 0;
            for (unsigned i = 0; i < o.loose.count; i++)
                move(&b[loose[i].board], loose[i].port, loose[i].far, o.loose.at[i], cycle);
        }
        // What a cable brings was sent before: TOGETHER cycles of one board, then of the next one.
        uint64_t end = cycle + (o.torus ? TOGETHER : 1);
        for (unsigned n = 0; n < boards; n++)
            for (uint64_t at = cycle; at < end && b[n].differs == NEVER; at++)
                good = step(&b[n], &o, kinds, at) && good;
        for (unsigned n = 0; n < boards; n++)
            same = same && b[n].differs == NEVER;
        cycle = end;
    }
    for (unsigned n = 0; n < boards; n++)
        if (o.record[n])
            end_record(&b[n], o.record[n], cycle);
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    printf("bitsim: %" PRIu64 " cycles, %.0f a second\n", cycle,
           seconds > 0 ? (double)cycle / seconds : 0);
    for (enum kind kind = 0; kind < kinds; kind++) {
        const char *name = b->ops[kind]->name;
        if (b->first[kind])
            printf("bitsim: %s: first byte in cycle %" PRIu64 "\n", name, b->first[kind]);
        else
            printf("bitsim: %s: no byte was sent\n", name);
    }
    if (!good)
        puts("bitsim: a model ended the simulation");
    for (unsigned n = 0; n < boards; n++)
        if (b[n].differs != NEVER)
            printf("bitsim: pins DIFFER in cycle %" PRIu64 ", board %u\n", b[n].differs, n);
    if (good && same && !o.alone)
        puts("bitsim: all output pins were equal in every cycle");
    for (unsigned n = 0; o.torus && n < boards; n++)
        printf("bitsim: board %u: led %02x\n", n, b[n].pins[CHIP_BITS].led);
    for (unsigned n = 0; n < boards; n++)
        for (enum kind kind = 0; kind < kinds; kind++) {
            if (b[n].differs != NEVER)
                show(b[n].ops[kind]->name, &b[n].pins[kind]);
            b[n].ops[kind]->destroy(b[n].chip[kind]);
        }
    for (unsigned n = 0; n < boards; n++)
        if (b[n].socket)
            unlink(b[n].socket);
    free(b);
    for (unsigned i = 0; i < o.flashes; i++)
        free(image[i]);
    return same && good ? 0 : 1;
}
