// SPDX-License-Identifier: Apache-2.0
// Hosts: each board's UART as a Unix socket or a terminal, and behind a USB chip.
#include "uarts.h"

#include "basics.h"
#include "unix_listen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IDLE_MS = 20 }; // longest sleep while nothing is in flight

void socket_path(const struct sim *s, uint32_t n, char path[108])
{
    if (snprintf(path, 108, "%s/board%u.sock", s->o.directory, n) >= 108)
        die("--sockets %s: the path is too long for a Unix socket", s->o.directory);
}

static void open_pty(struct sim *s, uint32_t n)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (fd < 0 || grantpt(fd) || unlockpt(fd))
        die("no pseudo-terminal for board %u: %s", n, strerror(errno));
    fcntl(fd, F_SETFL, O_NONBLOCK);
    printf("board %u: %s\n", n, ptsname(fd));
    s->uart[n] = (struct uart_socket){.listener = -1, .client = fd, .pty = true};
}

int listen_at(const char *path)
{
    int fd = unix_listen(path);
    if (fd < 0 && errno == EADDRINUSE)
        die("%s: another simulator listens there; end it, or say another folder with --sockets",
            path);
    if (fd < 0)
        die("%s: %s", path, strerror(errno));
    return fd;
}

static void open_socket(struct sim *s, uint32_t n)
{
    char path[108];
    socket_path(s, n, path);
    s->uart[n] = (struct uart_socket){.listener = listen_at(path), .client = -1};
}

void close_uarts(struct sim *s)
{
    for (uint32_t n = 0; n < s->boards; n++) {
        char path[108];
        if (s->uart[n].client >= 0)
            close(s->uart[n].client);
        if (s->uart[n].listener < 0)
            continue;
        close(s->uart[n].listener);
        socket_path(s, n, path);
        unlink(path);
    }
}

static void drop_client(struct uart_socket *u)
{
    if (u->pty)
        return;
    close(u->client);
    u->client = -1;
    u->got = 0;
}

// A byte from a host. With --wait whole frames only, so that the board meets each in a cycle that
// does not depend on when the host's bytes came.
static void to_board(struct sim *s, uint32_t n, uint8_t byte)
{
    struct uart_socket *u = &s->uart[n];
    if (!s->o.wait) {
        board_uart_send(s->board[n], byte);
        return;
    }
    u->frame[u->got++] = byte;
    if (u->got < sizeof u->frame)
        return;
    for (unsigned i = 0; i < u->got; i++)
        board_uart_send(s->board[n], u->frame[i]);
    s->owed += !(u->frame[1] & OFR_MODE_BULK);
    u->got = 0;
}

// A byte to a host. A frame of an answer's bytes (protocol.h, BULK) is not the answer itself.
static bool from_board(struct sim *s, uint32_t n, uint8_t *byte)
{
    struct uart_socket *u = &s->uart[n];
    if (!board_uart_receive(s->board[n], byte))
        return false;
    if (!u->gone && *byte != OFR_FRAME_SYNC)
        return true;
    if (u->gone == 1)
        u->bulk = *byte & OFR_MODE_BULK;
    u->gone = (u->gone + 1) % OFR_FRAME_BYTES;
    s->owed -= !u->gone && !u->bulk && s->owed;
    return true;
}

bool uarts_backlog(const struct sim *s)
{
    for (uint32_t n = 0; n < s->boards; n++)
        if (board_uart_backlog(s->board[n]))
            return true;
    return false;
}

// What comes from the host, as far as the board takes it; a second host waits in the listener.
static bool serve_uart(struct sim *s, uint32_t n)
{
    struct uart_socket *u = &s->uart[n];
    uint8_t bytes[256], byte;
    bool any = false;
    if (u->client < 0 && u->listener >= 0)
        u->client = accept4(u->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (u->client >= 0 && board_uart_backlog(s->board[n]) < sizeof bytes) {
        ssize_t got = read(u->client, bytes, sizeof bytes);
        u->hung_up = u->pty && got < 0 && errno == EIO;
        for (ssize_t i = 0; i < got; i++)
            to_board(s, n, bytes[i]);
        any = got > 0;
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR && errno != EIO))
            drop_client(u);
    }
    size_t count = 0;
    while (count < sizeof bytes && from_board(s, n, &byte))
        bytes[count++] = byte;
    // A host that does not read loses what its kernel buffer cannot take, as on a serial line
    if (count && u->client >= 0 && write(u->client, bytes, count) < 0 && errno != EAGAIN)
        drop_client(u);
    return any || count;
}

// The same for a board whose UART somebody has over USB.
static bool serve_usb(struct sim *s, uint32_t n)
{
    uint8_t byte;
    bool any = false;
    for (; board_uart_backlog(s->board[n]) < 256 && ftdi_uart_get(&s->chip[n], &byte); any = true)
        to_board(s, n, byte);
    for (; ftdi_uart_room(&s->chip[n]) && from_board(s, n, &byte); any = true)
        ftdi_uart_put(&s->chip[n], byte);
    return any;
}

static bool socket_taken(void *ctx, unsigned n)
{
    const struct sim *s = ctx;
    return s->uart[n].client >= 0 && !s->uart[n].pty;
}

bool serve_uarts(struct sim *s)
{
    bool any = false;
    if (s->usbip)
        usbip_serve(s->usbip, socket_taken, s);
    for (uint32_t n = 0; n < s->boards; n++)
        if (s->usbip && usbip_attached(s->usbip, n) ? serve_usb(s, n) : serve_uart(s, n))
            any = true;
    return any;
}

void wait_for_host(struct sim *s)
{
    int milliseconds = IDLE_MS;
    nfds_t count = s->usbip ? usbip_wait(s->usbip, s->fds, &milliseconds) : 0;
    int control = s->control.client >= 0 ? s->control.client : s->control.listener;
    s->fds[count++] = (struct pollfd){.fd = control, .events = POLLIN};
    for (uint32_t n = 0; n < s->boards; n++) {
        if (s->usbip && usbip_attached(s->usbip, n))
            continue;
        // Nobody has the other end of a terminal: poll() would not wait.
        if (s->uart[n].hung_up)
            continue;
        if (s->uart[n].client >= 0)
            s->fds[count++] = (struct pollfd){.fd = s->uart[n].client, .events = POLLIN};
        else if (s->uart[n].listener >= 0)
            s->fds[count++] = (struct pollfd){.fd = s->uart[n].listener, .events = POLLIN};
    }
    poll(s->fds, count, milliseconds);
}

static void open_usb(struct sim *s)
{
    s->chip = allocate(s->boards, sizeof *s->chip);
    for (uint32_t n = 0; n < s->boards; n++) {
        char serial[32];
        snprintf(serial, sizeof serial, "%016" PRIx64, random_of(s->o.seed, n, 0));
        ftdi_plug_in(&s->chip[n], s->o.chip, serial);
    }
    s->usbip = usbip_new(s->o.port, s->chip, s->boards);
    if (!s->usbip)
        die("--usbip %u: %s", s->o.port, strerror(errno));
    printf("boardsim: USB/IP on 127.0.0.1 port %u\n", usbip_port(s->usbip));
}

void open_uarts(struct sim *s)
{
    if (mkdir(s->o.directory, 0777) && errno != EEXIST)
        die("--sockets %s: %s", s->o.directory, strerror(errno));
    for (uint32_t n = 0; n < s->boards; n++) {
        if (s->o.pty)
            open_pty(s, n);
        else
            open_socket(s, n);
    }
    if (s->o.usbip)
        open_usb(s);
}
