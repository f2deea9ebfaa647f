// SPDX-License-Identifier: Apache-2.0
#include "usbip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    VERSION = 0x0111,
    OP_BYTES = 8,
    BUS_ID = 32,
    DEVICE_BYTES = 312,
    HEADER = 48,                     // of every message once a device is imported
    MAX_TRANSFER = 1 << 16,          // bytes; more is refused
    MAX_URBS = 64,                   // a client's under way
    OUTPUT_LIMIT = 4 * MAX_TRANSFER, // no more input is read while so much waits to be sent
};

enum { REQ_DEVLIST = 0x8005, REP_DEVLIST = 5, REQ_IMPORT = 0x8003, REP_IMPORT = 3 };
enum { CMD_SUBMIT = 1, CMD_UNLINK = 2, RET_SUBMIT = 3, RET_UNLINK = 4 };
enum { ST_OK = 0, ST_BUSY = 2, ST_NO_DEVICE = 4 };

// A bulk transfer under way, in the order of submission.
struct urb {
    uint32_t number;
    unsigned endpoint;
    bool in;
    uint32_t bytes, done;
    uint8_t *data;
};

struct client {
    int fd, device; // device: -1 before import
    uint8_t input[HEADER + MAX_TRANSFER];
    size_t got;
    uint8_t *output;
    size_t output_size, output_count;
    struct urb urb[MAX_URBS];
    unsigned urbs;
};

struct usbip {
    int listener;
    unsigned port, chips;
    struct ftdi_chip *chip;
    struct client *client[USBIP_CLIENTS];
};

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint64_t microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

struct usbip *usbip_new(unsigned port, struct ftdi_chip *chip, unsigned chips)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    struct usbip *u = calloc(1, sizeof *u);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!u || fd < 0 || bind(fd, (struct sockaddr *)&address, size) || listen(fd, 16) ||
        getsockname(fd, (struct sockaddr *)&address, &size)) {
        int error = errno;
        free(u);
        if (fd >= 0)
            close(fd);
        errno = error;
        return NULL;
    }
    *u = (struct usbip){
        .listener = fd, .port = ntohs(address.sin_port), .chip = chip, .chips = chips};
    return u;
}

unsigned usbip_port(const struct usbip *u)
{
    return u->port;
}

bool usbip_attached(const struct usbip *u, unsigned device)
{
    for (unsigned i = 0; i < USBIP_CLIENTS; i++)
        if (u->client[i] && u->client[i]->device == (int)device)
            return true;
    return false;
}

static void drop(struct usbip *u, unsigned i)
{
    struct client *c = u->client[i];
    for (unsigned n = 0; n < c->urbs; n++)
        free(c->urb[n].data);
    close(c->fd);
    free(c->output);
    free(c);
    u->client[i] = NULL;
}

void usbip_free(struct usbip *u)
{
    for (unsigned i = 0; i < USBIP_CLIENTS; i++)
        if (u->client[i])
            drop(u, i);
    close(u->listener);
    free(u);
}

// Room for so many bytes of output, zeroed; NULL: no memory.
static uint8_t *append(struct client *c, size_t bytes)
{
    if (c->output_count + bytes > c->output_size) {
        size_t size = 2 * (c->output_count + bytes);
        uint8_t *more = realloc(c->output, size);
        if (!more)
            return NULL;
        c->output = more;
        c->output_size = size;
    }
    uint8_t *at = c->output + c->output_count;
    memset(at, 0, bytes);
    c->output_count += bytes;
    return at;
}

// Before import -----------------------------------------------------------------------------------

static void describe(const struct usbip *u, unsigned device, uint8_t *to)
{
    const struct ftdi_chip *chip = &u->chip[device];
    uint8_t d[FTDI_DESCRIPTORS];
    ftdi_descriptors(chip, d);
    snprintf((char *)to, 256, "/sys/devices/outflank/usb1/1-%u", device + 1);
    snprintf((char *)to + 256, BUS_ID, "1-%u", device + 1);
    put32(to + 288, 1);                                // bus
    put32(to + 292, device + 2);                       // address; 1 is the hub
    put32(to + 296, ftdi_packet(chip) == 512 ? 3 : 2); // high or full speed
    const uint8_t rest[] = {d[9],  d[8],     d[11], d[10], d[13],
                            d[12], d[4],     d[5],  d[6],  chip->configuration,
                            d[17], d[18 + 4]};
    memcpy(to + 300, rest, sizeof rest);
}

static bool reply(struct client *c, unsigned code, uint32_t status)
{
    uint8_t *to = append(c, OP_BYTES);
    if (!to)
        return false;
    put32(to, (uint32_t)VERSION << 16 | code);
    put32(to + 4, status);
    return true;
}

static bool send_list(const struct usbip *u, struct client *c)
{
    uint8_t *count = reply(c, REP_DEVLIST, ST_OK) ? append(c, 4) : NULL;
    if (!count)
        return false;
    put32(count, u->chips);
    for (unsigned i = 0; i < u->chips; i++) {
        uint8_t d[FTDI_DESCRIPTORS], *to;
        ftdi_descriptors(&u->chip[i], d);
        unsigned interfaces = d[18 + 4];
        if (!(to = append(c, DEVICE_BYTES + 4 * interfaces)))
            return false;
        describe(u, i, to);
        for (unsigned n = 0; n < interfaces; n++)
            memset(to + DEVICE_BYTES + 4 * n, 0xff, 3); // vendor specific
    }
    return true;
}

// How many bytes of the input are done with, 0: more must come; -1: nonsense, or no memory.
static int operation(struct usbip *u, struct client *c, bool (*taken)(void *ctx, unsigned device),
                     void *ctx)
{
    char id[BUS_ID + 1] = "", after;
    unsigned device;
    if (c->got < OP_BYTES)
        return 0;
    if (get32(c->input) == ((uint32_t)VERSION << 16 | REQ_DEVLIST))
        return send_list(u, c) ? OP_BYTES : -1;
    if (get32(c->input) != ((uint32_t)VERSION << 16 | REQ_IMPORT))
        return -1;
    if (c->got < OP_BYTES + BUS_ID)
        return 0;
    memcpy(id, c->input + OP_BYTES, BUS_ID);
    if (sscanf(id, "1-%u%c", &device, &after) != 1 || device < 1 || device > u->chips)
        return reply(c, REP_IMPORT, ST_NO_DEVICE) ? OP_BYTES + BUS_ID : -1;
    if (usbip_attached(u, --device) || taken(ctx, device))
        return reply(c, REP_IMPORT, ST_BUSY) ? OP_BYTES + BUS_ID : -1;
    uint8_t *to = reply(c, REP_IMPORT, ST_OK) ? append(c, DEVICE_BYTES) : NULL;
    if (!to)
        return -1;
    describe(u, device, to);
    c->device = (int)device;
    struct ftdi_chip *chip = &u->chip[device];
    char serial[sizeof chip->serial];
    memcpy(serial, chip->serial, sizeof serial);
    ftdi_plug_in(chip, chip->kind, serial); // a chip that was just powered
    return OP_BYTES + BUS_ID;
}

// Transfers ---------------------------------------------------------------------------------------

static bool answer(struct client *c, unsigned what, uint32_t number, int status,
                   const uint8_t *data, uint32_t in, uint32_t done)
{
    uint8_t *to = append(c, HEADER + in);
    if (!to)
        return false;
    put32(to, what);
    put32(to + 4, number);
    put32(to + 20, (uint32_t)status);
    put32(to + 24, done);
    if (in)
        memcpy(to + HEADER, data, in);
    return true;
}

static void forget(struct client *c, unsigned n)
{
    free(c->urb[n].data);
    memmove(&c->urb[n], &c->urb[n + 1], (--c->urbs - n) * sizeof *c->urb);
}

static bool unlink_urb(struct client *c, uint32_t number, uint32_t which)
{
    int status = 0; // it is done already
    for (unsigned n = 0; n < c->urbs; n++)
        if (c->urb[n].number == which) {
            forget(c, n);
            status = -ECONNRESET;
            break;
        }
    return answer(c, RET_UNLINK, number, status, NULL, 0, 0);
}

static int command(struct usbip *u, struct client *c)
{
    if (c->got < HEADER)
        return 0;
    uint32_t what = get32(c->input), number = get32(c->input + 4);
    uint32_t bytes = get32(c->input + 24), endpoint = get32(c->input + 16);
    bool in = get32(c->input + 12) == 1;
    if (what == CMD_UNLINK)
        return unlink_urb(c, number, get32(c->input + 20)) ? HEADER : -1;
    if (what != CMD_SUBMIT || bytes > MAX_TRANSFER || c->urbs == MAX_URBS)
        return -1;
    uint32_t sent = in ? 0 : bytes;
    if (c->got < HEADER + sent)
        return 0;
    if (endpoint == 0) {
        static const uint8_t nothing[1];
        uint8_t data[256] = {0}, *setup = c->input + 40;
        bool ok = (setup[6] | setup[7] << 8) <= (int)(in ? bytes : sent);
        if (!in && sent <= sizeof data)
            memcpy(data, c->input + HEADER, sent);
        if (in && (setup[6] | setup[7] << 8) > (int)sizeof data) { // as much as there is is less
            setup[6] = 255;
            setup[7] = 0;
        }
        int n = ok ? ftdi_control(&u->chip[c->device], setup, data) : -1;
        return answer(c, RET_SUBMIT, number, n < 0 ? -EPIPE : 0, n > 0 ? data : nothing,
                      in && n > 0 ? (uint32_t)n : 0,
                      n < 0 ? 0
                      : in  ? (uint32_t)n
                            : sent)
                   ? (int)(HEADER + sent)
                   : -1;
    }
    struct urb *urb = &c->urb[c->urbs];
    *urb = (struct urb){.number = number, .endpoint = endpoint, .in = in, .bytes = bytes};
    urb->data = malloc(bytes + FTDI_PACKET);
    if (!urb->data)
        return -1;
    memcpy(urb->data, c->input + HEADER, sent);
    c->urbs++;
    return (int)(HEADER + sent);
}

// One step of a transfer: 1 done, 0 must wait, -1 no such endpoint.
static int transfer(struct ftdi_chip *chip, struct urb *urb, uint64_t now)
{
    if (!urb->in) {
        int n = ftdi_out(chip, urb->endpoint, urb->data + urb->done, urb->bytes - urb->done);
        if (n < 0)
            return -1;
        urb->done += (uint32_t)n;
        return urb->done == urb->bytes;
    }
    while (urb->done < urb->bytes) {
        int n = ftdi_in(chip, urb->endpoint, now, urb->data + urb->done);
        if (n <= 0)
            return n;
        urb->done += (uint32_t)n;
        if (n < (int)ftdi_packet(chip))
            return 1;
    }
    return 1;
}

// Goes on with a client's transfers, of each endpoint the first. false: no memory. A transfer in
// that is no whole number of packets may overflow, which is the end of it.
static bool transfers(struct usbip *u, struct client *c)
{
    uint64_t now = microseconds();
    uint32_t blocked = 0; // endpoints whose first transfer waits: a bit each, in 16 higher
    for (unsigned n = 0; n < c->urbs && c->output_count < OUTPUT_LIMIT;) {
        struct urb *urb = &c->urb[n];
        uint32_t bit = UINT32_C(1) << ((urb->endpoint & 15) + 16 * urb->in);
        int result = blocked & bit ? 0 : transfer(&u->chip[c->device], urb, now);
        if (!result) {
            blocked |= bit;
            n++;
            continue;
        }
        bool over = urb->done > urb->bytes;
        int status = result < 0 ? -EPIPE : over ? -EOVERFLOW : 0;
        uint32_t in = urb->in && !status ? urb->done : 0;
        if (!answer(c, RET_SUBMIT, urb->number, status, urb->data, in, status ? 0 : urb->done))
            return false;
        forget(c, n);
    }
    return true;
}

// Connections -------------------------------------------------------------------------------------

static bool flush(struct client *c)
{
    while (c->output_count) {
        ssize_t n = send(c->fd, c->output, c->output_count, MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        memmove(c->output, c->output + n, c->output_count -= (size_t)n);
    }
    return true;
}

static bool serve_client(struct usbip *u, struct client *c,
                         bool (*taken)(void *ctx, unsigned device), void *ctx)
{
    if (c->output_count < OUTPUT_LIMIT) {
        ssize_t n = recv(c->fd, c->input + c->got, sizeof c->input - c->got, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (n > 0) {
            c->got += (size_t)n;
        }
    }
    for (;;) {
        int used = c->device < 0 ? operation(u, c, taken, ctx) : command(u, c);
        if (used < 0)
            return false;
        if (used == 0)
            break;
        memmove(c->input, c->input + used, c->got -= (size_t)used);
    }
    if (c->device >= 0 && !transfers(u, c))
        return false;
    return flush(c);
}

static void accept_clients(struct usbip *u)
{
    for (unsigned i = 0; i < USBIP_CLIENTS; i++) {
        if (u->client[i])
            continue;
        int fd = accept4(u->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
        if (fd < 0)
            return;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        u->client[i] = calloc(1, sizeof *u->client[i]);
        if (!u->client[i]) {
            close(fd);
            return;
        }
        u->client[i]->fd = fd;
        u->client[i]->device = -1;
    }
}

void usbip_serve(struct usbip *u, bool (*taken)(void *ctx, unsigned device), void *ctx)
{
    accept_clients(u);
    for (unsigned i = 0; i < USBIP_CLIENTS; i++)
        if (u->client[i] && !serve_client(u, u->client[i], taken, ctx))
            drop(u, i);
}

unsigned usbip_wait(const struct usbip *u, struct pollfd *fds, int *milliseconds)
{
    unsigned count = 0;
    uint64_t now = microseconds();
    fds[count++] = (struct pollfd){.fd = u->listener, .events = POLLIN};
    for (unsigned i = 0; i < USBIP_CLIENTS; i++) {
        const struct client *c = u->client[i];
        if (!c)
            continue;
        fds[count++] =
            (struct pollfd){.fd = c->fd, .events = c->output_count ? POLLIN | POLLOUT : POLLIN};
        for (unsigned n = 0; n < c->urbs; n++) {
            if (!c->urb[n].in)
                continue;
            uint64_t wait = (ftdi_wait(&u->chip[c->device], c->urb[n].endpoint, now) + 999) / 1000;
            if (wait < (uint64_t)*milliseconds)
                *milliseconds = (int)wait;
        }
    }
    return count;
}
