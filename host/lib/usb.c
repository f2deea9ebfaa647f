// SPDX-License-Identifier: Apache-2.0
// Connections over USB: a board's FTDI chip, its UART as a stream of bytes. libftdi knows the
// chip's requests; the bulk transfers are libusb's own, several under way at once. Linux: serial
// numbers are read from sysfs, which needs no permission, and /proc says which process has a board.
// lint-flags: -I/usr/include/libftdi1 -I/usr/include/libusb-1.0
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <ftdi.h>
#include <libusb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream.h"

enum {
    VENDOR = 0x0403,
    BAUD = 115200,    // 12 MHz / 104, the UART's divisor after reset
    LATENCY = 2,      // ms after which the chip sends what it has; 1 is too short for some
    STATUS_BYTES = 2, // at the start of every packet from the chip: modem and line status
    INS = 4,
    IN_BYTES = 4096, // a multiple of both packet sizes, 64 and 512
    OUTS = 8,
    OUT_BYTES = 512,
    MAX_FAILURES = 8, // in a row: the cable is gone, though the kernel has not said so
    MAX_FOUND = 64,
};

// The chips on boards that we know, and which of their channels is the UART: on the FT2232H of the
// iCE40HX8K-B-EVN and of the ECP5 evaluation board A is for configuration. ULX3S: FT231X.
static const struct {
    uint16_t product;
    enum ftdi_interface channel;
} chips[] = {{0x6010, INTERFACE_B}, {0x6014, INTERFACE_A}, {0x6015, INTERFACE_A}};

struct found {
    libusb_device *device;
    unsigned chip;
    char serial[64]; // "" where the chip has none
    char place[32];  // as the kernel names it, "1-2.3"
};

struct usb;

// A transfer. In: filled bytes with status bytes; `at` of them are done with.
struct slot {
    struct usb *usb;
    struct libusb_transfer *transfer;
    bool flying;
    unsigned filled, at;
    uint8_t buffer[IN_BYTES];
};

struct usb {
    struct ftdi_context *ftdi;
    struct slot in[INS], out[OUTS];
    unsigned head; // the in slot whose bytes come next; they complete in order
    unsigned failures;
    bool halted[2]; // endpoint out, in: to be cleared before the next transfer on it, by any slot
    bool broken;
};

static bool *halted(struct slot *s)
{
    return &s->usb->halted[s->transfer->endpoint >> 7];
}

// Transfers ---------------------------------------------------------------------------------------

static void LIBUSB_CALL completed(struct libusb_transfer *transfer)
{
    struct slot *s = transfer->user_data;
    s->flying = false;
    s->filled = (unsigned)transfer->actual_length;
    s->at = 0;
    switch (transfer->status) {
    case LIBUSB_TRANSFER_COMPLETED:
        s->usb->failures = 0;
        break;
    case LIBUSB_TRANSFER_CANCELLED:
        break;
    case LIBUSB_TRANSFER_STALL:
        *halted(s) = true; // to be cleared, but not in a callback
        // fall through
    case LIBUSB_TRANSFER_ERROR:
    case LIBUSB_TRANSFER_OVERFLOW:
    case LIBUSB_TRANSFER_TIMED_OUT:
        // What was lost is asked for again a level up.
        if (++s->usb->failures > MAX_FAILURES)
            s->usb->broken = true;
        break;
    case LIBUSB_TRANSFER_NO_DEVICE:
        s->usb->broken = true;
        break;
    }
}

static void submit(struct slot *s)
{
    if (*halted(s) && libusb_clear_halt(s->usb->ftdi->usb_dev, s->transfer->endpoint))
        s->usb->broken = true;
    *halted(s) = false;
    s->filled = s->at = 0;
    if (s->usb->broken || libusb_submit_transfer(s->transfer))
        s->usb->broken = true;
    else
        s->flying = true;
}

static void handle_events(struct usb *u, double seconds)
{
    struct timeval wait = {0};
    if (seconds > 0) {
        wait.tv_sec = (time_t)seconds;
        wait.tv_usec = (suseconds_t)(1e6 * (seconds - (double)wait.tv_sec));
    }
    int error = libusb_handle_events_timeout_completed(u->ftdi->usb_ctx, &wait, NULL);
    if (error && error != LIBUSB_ERROR_INTERRUPTED && error != LIBUSB_ERROR_TIMEOUT)
        u->broken = true;
}

// Up to `bytes` payload bytes of a transfer; each packet in it begins with the status bytes.
static size_t take(struct slot *s, uint8_t *to, size_t bytes)
{
    unsigned said = s->usb->ftdi->max_packet_size, packet = said ? said : 64; // 0 is no size
    size_t n = 0;
    while (s->at < s->filled) {
        if (s->at % packet < STATUS_BYTES) {
            s->at += STATUS_BYTES;
            continue;
        }
        if (n == bytes)
            break;
        to[n++] = s->buffer[s->at++];
    }
    return n;
}

static int usb_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    struct usb *u = ctx;
    double end = monotonic() + 1e-3 * milliseconds;
    for (bool looked = false;; looked = true) {
        for (struct slot *s; s = &u->in[u->head], !s->flying;) {
            size_t n = take(s, to, bytes);
            if (s->at >= s->filled && !u->broken) {
                submit(s);
                u->head = (u->head + 1) % INS;
            }
            if (n)
                return (int)n;
            if (u->broken)
                break;
        }
        if (u->broken)
            return -1;
        double left = end - monotonic();
        if (looked && left <= 0)
            return 0;
        handle_events(u, left);
    }
}

static int usb_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    struct usb *u = ctx;
    double end = monotonic() + 1e-3 * milliseconds;
    for (bool looked = false;; looked = true) {
        if (u->broken)
            return -1;
        for (unsigned i = 0; i < OUTS; i++) {
            struct slot *s = &u->out[i];
            if (s->flying)
                continue;
            if (bytes > OUT_BYTES)
                bytes = OUT_BYTES;
            memcpy(s->buffer, from, bytes);
            s->transfer->length = (int)bytes;
            submit(s);
            return u->broken ? -1 : (int)bytes;
        }
        double left = end - monotonic();
        if (looked && left <= 0)
            return 0;
        handle_events(u, left);
    }
}

// libusb's own descriptors: a transfer that completes wakes whoever waits for them.
static unsigned usb_poll(void *ctx, struct pollfd *fds, unsigned room, bool writing)
{
    const struct usb *u = ctx;
    const struct libusb_pollfd **list = libusb_get_pollfds(u->ftdi->usb_ctx);
    unsigned count = 0;
    (void)writing; // the room of a transfer that completes
    for (; list && list[count] && count < room; count++)
        fds[count] = (struct pollfd){.fd = list[count]->fd, .events = list[count]->events};
    libusb_free_pollfds(list);
    return count;
}

static bool any_flying(const struct usb *u)
{
    for (unsigned i = 0; i < INS; i++)
        if (u->in[i].flying)
            return true;
    for (unsigned i = 0; i < OUTS; i++)
        if (u->out[i].flying)
            return true;
    return false;
}

static void usb_close(void *ctx)
{
    struct usb *u = ctx;
    // Requests on their way out get there, if the board takes them.
    for (double end = monotonic() + 0.1; !u->broken && monotonic() < end;) {
        bool out = false;
        for (unsigned i = 0; i < OUTS; i++)
            out |= u->out[i].flying;
        if (!out)
            break;
        handle_events(u, end - monotonic());
    }
    for (unsigned i = 0; i < INS + OUTS; i++) {
        struct slot *s = i < INS ? &u->in[i] : &u->out[i - INS];
        if (s->flying)
            libusb_cancel_transfer(s->transfer);
    }
    for (double end = monotonic() + 1; any_flying(u) && monotonic() < end;)
        handle_events(u, end - monotonic());
    if (any_flying(u))
        return; // the kernel still has the buffers: better lost than freed
    for (unsigned i = 0; i < INS + OUTS; i++)
        libusb_free_transfer(i < INS ? u->in[i].transfer : u->out[i - INS].transfer);
    if (u->ftdi->usb_dev)
        ftdi_usb_close(
            u->ftdi); // gives the channel back to the kernel's driver; ftdi_free() would not
    ftdi_free(u->ftdi);
    free(u);
}

static bool allocate_transfers(struct usb *u)
{
    for (unsigned i = 0; i < INS + OUTS; i++) {
        struct slot *s = i < INS ? &u->in[i] : &u->out[i - INS];
        s->usb = u;
        s->transfer = libusb_alloc_transfer(0);
        if (!s->transfer)
            return false;
    }
    return true;
}

// libftdi names the endpoints from the chip's side. No time-outs here: the callers have theirs.
static void start_transfers(struct usb *u)
{
    libusb_device_handle *device = u->ftdi->usb_dev;
    // A process that was killed may have left them so.
    libusb_clear_halt(device, (unsigned char)u->ftdi->in_ep);
    libusb_clear_halt(device, (unsigned char)u->ftdi->out_ep);
    for (unsigned i = 0; i < OUTS; i++)
        libusb_fill_bulk_transfer(u->out[i].transfer, device, (unsigned char)u->ftdi->in_ep,
                                  u->out[i].buffer, 0, completed, &u->out[i], 0);
    for (unsigned i = 0; i < INS; i++) {
        libusb_fill_bulk_transfer(u->in[i].transfer, device, (unsigned char)u->ftdi->out_ep,
                                  u->in[i].buffer, IN_BYTES, completed, &u->in[i], 0);
        submit(&u->in[i]);
    }
}

// Which board -------------------------------------------------------------------------------------

static void place_of(libusb_device *device, char place[32])
{
    uint8_t port[8];
    int ports = libusb_get_port_numbers(device, port, sizeof port), n;
    n = snprintf(place, 32, "%u", libusb_get_bus_number(device));
    for (int i = 0; i < ports; i++)
        n += snprintf(place + n, 32 - (size_t)n, "%c%u", i ? '.' : '-', port[i]);
}

static void read_serial(const char *place, char serial[64])
{
    char path[96];
    snprintf(path, sizeof path, "/sys/bus/usb/devices/%s/serial", place);
    FILE *f = fopen(path, "r");
    serial[0] = 0;
    if (!f)
        return;
    if (!fgets(serial, 64, f))
        serial[0] = 0;
    serial[strcspn(serial, "\n")] = 0;
    fclose(f);
}

// All chips that could be a board's. Returns how many.
static unsigned enumerate(libusb_device **list, struct found found[MAX_FOUND])
{
    unsigned count = 0;
    for (; *list && count < MAX_FOUND; list++) {
        struct libusb_device_descriptor d;
        if (libusb_get_device_descriptor(*list, &d) || d.idVendor != VENDOR)
            continue;
        for (unsigned i = 0; i < sizeof chips / sizeof *chips; i++) {
            if (d.idProduct != chips[i].product)
                continue;
            struct found *f = &found[count++];
            f->device = *list;
            f->chip = i;
            place_of(*list, f->place);
            read_serial(f->place, f->serial);
        }
    }
    return count;
}

// The one that is meant, else *board stays. wanted: a serial number or place, NULL: any.
static int choose(struct torus *t, const struct found *found, unsigned count, const char *wanted,
                  const struct found **board)
{
    const struct found *match = NULL;
    unsigned matches = 0;
    if (!count)
        return fail(t, TORUS_E_TRANSPORT,
                    "usb: no board: no 0403:6010, 0403:6014 or 0403:6015 is plugged in");
    for (unsigned i = 0; i < count; i++)
        if (!wanted || !strcmp(found[i].serial, wanted) || !strcmp(found[i].place, wanted)) {
            match = &found[i];
            matches++;
        }
    if (matches == 1) {
        *board = match;
        return TORUS_OK;
    }
    char list[WIDTH - 60] = "";
    size_t n = 0;
    for (unsigned i = 0; i < count && n < sizeof list - 70; i++) {
        bool same = wanted && matches && !strcmp(found[i].serial, wanted);
        if (same || !wanted || !matches) // of two with one serial number the places
            n += (size_t)snprintf(list + n, sizeof list - n, " usb:%s",
                                  *found[i].serial && !same ? found[i].serial : found[i].place);
    }
    if (!wanted)
        return fail(t, TORUS_E_USAGE, "usb: there are %u boards; say which:%s", count, list);
    if (matches)
        return fail(t, TORUS_E_USAGE, "usb:%s: there are %u; say which:%s", wanted, matches, list);
    return fail(t, TORUS_E_USAGE, "usb:%.40s: no such board; there are:%s", wanted, list);
}

// Who has it --------------------------------------------------------------------------------------

// The serial port that the kernel's driver made of the channel, as "/dev/ttyUSB0"; false: none.
static bool kernel_port(const struct found *f, char port[64])
{
    char path[96];
    snprintf(path, sizeof path, "/sys/bus/usb/devices/%s:1.%d", f->place,
             chips[f->chip].channel == INTERFACE_B);
    DIR *interface = opendir(path);
    bool is = false;
    for (struct dirent *e; interface && !is && (e = readdir(interface));) {
        is = !strncmp(e->d_name, "ttyUSB", 6);
        if (is)
            snprintf(port, 64, "/dev/%.50s", e->d_name);
    }
    if (interface)
        closedir(interface);
    return is;
}

// Opening -----------------------------------------------------------------------------------------

static int claim(struct torus *t, struct usb *u, const struct found *f)
{
    char node[64], port[64], holders[160] = "";
    const char *name = *f->serial ? f->serial : f->place;
    snprintf(node, sizeof node, "/dev/bus/usb/%03u/%03u", libusb_get_bus_number(f->device),
             libusb_get_device_address(f->device));
    if (kernel_port(f, port)) { // taken from the driver, but from nobody who uses it
        add_holders(port, holders, sizeof holders);
        t->taken = *holders;
        if (*holders)
            return fail(t, TORUS_E_TRANSPORT, "usb:%s: in use as %s by process%s", name, port,
                        holders);
    }
    ftdi_set_interface(u->ftdi, chips[f->chip].channel);
    u->ftdi->module_detach_mode = AUTO_DETACH_REATACH_SIO_MODULE;
    int error = ftdi_usb_open_dev(u->ftdi, f->device);
    if (!error)
        return TORUS_OK;
    if (error == -5) { // could not be claimed
        add_holders(node + 5, holders, sizeof holders);
        t->taken = true;
        return fail(t, TORUS_E_TRANSPORT, "usb:%s: in use by %s%s", name,
                    *holders ? "process" : "a process of another user", holders);
    }
    if (access(node, R_OK | W_OK) && errno == EACCES)
        return fail(t, TORUS_E_TRANSPORT,
                    "usb:%s: no permission for %s; install the udev rules, 70-outflank.rules, "
                    "and plug the board in again",
                    name, node);
    return fail(t, TORUS_E_TRANSPORT, "usb:%s: %s; was it unplugged?", name,
                ftdi_get_error_string(u->ftdi));
}

static int set_line(struct torus *t, struct usb *u)
{
    struct ftdi_context *f = u->ftdi;
    int baud = t->options.baud ? (int)t->options.baud : BAUD;
    if (ftdi_set_baudrate(f, baud))
        return fail(t, TORUS_E_TRANSPORT, "usb: %d baud: %s", baud, ftdi_get_error_string(f));
    if (ftdi_set_bitmode(f, 0, BITMODE_RESET) || ftdi_set_latency_timer(f, LATENCY) ||
        ftdi_set_line_property(f, BITS_8, STOP_BIT_1, NONE) ||
        ftdi_setflowctrl(f, SIO_DISABLE_FLOW_CTRL) || ftdi_tcioflush(f))
        return fail(t, TORUS_E_TRANSPORT, "usb: %s; was it unplugged?", ftdi_get_error_string(f));
    return TORUS_OK;
}

int usb_open(struct torus *t, const char *wanted)
{
    struct usb *u = calloc(1, sizeof *u);
    libusb_device **list = NULL;
    struct found found[MAX_FOUND];
    if (!u || !(u->ftdi = ftdi_new()) || !allocate_transfers(u) ||
        libusb_get_device_list(u->ftdi->usb_ctx, &list) < 0) {
        if (u && u->ftdi)
            usb_close(u);
        else
            free(u);
        return fail(t, TORUS_E_MEMORY, "usb: out of memory, or USB cannot be used at all");
    }
    const struct found *board = NULL;
    bool entered = false;
    int error = choose(t, found, enumerate(list, found), wanted, &board);
    char port[64];
    if (board)
        error = share_enter(t, "usb", board->place, &entered);
    if (board && error == TORUS_OK && !entered && !t->alone && kernel_port(board, port))
        error = share_enter(t, "tty", port, &entered); // somebody shares it as that
    if (board && error == TORUS_OK && !entered)
        error = claim(t, u, board);
    libusb_free_device_list(list, 1);
    if (error == TORUS_OK && !entered)
        error = set_line(t, u);
    if (error != TORUS_OK || entered) {
        usb_close(u);
        return error;
    }
    start_transfers(u);
    t->transport = (struct torus_transport){usb_read, usb_write, usb_close, u};
    t->poll = usb_poll;
    return TORUS_OK;
}

unsigned usb_list(struct torus_stream *out, unsigned room)
{
    libusb_context *context;
    libusb_device **list;
    struct found found[MAX_FOUND];
    unsigned count = 0;
    if (libusb_init(&context))
        return 0;
    if (libusb_get_device_list(context, &list) >= 0) {
        count = enumerate(list, found);
        for (unsigned i = 0; i < count && i < room; i++) {
            bool again = !*found[i].serial; // a number that two have, or none, does not say which
            for (unsigned j = 0; j < count; j++)
                again |= j != i && !strcmp(found[i].serial, found[j].serial);
            snprintf(out[i].where, sizeof out[i].where, "usb:%s",
                     again ? found[i].place : found[i].serial);
            snprintf(out[i].what, sizeof out[i].what, "FTDI chip 0403:%04x at %s",
                     chips[found[i].chip].product, found[i].place);
        }
        libusb_free_device_list(list, 1);
    }
    libusb_exit(context);
    return count;
}
