// SPDX-License-Identifier: Apache-2.0
// lint-flags: -I/usr/include/umockdev-1.0 -I/usr/include/glib-2.0
// lint-flags: -I/usr/lib/x86_64-linux-gnu/glib-2.0/include
#define _GNU_SOURCE
#include "mock_device.h"
#include "usbip_wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_BYTES = 2 };

_Noreturn void mock_die(const char *what)
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
        mock_die("send to the USB/IP server");
}

static void receive_all(int fd, void *to, size_t count)
{
    if (recv(fd, to, count, MSG_WAITALL) != (ssize_t)count)
        mock_die("the USB/IP server");
}

// Answers to transfers in have data: the number says which those are.
static const uint32_t NUMBER_IN = UINT32_C(1) << 31;

uint32_t device_submit(struct mock_device *d, unsigned endpoint, bool in, const uint8_t *setup,
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

void device_unlink(struct mock_device *d, uint32_t number)
{
    uint8_t message[HEADER] = {0};
    put32(message, 2);
    put32(message + 4, ++d->number_next);
    put32(message + 20, number);
    send_all(d->fd, message, sizeof message);
}

size_t device_ask(struct mock_device *d, const uint8_t setup[8], uint8_t *to, uint32_t room)
{
    uint8_t header[HEADER];
    uint32_t number = device_submit(d, 0, true, setup, NULL, room);
    receive_all(d->fd, header, sizeof header);
    uint32_t n = get32(header + 24);
    if (get32(header + 4) != number || get32(header + 20) || n > room)
        mock_die("a descriptor is refused");
    receive_all(d->fd, to, n);
    return n;
}

void device_import(struct mock_device *d, unsigned port)
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
            mock_die("connect to the USB/IP server");
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
    mock_die("the USB/IP server has no such device to give");
}

// Streams -----------------------------------------------------------------------------------------

static void pass(struct stream *s, const uint8_t *bytes, size_t count)
{
    if (s->passed_count + count > HELD)
        mock_die("too many bytes held");
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

void device_finish(struct mock_urb *u, int status, size_t actual)
{
    u->done = true;
    u->status = status;
    u->actual = actual;
}

void device_pull(struct mock_device *d)
{
    d->gone = true;
    for (unsigned i = 0; i < d->urbs; i++)
        if (!d->urb[i].done)
            device_finish(&d->urb[i], -ESHUTDOWN, 0);
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
            u->number = device_submit(d, u->endpoint, false, NULL, copy, (uint32_t)n);
        if (d->gone)
            device_pull(d);
        else if (!n)
            device_finish(u, 0, length);
        return;
    }
    u->number = device_submit(d, u->endpoint, false, NULL, u->buffer->data, (uint32_t)length);
}

void device_start(struct mock_device *d, struct mock_urb *u)
{
    u->held = false;
    if (!(u->endpoint & 0x80)) {
        send_out(d, u);
        return;
    }
    u->number = device_submit(d, u->endpoint & 15, true, NULL, NULL, (uint32_t)u->buffer->data_len);
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
    device_finish(u, 0, size);
    if (d->gone)
        device_pull(d);
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
            device_finish(u, status, get32(message + 24));
        } else if (status) {
            device_finish(u, status, 0);
        } else if (u->endpoint & 0x80) {
            arrived(d, u, data, length);
        } else {
            device_finish(u, 0, (size_t)u->buffer->data_len);
        }
        return;
    }
}

void device_listen(struct mock_device *d)
{
    struct pollfd p = {.fd = d->fd, .events = POLLIN};
    if (d->gone || poll(&p, 1, 1) <= 0)
        return;
    ssize_t n = recv(d->fd, d->input + d->got, sizeof d->input - d->got, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN)) {
        device_pull(d);
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

bool device_halts(struct mock_device *d)
{
    struct mock *m = d->mock;
    if (!m->faults.stall_every || ++d->bulk % m->faults.stall_every)
        return false;
    m->seen.faults++;
    return true;
}
