// SPDX-License-Identifier: Apache-2.0
// lint-flags: -I/usr/include/umockdev-1.0 -I/usr/include/glib-2.0
// lint-flags: -I/usr/lib/x86_64-linux-gnu/glib-2.0/include
#define _GNU_SOURCE
#include "mock_usb.h"
#include "usbip_wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/usbdevice_fs.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <umockdev.h>
#include <unistd.h>

enum { URBS = 64, INTERFACES = 2, HEADER = 48, TRANSFER = 1 << 16, FRAME = 32 };
enum { STATUS_BYTES = 2, HELD = 4096 };

#define PRELOAD "libumockdev-preload.so.0"

// A transfer of the host's. The server knows it by `number`, 0 where it was not asked.
struct mock_urb {
    UMockdevIoctlClient *client;
    UMockdevIoctlData *urb, *buffer;
    uint32_t number;
    unsigned char endpoint;
    bool held; // not sent yet: the endpoint is halted
    bool done;
    int status;
    size_t actual;
};

// One direction's bytes on their way through the faults: what is no whole frame yet, what has
// passed.
struct stream {
    uint8_t part[FRAME], late[FRAME], passed[HELD];
    size_t part_count, late_count, passed_count;
};

struct mock_device {
    struct mock *mock;
    unsigned number;
    bool plugged, gone; // gone: no bytes any more, as a fault has it
    int fd;
    char serial[64], path[128];
    unsigned packet;
    bool halted[32];
    UMockdevIoctlBase *base;
    UMockdevIoctlClient *claimed[INTERFACES];
    struct mock_urb urb[URBS];
    unsigned urbs, bulk, in_flight;
    uint32_t number_next;
    struct stream in, out;
    uint8_t input[HEADER + TRANSFER];
    size_t got;
};

struct mock {
    UMockdevTestbed *bed;
    pthread_mutex_t lock;
    struct mock_faults faults;
    struct mock_seen seen;
    pid_t program; // that mock_run() runs
    uint64_t random;
    struct mock_device device[MOCK_DEVICES + 1]; // by number
};

const struct mock_faults mock_no_faults = {.after = -1};

static void die(const char *what)
{
    fprintf(stderr, "mock_usb: %s: %s\n", what, strerror(errno));
    exit(1);
}

static bool chance(struct mock *m, double p)
{
    if (!(p > 0))
        return false;
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    if ((double)(m->random >> 33) >= p * (double)(UINT64_C(1) << 31))
        return false;
    m->seen.faults++;
    return true;
}

static unsigned below(struct mock *m, unsigned n)
{
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((m->random >> 33) % n);
}

// USB/IP ------------------------------------------------------------------------------------------

static void send_all(int fd, const void *bytes, size_t count)
{
    if (send(fd, bytes, count, MSG_NOSIGNAL) != (ssize_t)count)
        die("send to the USB/IP server");
}

static void receive_all(int fd, void *to, size_t count)
{
    if (recv(fd, to, count, MSG_WAITALL) != (ssize_t)count)
        die("the USB/IP server");
}

// Answers to transfers in have data: the number says which those are.
static const uint32_t NUMBER_IN = UINT32_C(1) << 31;

// Returns the transfer's number.
static uint32_t submit(struct mock_device *d, unsigned endpoint, bool in, const uint8_t *setup,
                       const uint8_t *data, uint32_t length)
{
    uint32_t number = ++d->number_next | (in ? NUMBER_IN : 0);
    uint8_t message[HEADER + TRANSFER] = {0};
    uint32_t sent = in ? 0 : length;
    put32(message, 1);
    put32(message + 4, number);
    put32(message + 8, 1 << 16 | (d->number + 1));
    put32(message + 12, in);
    put32(message + 16, endpoint);
    put32(message + 24, length);
    if (setup)
        memcpy(message + 40, setup, 8);
    if (sent)
        memcpy(message + HEADER, data, sent);
    send_all(d->fd, message, HEADER + sent);
    return number;
}

static void unlink_urb(struct mock_device *d, uint32_t number)
{
    uint8_t message[HEADER] = {0};
    put32(message, 2);
    put32(message + 4, ++d->number_next);
    put32(message + 20, number);
    send_all(d->fd, message, sizeof message);
}

// A control transfer in, as the kernel does them when a device is plugged in: how many bytes.
static size_t ask(struct mock_device *d, const uint8_t setup[8], uint8_t *to, uint32_t room)
{
    uint8_t header[HEADER];
    uint32_t number = submit(d, 0, true, setup, NULL, room);
    receive_all(d->fd, header, sizeof header);
    uint32_t n = get32(header + 24);
    if (get32(header + 4) != number || get32(header + 20) || n > room)
        die("a descriptor is refused");
    receive_all(d->fd, to, n);
    return n;
}

static void import(struct mock_device *d, unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    uint8_t request[40] = {0x01, 0x11, 0x80, 0x03}, answer[8 + 312];
    int on = 1;
    snprintf((char *)request + 8, 32, "1-%u", d->number);
    for (unsigned tries = 0; tries < 1000; tries++) {
        d->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (d->fd < 0 || connect(d->fd, (struct sockaddr *)&address, sizeof address))
            die("connect to the USB/IP server");
        setsockopt(d->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        send_all(d->fd, request, sizeof request);
        receive_all(d->fd, answer, 8);
        if (!get32(answer + 4)) {
            receive_all(d->fd, answer + 8, sizeof answer - 8);
            return;
        }
        close(d->fd); // busy: it has not seen yet that the last connection is closed
        usleep(1000);
    }
    die("the USB/IP server has no such device to give");
}

// Streams -----------------------------------------------------------------------------------------

static void pass(struct stream *s, const uint8_t *bytes, size_t count)
{
    if (s->passed_count + count > HELD)
        die("too many bytes held");
    memcpy(s->passed + s->passed_count, bytes, count);
    s->passed_count += count;
}

// Bytes into a stream; frames that are whole get what they have coming.
static void feed(struct mock *m, struct stream *s, const uint8_t *bytes, size_t count)
{
    const struct mock_faults *f = &m->faults;
    if (!(f->damage > 0) && !(f->drop > 0) && !(f->repeat > 0) && !(f->delay > 0)) {
        pass(s, bytes, count);
        return;
    }
    while (count--) {
        s->part[s->part_count++] = *bytes++;
        if (s->part_count < FRAME)
            continue;
        s->part_count = 0;
        if (chance(m, f->drop))
            continue;
        if (chance(m, f->damage))
            s->part[below(m, FRAME)] ^= (uint8_t)(1u << below(m, 8));
        if (!s->late_count && chance(m, f->delay)) { // until after the next
            memcpy(s->late, s->part, FRAME);
            s->late_count = FRAME;
            continue;
        }
        pass(s, s->part, FRAME);
        if (chance(m, f->repeat))
            pass(s, s->part, FRAME);
        pass(s, s->late, s->late_count);
        s->late_count = 0;
    }
}

// How many of `count` UART bytes get through before the plug is pulled. What else happens after so
// many bytes happens here, too.
static size_t until_event(struct mock_device *d, size_t count)
{
    struct mock *m = d->mock;
    const struct mock_faults *f = &m->faults;
    long left = f->after - m->seen.bytes;
    if (f->after < 0 || left > (long)count || m->seen.event) {
        m->seen.bytes += (long)count;
        return count;
    }
    m->seen.event = true;
    m->seen.bytes += left;
    if (f->event == MOCK_SIGNAL)
        kill(f->process ? f->process : m->program, f->signal);
    if (f->event == MOCK_SIGNAL && f->process)
        return count;
    d->gone = true;
    return (size_t)left;
}

// Transfers ---------------------------------------------------------------------------------------

static void finish(struct mock_urb *u, int status, size_t actual)
{
    u->done = true;
    u->status = status;
    u->actual = actual;
}

static void pull(struct mock_device *d)
{
    d->gone = true;
    for (unsigned i = 0; i < d->urbs; i++)
        if (!d->urb[i].done)
            finish(&d->urb[i], -ESHUTDOWN, 0);
}

static void send_out(struct mock_device *d, struct mock_urb *u)
{
    size_t length = (size_t)u->buffer->data_len;
    uint8_t copy[TRANSFER];
    if (u->endpoint == 2 * INTERFACES || d->packet == 64) { // the UART's
        feed(d->mock, &d->out, u->buffer->data, length);
        size_t n = until_event(d, d->out.passed_count);
        memcpy(copy, d->out.passed, n);
        d->out.passed_count = 0;
        if (n)
            u->number = submit(d, u->endpoint, false, NULL, copy, (uint32_t)n);
        if (d->gone)
            pull(d);
        else if (!n)
            finish(u, 0, length);
        return;
    }
    u->number = submit(d, u->endpoint, false, NULL, u->buffer->data, (uint32_t)length);
}

static void start(struct mock_device *d, struct mock_urb *u)
{
    u->held = false;
    if (!(u->endpoint & 0x80)) {
        send_out(d, u);
        return;
    }
    u->number = submit(d, u->endpoint & 15, true, NULL, NULL, (uint32_t)u->buffer->data_len);
}

// A transfer in has come back with packets: the UART's bytes go through the faults, and what is
// there then into packets again.
static void arrived(struct mock_device *d, struct mock_urb *u, const uint8_t *data, size_t count)
{
    struct mock *m = d->mock;
    for (size_t at = 0; at < count; at += d->packet) {
        size_t end = at + d->packet < count ? at + d->packet : count;
        if (!m->faults.mute && end > at + STATUS_BYTES)
            feed(m, &d->in, data + at + STATUS_BYTES, end - at - STATUS_BYTES);
    }
    size_t room = (size_t)u->buffer->data_len / d->packet * (d->packet - STATUS_BYTES);
    size_t n = d->in.passed_count < room ? d->in.passed_count : room, size = 0;
    if (m->faults.short_packets && n > 5)
        n = below(m, 6);
    n = until_event(d, n);
    uint8_t *to = u->buffer->data;
    for (size_t at = 0; at < n || !size;) {
        size_t part = n - at < d->packet - STATUS_BYTES ? n - at : d->packet - STATUS_BYTES;
        memcpy(to + size, data, STATUS_BYTES);
        memcpy(to + size + STATUS_BYTES, d->in.passed + at, part);
        size += STATUS_BYTES + part;
        at += part;
    }
    d->in.passed_count -= n;
    memmove(d->in.passed, d->in.passed + n, d->in.passed_count);
    finish(u, 0, size);
    if (d->gone)
        pull(d);
}

static void returned(struct mock_device *d, const uint8_t *message, size_t length)
{
    for (unsigned i = 0; i < d->urbs; i++) {
        struct mock_urb *u = &d->urb[i];
        if (u->done || u->number != get32(message + 4))
            continue;
        int status = (int)get32(message + 20);
        const uint8_t *data = message + HEADER;
        if (!u->endpoint || u->endpoint == 0x80) {
            memcpy(u->buffer->data + 8, data, length);
            finish(u, status, get32(message + 24));
        } else if (status) {
            finish(u, status, 0);
        } else if (u->endpoint & 0x80) {
            arrived(d, u, data, length);
        } else {
            finish(u, 0, (size_t)u->buffer->data_len);
        }
        return;
    }
}

// What has come from the server, waiting up to a millisecond if there is nothing.
static void listen_to(struct mock_device *d)
{
    struct pollfd p = {.fd = d->fd, .events = POLLIN};
    if (d->gone || poll(&p, 1, 1) <= 0)
        return;
    ssize_t n = recv(d->fd, d->input + d->got, sizeof d->input - d->got, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN)) {
        pull(d);
        return;
    }
    d->got += n > 0 ? (size_t)n : 0;
    while (d->got >= HEADER) {
        bool in = get32(d->input) == 3 && get32(d->input + 4) & NUMBER_IN;
        size_t data = in ? get32(d->input + 24) : 0, all = HEADER + data;
        if (d->got < all)
            break;
        if (get32(d->input) == 3 && !d->gone)
            returned(d, d->input, data);
        memmove(d->input, d->input + all, d->got -= all);
    }
}

// usbdevfs ----------------------------------------------------------------------------------------

static bool halts(struct mock_device *d)
{
    struct mock *m = d->mock;
    if (!m->faults.stall_every || ++d->bulk % m->faults.stall_every)
        return false;
    m->seen.faults++;
    return true;
}

// Returns 0, or an errno.
static int submit_urb(struct mock_device *d, UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
    if (d->gone || !d->plugged)
        return ENODEV;
    if (d->urbs == URBS)
        return ENOMEM;
    struct mock_urb *u = &d->urb[d->urbs];
    *u = (struct mock_urb){.client = client};
    u->urb = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_urb), NULL);
    if (!u->urb) // NULL here and below: the process was killed in between
        return EFAULT;
    const struct usbdevfs_urb *urb = (const void *)u->urb->data;
    u->buffer = umockdev_ioctl_data_resolve(u->urb, offsetof(struct usbdevfs_urb, buffer),
                                            (gsize)urb->buffer_length, NULL);
    if (!u->buffer) {
        g_object_unref(u->urb);
        return EFAULT;
    }
    u->endpoint = urb->endpoint;
    d->urbs++;
    if (urb->type == USBDEVFS_URB_TYPE_CONTROL) {
        const uint8_t *setup = u->buffer->data;
        u->endpoint = setup[0] & 0x80;
        if (setup[0] == 0x40 && setup[1] == 9)
            d->mock->seen.latency = setup[2];
        u->number = submit(d, 0, u->endpoint, setup, setup + 8, (uint32_t)u->buffer->data_len - 8);
        return 0;
    }
    unsigned interface = ((u->endpoint & 15) - 1u) / 2;
    if (interface >= INTERFACES || d->claimed[interface] != client) {
        g_object_unref(u->urb);
        g_object_unref(u->buffer);
        d->urbs--;
        return EINVAL;
    }
    bool *halted = &d->halted[(u->endpoint & 15) + (u->endpoint >> 3 & 16)];
    if (*halted) {
        u->held = true;
    } else if (halts(d)) {
        *halted = true;
        finish(u, -EPIPE, 0);
    } else {
        start(d, u);
    }
    unsigned in = 0;
    for (unsigned i = 0; i < d->urbs; i++)
        in += !d->urb[i].done && d->urb[i].endpoint > 0x80;
    if (in > d->mock->seen.in_flight)
        d->mock->seen.in_flight = in;
    return 0;
}

static void forget(struct mock_device *d, unsigned i)
{
    g_object_unref(d->urb[i].urb);
    g_object_unref(d->urb[i].buffer);
    memmove(&d->urb[i], &d->urb[i + 1], (--d->urbs - i) * sizeof *d->urb);
}

static bool reap(struct mock_device *d, UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
    for (unsigned look = 0; look < 2; look++) {
        for (unsigned i = 0; i < d->urbs; i++) {
            struct mock_urb *u = &d->urb[i];
            if (!u->done || u->client != client)
                continue;
            struct usbdevfs_urb *urb = (void *)u->urb->data;
            urb->status = u->status;
            urb->actual_length = (int)u->actual;
            UMockdevIoctlData *pointer = umockdev_ioctl_data_resolve(arg, 0, sizeof(void *), NULL);
            if (!pointer)
                return false;
            umockdev_ioctl_data_set_ptr(pointer, 0, u->urb);
            g_object_unref(pointer);
            umockdev_ioctl_client_complete(client, 0, 0);
            forget(d, i);
            return true;
        }
        if (!look)
            listen_to(d);
    }
    return false;
}

static int discard(struct mock_device *d, UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
    UMockdevIoctlData *urb = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_urb), NULL);
    gulong address = urb ? urb->client_addr : 0;
    if (urb)
        g_object_unref(urb);
    for (unsigned i = 0; i < d->urbs; i++) {
        struct mock_urb *u = &d->urb[i];
        if (u->done || u->client != client || u->urb->client_addr != address)
            continue;
        finish(u, -ENOENT, 0);
        if (!u->held && !d->gone)
            unlink_urb(d, u->number);
        return 0;
    }
    return EINVAL;
}

static void release(struct mock_device *d, unsigned interface)
{
    g_object_unref(d->claimed[interface]);
    d->claimed[interface] = NULL;
}

static void node_of(const struct mock_device *d, char node[64])
{
    snprintf(node, 64, "/dev/bus/usb/001/%03u", d->number + 1);
}

// How many processes have the node open.
static unsigned openers(const struct mock_device *d)
{
    char node[64], path[256], target[256], *root = umockdev_testbed_get_root_dir(d->mock->bed);
    glob_t fds;
    unsigned count = 0, last = 0;
    node_of(d, node);
    snprintf(path, sizeof path, "%s%s", root, node);
    g_free(root);
    if (glob("/proc/[0-9]*/fd/*", GLOB_NOSORT, NULL, &fds))
        return 0;
    for (size_t i = 0; i < fds.gl_pathc; i++) {
        ssize_t n = readlink(fds.gl_pathv[i], target, sizeof target - 1);
        unsigned process = (unsigned)strtoul(fds.gl_pathv[i] + 6, NULL, 10);
        target[n > 0 ? n : 0] = 0;
        if (strcmp(target, path) != 0)
            continue;
        count += process != last;
        last = process;
    }
    globfree(&fds);
    return count;
}

// What the kernel does when a process has closed the node or died: umockdev does not tell, so when
// only one has it open, the one that asks.
static void clean_up(struct mock_device *d, const UMockdevIoctlClient *asks)
{
    if (openers(d) > 1)
        return;
    for (unsigned n = 0; n < INTERFACES; n++) {
        UMockdevIoctlClient *client = d->claimed[n];
        if (!client || client == asks)
            continue;
        for (unsigned i = d->urbs; i--;) {
            if (d->urb[i].client != client)
                continue;
            if (!d->urb[i].done && !d->urb[i].held && !d->gone)
                unlink_urb(d, d->urb[i].number);
            forget(d, i);
        }
        d->claimed[n] = NULL; // not released: umockdev would complain of its open connection
    }
}

static int claim(struct mock_device *d, UMockdevIoctlClient *client, unsigned interface)
{
    if (interface < INTERFACES && d->claimed[interface] && d->claimed[interface] != client)
        clean_up(d, client);
    if (interface >= INTERFACES)
        return EINVAL;
    if (d->claimed[interface])
        return d->claimed[interface] == client ? 0 : EBUSY;
    d->claimed[interface] = g_object_ref(client);
    d->mock->seen.interface = interface;
    return 0;
}

static int clear_halt(struct mock_device *d, unsigned endpoint)
{
    bool *halted = &d->halted[(endpoint & 15) + (endpoint >> 3 & 16)];
    if (d->gone)
        return ENODEV;
    *halted = d->mock->faults.stall_for_good;
    for (unsigned i = 0; i < d->urbs && !*halted; i++)
        if (d->urb[i].held && d->urb[i].endpoint == endpoint)
            start(d, &d->urb[i]);
    return 0;
}

static unsigned number_at(UMockdevIoctlData *arg, size_t size)
{
    UMockdevIoctlData *data = umockdev_ioctl_data_resolve(arg, 0, size, NULL);
    unsigned value = data ? *(const unsigned *)data->data : UINT_MAX;
    if (data)
        g_object_unref(data);
    return value;
}

static int other_request(struct mock_device *d, UMockdevIoctlClient *client, gulong request,
                         UMockdevIoctlData *arg)
{
    UMockdevIoctlData *data;
    unsigned interface;
    switch (request) {
    case USBDEVFS_GET_CAPABILITIES:
        data = umockdev_ioctl_data_resolve(arg, 0, sizeof(uint32_t), NULL);
        if (!data)
            return EFAULT;
        *(uint32_t *)data->data = USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_NO_PACKET_SIZE_LIM |
                                  USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
        g_object_unref(data);
        return 0;
    case USBDEVFS_CLAIMINTERFACE:
        return claim(d, client, number_at(arg, sizeof interface));
    case USBDEVFS_DISCONNECT_CLAIM:
        return claim(d, client, number_at(arg, sizeof(struct usbdevfs_disconnect_claim)));
    case USBDEVFS_RELEASEINTERFACE:
        interface = number_at(arg, sizeof interface);
        if (interface >= INTERFACES || d->claimed[interface] != client)
            return EINVAL;
        release(d, interface);
        return 0;
    case USBDEVFS_CLEAR_HALT:
        return clear_halt(d, number_at(arg, sizeof(unsigned)));
    case USBDEVFS_SETCONFIGURATION:
    case USBDEVFS_RESET:
        return 0;
    case USBDEVFS_GETDRIVER:
    case USBDEVFS_IOCTL: // disconnect and connect the kernel's driver: there is none
        return ENODATA;
    default:
        return ENOTTY;
    }
}

static gboolean on_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer ctx)
{
    struct mock_device *d = ctx;
    (void)base;
    pthread_mutex_lock(&d->mock->lock);
    UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client);
    gulong request = umockdev_ioctl_client_get_request(client);
    int error;
    if (request == USBDEVFS_REAPURB || request == USBDEVFS_REAPURBNDELAY) {
        if (reap(d, client, arg)) {
            pthread_mutex_unlock(&d->mock->lock);
            return TRUE;
        }
        error = d->gone ? ENODEV : EAGAIN;
    } else if (request == USBDEVFS_SUBMITURB) {
        error = submit_urb(d, client, arg);
    } else if (request == USBDEVFS_DISCARDURB) {
        error = discard(d, client, arg);
    } else {
        error = other_request(d, client, request, arg);
    }
    umockdev_ioctl_client_complete(client, error ? -1 : 0, error);
    pthread_mutex_unlock(&d->mock->lock);
    return TRUE;
}

// Plugs -------------------------------------------------------------------------------------------

struct mock *mock_new(char **argv, uint64_t seed)
{
    struct mock *m = calloc(1, sizeof *m);
    if (!m)
        die("mock_new");
    const char *loaded = getenv("LD_PRELOAD");
    if (!loaded || !strstr(loaded, PRELOAD)) {
        setenv("LD_PRELOAD", PRELOAD, 1);
        execv("/proc/self/exe", argv);
        die("exec");
    }
    pthread_mutex_init(&m->lock, NULL);
    m->bed = umockdev_testbed_new();
    m->random = seed;
    m->faults = mock_no_faults;
    return m;
}

void mock_free(struct mock *m)
{
    for (unsigned i = 1; i <= MOCK_DEVICES; i++)
        mock_unplug(m, i);
    g_object_unref(m->bed);
    free(m);
}

void mock_plug(struct mock *m, unsigned port, unsigned number)
{
    struct mock_device *d = &m->device[number];
    uint8_t descriptors[512], string[256];
    char text[4096], node[64];
    size_t n;
    GError *error = NULL;
    *d = (struct mock_device){.mock = m, .number = number, .plugged = true};
    import(d, port);
    n = ask(d, (const uint8_t[]){0x80, 6, 0, 1, 0, 0, 18, 0}, descriptors, 18);
    n += ask(d, (const uint8_t[]){0x80, 6, 0, 2, 0, 0, 255, 0}, descriptors + n, 255);
    size_t length = ask(d, (const uint8_t[]){0x80, 6, 3, 3, 9, 4, 255, 0}, string, 255);
    for (size_t i = 2; i + 1 < length; i += 2)
        d->serial[i / 2 - 1] = (char)string[i];
    d->packet = descriptors[18 + 9 + 9 + 4] | (unsigned)descriptors[18 + 9 + 9 + 5] << 8;
    snprintf(d->path, sizeof d->path, "/sys/devices/usb1/1-%u", number);
    node_of(d, node);
    d->base = umockdev_ioctl_base_new();
    g_signal_connect_after(d->base, "handle-ioctl", G_CALLBACK(on_ioctl), d);
    if (!umockdev_testbed_attach_ioctl(m->bed, node, d->base, &error))
        die(error->message);
    int at = snprintf(text, sizeof text,
                      "P: %s\nN: %s\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nE: DEVNAME=%s\n"
                      "E: BUSNUM=001\nE: DEVNUM=%03u\nA: busnum=1\\n\nA: devnum=%u\\n\n"
                      "A: bConfigurationValue=1\\n\nA: speed=%s\\n\nA: serial=%s\\n\n"
                      "H: descriptors=",
                      d->path + 4, node + 5, node, number + 1, number + 1,
                      d->packet == 512 ? "480" : "12", d->serial);
    for (size_t i = 0; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%02X", descriptors[i]);
    snprintf(text + at, sizeof text - (size_t)at, "\n");
    if (!umockdev_testbed_add_from_string(m->bed, text, &error))
        die(error->message);
    pthread_mutex_lock(&m->lock);
    m->seen = (struct mock_seen){0};
    pthread_mutex_unlock(&m->lock);
}

void mock_unplug(struct mock *m, unsigned number)
{
    struct mock_device *d = &m->device[number];
    char node[64];
    if (!d->plugged)
        return;
    pthread_mutex_lock(&m->lock);
    pull(d);
    d->plugged = false;
    pthread_mutex_unlock(&m->lock);
    node_of(d, node);
    umockdev_testbed_uevent(m->bed, d->path, "remove");
    umockdev_testbed_detach_ioctl(m->bed, node, NULL);
    umockdev_testbed_remove_device(m->bed, d->path);
    g_object_unref(d->base);
    for (unsigned i = d->urbs; i--;)
        forget(d, i);
    close(d->fd);
}

void mock_kernel_driver(struct mock *m, unsigned number, unsigned interface, const char *tty)
{
    char name[32];
    snprintf(name, sizeof name, "1-%u:1.%u", number, interface);
    char *path = umockdev_testbed_add_device(m->bed, "usb", name, m->device[number].path, NULL,
                                             "DEVTYPE", "usb_interface", NULL);
    g_free(umockdev_testbed_add_device(m->bed, "usb-serial", tty, path, NULL, NULL));
    g_free(path);
}

void mock_forbid(struct mock *m, unsigned number)
{
    char node[64], path[256], *root = umockdev_testbed_get_root_dir(m->bed);
    node_of(&m->device[number], node);
    snprintf(path, sizeof path, "%s%s", root, node);
    g_free(root);
    if (chmod(path, 0))
        die(path);
}

const char *mock_serial(const struct mock *m, unsigned number)
{
    return m->device[number].serial;
}

void mock_set_faults(struct mock *m, const struct mock_faults *faults)
{
    pthread_mutex_lock(&m->lock);
    m->faults = *faults;
    m->seen = (struct mock_seen){0};
    pthread_mutex_unlock(&m->lock);
}

struct mock_seen mock_seen(struct mock *m)
{
    pthread_mutex_lock(&m->lock);
    struct mock_seen seen = m->seen;
    seen.claims = 0;
    for (unsigned i = 1; i <= MOCK_DEVICES; i++)
        for (unsigned n = 0; n < INTERFACES; n++)
            seen.claims += m->device[i].plugged && m->device[i].claimed[n];
    pthread_mutex_unlock(&m->lock);
    return seen;
}

// Programs ----------------------------------------------------------------------------------------

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int mock_run(struct mock *m, char *const *argv, double seconds, char *output, size_t size)
{
    int out[2], status;
    size_t n = 0;
    double begin = now();
    if (pipe2(out, O_CLOEXEC))
        die("pipe");
    pthread_mutex_lock(&m->lock); // none of its transfers is served before it is known
    pid_t pid = m->program = fork();
    if (pid < 0)
        die("fork");
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_CAPBSET_DROP, 1); // CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: a node's
        prctl(PR_CAPBSET_DROP, 2); // permissions count for root too
        dup2(out[1], 1);
        dup2(out[1], 2);
        execv(argv[0], argv);
        _exit(127);
    }
    pthread_mutex_unlock(&m->lock);
    close(out[1]);
    bool over = false;
    for (;;) {
        double left = begin + seconds - now();
        struct pollfd p = {.fd = out[0], .events = POLLIN};
        if (poll(&p, 1, left > 0 ? (int)(1e3 * left) + 1 : 0) > 0) {
            char rest[256];
            bool room = n + 1 < size;
            ssize_t got = read(out[0], room ? output + n : rest, room ? size - 1 - n : sizeof rest);
            if (got <= 0)
                break;
            n += room ? (size_t)got : 0;
        } else if (!over && left <= 0) {
            over = true;
            kill(pid, SIGKILL);
        }
    }
    output[n] = 0;
    close(out[0]);
    waitpid(pid, &status, 0);
    return over ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
