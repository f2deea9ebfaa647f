// SPDX-License-Identifier: Apache-2.0
//
// bitsim: a board's bitstream, decoded and run, beside the RTL it was made from. Both boot from a
// model of the SPI flash, or an ECP5's from block RAM, and get the same bytes on their UART; all
// output pins are compared in every cycle. The UART is a Unix socket: torusctl -t unix:PATH.
//
//     bitsim [--flash FILE] [--socket PATH] [--divisor N] [--cycles N] [--seed N] [--alone]
//            [--record FILE]
//
// FILE: the flash's content from its first byte on. N: cycles a UART bit takes (417), cycles to run
// (until it is told to end), seed of what configuration does not set. --alone: no RTL beside.
// --record: the run as session.h reads it, for flips.c.
//
// Ends at SIGTERM or SIGINT, after --cycles, or at the first cycle in which pins differ; then says
// what it saw. Exit status: 0 all pins were equal; 1 they differ; 2 wrong use.

#define _GNU_SOURCE
#include "chip.h"
#include "serial_line.h"
#include "session.h"
#include "spi_flash.h"

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
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    BURST = 4096,            // cycles between two looks at the socket
    AWAKE = 4 * 1000 * 1000, // cycles that go by without a host before time slows down
    AWAKE_RECORD = 20000,    // the same for a session that others are to run as well
    NAP_MS = 20,
    QUEUE = 1024, // a power of 2
};

// A byte stream and its line: to the board, and from it.
struct line {
    uint8_t queue[QUEUE];
    unsigned in, out; // bytes put and taken
    struct serial_line wire;
};

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
    (void)number;
    ended = 1;
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
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof address.sun_path)
        die("--socket %s: the path is too long", path);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    unlink(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 1))
        die("--socket %s: %s", path, strerror(errno));
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

// Bytes between the socket and the lines. Returns whether somebody is there.
static bool serve(int listener, int *client, struct line *to, struct line *from)
{
    uint8_t bytes[QUEUE];

    if (listener < 0)
        return true;
    if (*client < 0)
        *client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    size_t count = 0;
    while (from->out != from->in && count < sizeof bytes)
        bytes[count++] = from->queue[from->out++ % QUEUE];
    if (*client < 0)
        return false;
    bool gone = count && write(*client, bytes, count) < 0 && errno != EAGAIN;
    size_t room = QUEUE - (to->in - to->out);
    ssize_t got = room ? read(*client, bytes, room) : -1;
    for (ssize_t i = 0; i < got; i++)
        to->queue[to->in++ % QUEUE] = bytes[i];
    if (gone || got == 0 || (got < 0 && room && errno != EAGAIN && errno != EINTR)) {
        close(*client);
        *client = -1;
    }
    return true;
}

static bool equal(const struct chip_pins *a, const struct chip_pins *b)
{
    return a->uart_tx == b->uart_tx && a->flash_csn == b->flash_csn &&
           a->flash_sck == b->flash_sck && a->flash_mosi == b->flash_mosi && a->led == b->led;
}

static void show(const char *name, const struct chip_pins *p)
{
    printf("bitsim: %-9s uart_tx %d, flash_csn %d, sck %d, mosi %d, led %02x\n", name, p->uart_tx,
           p->flash_csn, p->flash_sck, p->flash_mosi, p->led);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"flash", required_argument, NULL, 'f'},   {"socket", required_argument, NULL, 's'},
        {"divisor", required_argument, NULL, 'd'}, {"cycles", required_argument, NULL, 'c'},
        {"seed", required_argument, NULL, 'r'},    {"alone", no_argument, NULL, 'a'},
        {"record", required_argument, NULL, 'w'},  {NULL, 0, NULL, 0},
    };
    const char *flash_path = NULL, *socket_path = NULL, *record_path = NULL;
    uint64_t divisor = 417, cycles = UINT64_MAX, seed = 1;
    bool alone = false;
    int opt;

    while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (opt == 'f')
            flash_path = optarg;
        else if (opt == 's')
            socket_path = optarg;
        else if (opt == 'd')
            divisor = number("divisor", optarg, 4, 65535);
        else if (opt == 'c')
            cycles = number("cycles", optarg, 1, UINT64_MAX - 1);
        else if (opt == 'r')
            seed = number("seed", optarg, 0, UINT64_MAX - 1);
        else if (opt == 'a')
            alone = true;
        else if (opt == 'w')
            record_path = optarg;
        else
            return 2;
    }
    if (optind != argc)
        die("usage: bitsim [--flash FILE] [--socket PATH] [--divisor N] [--cycles N] [--seed N]"
            " [--alone] [--record FILE]");

    const struct chip_ops *ops[2] = {&chip_bits, &chip_rtl};
    struct chip *chip[2];
    struct chip_pins pins[2];
    uint64_t first[2] = {0, 0}; // cycle of the first start bit
    unsigned chips = alone ? 1 : 2;
    size_t bytes = 1;
    uint8_t *image = flash_path ? read_flash(flash_path, &bytes) : calloc(1, bytes);
    struct spi_flash flash;
    struct line to = {0}, from = {0};
    int listener = socket_path ? listen_at(socket_path) : -1, client = -1;
    struct sigaction action = {.sa_handler = on_signal};

    FILE *record = record_path ? fopen(record_path, "w") : NULL;
    if (record_path && !record)
        die("--record %s: %s", record_path, strerror(errno));

    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    spi_flash_init(&flash, image, 0, bytes);
    for (unsigned i = 0; i < chips; i++)
        if (!(chip[i] = ops[i]->create(seed)))
            die("out of memory");
    printf("bitsim: seed %" PRIu64 "%s%s\n", seed, socket_path ? ", " : "",
           socket_path ? socket_path : "");
    fflush(stdout);

    bool miso = true, same = true, good = true, rx_was = true;
    uint64_t cycle = 0, quiet = 0, hash = SESSION_HASH_START;
    clock_t began = clock();
    while (!ended && same && good && cycle < cycles) {
        if (cycle % BURST == 0) {
            quiet = serve(listener, &client, &to, &from) ? 0 : quiet + BURST;
            if (quiet > (record ? AWAKE_RECORD : AWAKE)) {
                struct pollfd wait = {.fd = listener, .events = POLLIN};
                poll(&wait, 1, NAP_MS);
            }
        }
        bool rx = line_send(&to, divisor);
        if (record && rx != rx_was)
            session_write_rx(record, cycle, rx);
        rx_was = rx;
        for (unsigned i = 0; i < chips; i++) {
            good = ops[i]->step(chip[i], rx, miso, &pins[i]) && good;
            if (!pins[i].uart_tx && !first[i])
                first[i] = cycle;
        }
        same = alone || equal(&pins[0], &pins[1]);
        miso = spi_flash_step(&flash, pins[0].flash_csn, pins[0].flash_sck, pins[0].flash_mosi);
        line_receive(&from, pins[0].uart_tx, divisor);
        hash = session_hash(hash, session_pins(&pins[0]));
        cycle++;
    }
    if (record) {
        session_write_end(record, cycle, hash);
        if (fclose(record) != 0)
            die("--record %s: %s", record_path, strerror(errno));
    }
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    printf("bitsim: %" PRIu64 " cycles, %.0f a second\n", cycle,
           seconds > 0 ? (double)cycle / seconds : 0);
    for (unsigned i = 0; i < chips; i++) {
        if (first[i])
            printf("bitsim: %s: first byte in cycle %" PRIu64 "\n", ops[i]->name, first[i]);
        else
            printf("bitsim: %s: no byte was sent\n", ops[i]->name);
    }
    if (!good)
        puts("bitsim: a model ended the simulation");
    else if (!same)
        printf("bitsim: pins DIFFER in cycle %" PRIu64 "\n", cycle - 1);
    else if (!alone)
        puts("bitsim: all output pins were equal in every cycle");
    for (unsigned i = 0; i < chips; i++) {
        if (!same)
            show(ops[i]->name, &pins[i]);
        ops[i]->destroy(chip[i]);
    }
    if (socket_path)
        unlink(socket_path);
    free(image);
    return same && good ? 0 : 1;
}
