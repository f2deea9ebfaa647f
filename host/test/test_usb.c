// SPDX-License-Identifier: Apache-2.0
// torusctl over USB, the programs as they are: libtorus, libftdi, libusb, a machine made up by
// umockdev, USB/IP, the FTDI chip of boardsim, the boards.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "usb_rig.h"

static const char golden[] = "--dims 2x2 --boards golden";

// On boards whose time stands still while the host thinks: one request after the other, none
// repeated, each in the same cycle whatever it came over and however busy the machine is.
#define STILL "--session 7 --timeout 200 --retry 100 --window 1 "

// The main job, then all counters as CSV.
static bool demo(struct rig *r, const char *where, char *counters, size_t size)
{
    static const char *const steps[] = {STILL "discover", STILL "program --routing ofr",
                                        STILL "run --pattern uniform --load 0.6",
                                        STILL "--format csv counters --all"};
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        if (torusctl(r, where, steps[i]) != 0)
            return false;
    snprintf(counters, size, "%s", r->out);
    return strlen(counters) > 4000;
}

static void main_job(struct rig *r)
{
    static char socket[1 << 16], usb[1 << 16];
    static const char still[] = "--dims 2x2 --boards golden --wait";
    rig_boards(r, still, 0);
    check(r, demo(r, "unix:0", socket, sizeof socket), "the main job over the socket");
    rig_stop(r);
    rig_boards(r, still, 1);
    check(r, demo(r, "usb", usb, sizeof usb), "the main job over USB");
    check(r, !strcmp(socket, usb), "the same counters");
    struct mock_seen seen = mock_seen(r->mock);
    check(r, seen.interface == 1, "FT2232H: channel B");
    check(r, seen.latency == 2 && seen.in_flight >= 2,
          "latency timer %u ms, %u transfers in at once", seen.latency, seen.in_flight);
    rig_stop(r);
}

static void chips(struct rig *r)
{
    rig_boards(r, "--dims 2x2 --boards golden --chip ft232h", 1);
    check(r, torusctl(r, "usb", "discover --assign") == 0 && says(r, "4 boards, a 2x2 torus"),
          "FT232H: discover");
    check(r, mock_seen(r->mock).interface == 0, "FT232H: its only channel");
    rig_stop(r);
    rig_boards(r, "--dims 2x2 --boards golden --chip ft231x", 1);
    check(r, torusctl(r, "usb", "discover --assign") == 0 && says(r, "4 boards, a 2x2 torus"),
          "FT231X, packets of 64 bytes: discover");
    check(r, torusctl(r, "usb", "--format csv counters --all") == 0, "FT231X: counters");
    check(r,
          torusctl(r, "usb", "--baud 5000000 ping") == 2 && one_line(r) && says(r, "5000000 baud"),
          "FT231X: a rate that it does not have");
    rig_stop(r);
}

static void rtl(struct rig *r)
{
    rig_boards(r, "--dims 2x2", 1);
    check(r, torusctl(r, "usb", "discover") == 0 && says(r, "4 boards, a 2x2 torus"),
          "RTL: discover");
    check(r, torusctl(r, "usb", "program --routing ofr") == 0, "RTL: program");
    check(r, torusctl(r, "usb", "run --pattern uniform --load 0.5") == 0, "RTL: run");
    check(r, torusctl(r, "usb", "counters") == 0, "RTL: counters");
    check(r, rig_stop(r) == 0, "RTL: boards equal their golden models to the end");
    int log = open(r->log, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(log, r->out, sizeof r->out - 1);
    r->out[n > 0 ? n : 0] = 0;
    close(log);
    check(r, says(r, "every counter of all 4 boards equals"), "RTL: every counter, too");
}

static void wrong(struct rig *r)
{
    char text[200];
    check(r, torusctl(r, "usb", "ping") == 2 && one_line(r) && says(r, "no board"), "no board");
    rig_boards(r, golden, 3);
    check(r,
          torusctl(r, "usb", "ping") == 2 && one_line(r) && says(r, "say which") &&
              says(r, mock_serial(r->mock, 1)) && says(r, mock_serial(r->mock, 3)),
          "three boards and no serial number: lists them");
    check(r,
          torusctl(r, "usb:nobody", "ping") == 2 && one_line(r) && says(r, "no such board") &&
              says(r, mock_serial(r->mock, 2)),
          "a wrong serial number: lists those there are");
    snprintf(text, sizeof text, "usb:%s", mock_serial(r->mock, 2));
    check(r, torusctl(r, text, "ping") == 0 && says(r, mock_serial(r->mock, 2)),
          "the right one: that board answers");
    check(r, torusctl(r, "usb:1-3", "ping") == 0 && says(r, mock_serial(r->mock, 3)), "by place");
    check(r,
          torusctl(r, "usb:1-1", "--baud 9600 --timeout 1 ping") == 2 && one_line(r) &&
              says(r, "no answer"),
          "the wrong baud rate: no answer");
    check(r, torusctl(r, "usb:1-1", "--baud 0 ping") == 2 && one_line(r), "no baud rate");
    mock_forbid(r->mock, 1);
    check(r, torusctl(r, "usb:1-1", "ping") == 2 && one_line(r) && says(r, "70-outflank.rules"),
          "no permission: names the udev rules");
    rig_stop(r);
}

// Two at once: what the second is told of the first, which is still there and goes on.
static void two(struct rig *r)
{
    char name[100], pid[32];
    rig_boards(r, golden, 1);
    torusctl(r, "usb", "program --routing ofr");
    snprintf(name, sizeof name, "%s/bin/torusctl", getenv("B") ? getenv("B") : "build");
    pid_t first = fork();
    if (!first) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        execl(name, name, "-t", "usb", "ping", "--count", "1000000", (char *)NULL);
        _exit(127);
    }
    for (unsigned tries = 0; tries < 12000 && mock_seen(r->mock).claims == 0; tries++)
        usleep(10000);
    // Another test's machine may have a node of that name as well: its process is named too.
    snprintf(pid, sizeof pid, " %d (torusctl)", (int)first);
    check(r,
          torusctl(r, "usb", "ping") == 2 && one_line(r) && says(r, "in use by process") &&
              says(r, pid),
          "a second process: told who has the board");
    check(r, waitpid(first, NULL, WNOHANG) == 0, "the first goes on");
    kill(first, SIGKILL);
    waitpid(first, NULL, 0);
    check(r, torusctl(r, "usb", "ping") == 0, "and when it is dead the board is free");

    // Somebody uses the kernel's serial port.
    mock_kernel_driver(r->mock, 1, 1, "ttyUSB7");
    check(r, torusctl(r, "usb", "ping") == 0, "the kernel's driver is no obstacle");
    snprintf(name, sizeof name, "%s/dev", r->dir);
    mkdir(name, 0700);
    snprintf(name, sizeof name, "%s/dev/ttyUSB7", r->dir);
    int fd = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0600); // else torusctl has it, too
    snprintf(pid, sizeof pid, "/dev/ttyUSB7 by process %d", (int)getpid());
    check(r, torusctl(r, "usb", "ping") == 2 && one_line(r) && says(r, pid),
          "unless a process uses it");
    close(fd);
    unlink(name);
    *strrchr(name, '/') = 0;
    rmdir(name);
    rig_stop(r);
}

// torusctl with these arguments in the background: what it prints in a file, complaints in
// file.err.
static pid_t begin(const char *const *arguments, const char *file)
{
    char name[100], complaints[100];
    snprintf(complaints, sizeof complaints, "%s.err", file);
    snprintf(name, sizeof name, "%s/bin/torusctl", getenv("B") ? getenv("B") : "build");
    pid_t pid = fork();
    if (!pid) {
        int out = open(file, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
        int err = open(complaints, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
        dup2(out, 1);
        dup2(err, 2);
        execv(name, (char *const *)arguments);
        _exit(127);
    }
    return pid;
}

// Waits until the file has that in it; what it has is in r->out.
static bool comes(struct rig *r, const char *file, const char *text)
{
    for (unsigned tries = 0; tries < 12000; tries++) {
        int fd = open(file, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? 0 : read(fd, r->out, sizeof r->out - 1);
        r->out[n > 0 ? n : 0] = 0;
        if (fd >= 0)
            close(fd);
        if (says(r, text))
            return true;
        usleep(10000);
    }
    return false;
}

static int ended(pid_t pid)
{
    int status;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void shared(struct rig *r)
{
    static const char *const serve[] = {"torusctl", "serve", "-t", "usb", "--timeout", "60", NULL};
    static const char *const ping[] = {"torusctl", "ping", "-t", "usb", "--count", "1000000", NULL};
    char where[100], said[90], pinged[90];
    snprintf(said, sizeof said, "%s/serve", r->dir);
    snprintf(pinged, sizeof pinged, "%s/ping", r->dir);
    rig_boards(r, golden, 1);
    unsigned claims = mock_seen(r->mock).claims;
    pid_t server = begin(serve, said), other = 0;
    check(r, comes(r, said, "is shared at unix:"), "serve: has the board on USB");
    check(r, torusctl(r, "usb", "discover") == 0 && says(r, "4 boards, a 2x2 torus"),
          "serve: discover goes through it");
    check(r, torusctl(r, "usb:1-1", "program --routing ofr") == 0, "serve: by place");
    snprintf(where, sizeof where, "usb:%s", mock_serial(r->mock, 1));
    other = begin(ping, pinged);
    check(r, comes(r, pinged, "(0,0)"), "serve: another one at the same time");
    check(r, torusctl(r, where, "run --load 0.3") == 0, "serve: run, by serial number");
    check(r, torusctl(r, "usb", "--format csv counters") == 0, "serve: counters");
    check(r, torusctl(r, "usb", "serve") == 2 && one_line(r) && says(r, "shared already by"),
          "serve: a second one is refused");
    check(r, mock_seen(r->mock).claims == claims + 1, "serve: it alone has claimed the board");
    check(r, waitpid(other, NULL, WNOHANG) == 0, "serve: the other one goes on");
    mock_unplug(r->mock, 1);
    unlink(said);
    unlink(pinged);
    strcat(said, ".err");
    strcat(pinged, ".err");
    check(r, ended(server) == 2 && comes(r, said, "the connection to it broke") && one_line(r),
          "serve: unplugged, it ends with status 2, in one line");
    check(r, ended(other) == 2 && comes(r, pinged, "broke") && one_line(r),
          "serve: so does who asked");
    unlink(said);
    unlink(pinged);
    rig_stop(r);
}

static void chip_faults(struct rig *r)
{
    struct mock_faults f = mock_no_faults;
    rig_boards(r, golden, 1);
    torusctl(r, "usb", "program --routing ofr");
    f.stall_every = 5;
    mock_set_faults(r->mock, &f);
    // A frame is lost with its transfer, and sent again. How many transfers a discover takes is a
    // matter of time, so as many of them as it takes.
    bool done = true;
    unsigned stalls = 0;
    for (unsigned round = 0; done && stalls <= 5 && round < 20; round++) {
        done = torusctl(r, "usb", "--retry 0.1 discover") == 0;
        stalls = mock_seen(r->mock).faults;
    }
    check(r, done && stalls > 5, "every 5th transfer stalls (%u): discover", stalls);
    check(r, torusctl(r, "usb", "--retry 0.1 ping --count 50") == 0, "and 50 pings");
    f.stall_every = 1; // both endpoints are left halted
    mock_set_faults(r->mock, &f);
    torusctl(r, "usb", "--timeout 0.5 ping");
    f.stall_every = 0;
    mock_set_faults(r->mock, &f);
    check(r, torusctl(r, "usb", "ping") == 0, "the next process clears what one has left halted");
    f.stall_every = 1; // a fast ping may have no fifth transfer
    f.stall_for_good = true;
    mock_set_faults(r->mock, &f);
    check(r, torusctl(r, "usb", "--timeout 1 ping") == 2 && one_line(r) && r->took < 60,
          "a halt that does not clear: an error, in time");
    f = mock_no_faults;
    f.short_packets = true;
    mock_unplug(r->mock, 1);
    mock_plug(r->mock, r->port, 1);
    mock_set_faults(r->mock, &f);
    check(r, torusctl(r, "usb", "discover") == 0, "short packets: discover");
    check(r, torusctl(r, "usb", "--format csv counters") == 0, "short packets: counters");
    f = mock_no_faults;
    f.mute = true;
    mock_set_faults(r->mock, &f);
    check(r,
          torusctl(r, "usb", "--timeout 1 ping") == 2 && one_line(r) && says(r, "no answer") &&
              r->took < 60,
          "nothing arrives: time-out");
    mock_set_faults(r->mock, &mock_no_faults);
    rig_stop(r);
}

// What each protection is worth.
// A chip whose endpoints say wMaxPacketSize 0 is taken for one with packets of 64 bytes, the
// smallest that there are.
static void no_size(struct rig *r)
{
    struct mock_faults f = mock_no_faults;
    rig_boards(r, "--dims 2x2 --boards golden --chip ft231x", 0);
    f.no_size = true;
    mock_set_faults(r->mock, &f);
    mock_plug(r->mock, r->port, 1);
    check(r, torusctl(r, "usb", "ping") == 0, "wMaxPacketSize 0: ping");
    check(r, torusctl(r, "usb", "discover --assign") == 0 && says(r, "2x2 torus"),
          "wMaxPacketSize 0: the main job");
    r->ctl = "twin/packet/torusctl";
    check(r, torusctl(r, "usb", "ping") != 0, "twin that divides by it: found");
    r->ctl = NULL;
    mock_set_faults(r->mock, &mock_no_faults);
    rig_stop(r);
}

static void twins(struct rig *r)
{
    struct mock_faults f = mock_no_faults;
    rig_boards(r, golden, 1);
    f.short_packets = true; // or a frame has no status bytes in it
    mock_set_faults(r->mock, &f);
    r->ctl = "twin/status/torusctl";
    check(r, torusctl(r, "usb", "--timeout 1 ping --count 20") == 2,
          "twin that keeps the status bytes: found");
    mock_unplug(r->mock, 1);
    mock_plug(r->mock, r->port, 1);
    f = mock_no_faults;
    mock_set_faults(r->mock, &f);
    r->ctl = "twin/halt/torusctl";
    check(r, torusctl(r, "usb", "ping") == 0, "twin that does not clear a halt: works");
    f.stall_every = 5;
    mock_set_faults(r->mock, &f);
    check(r, torusctl(r, "usb", "--timeout 1 ping --count 20") == 2, "until one comes: found");
    r->ctl = "twin/channel/torusctl";
    mock_set_faults(r->mock, &mock_no_faults);
    check(r, torusctl(r, "usb", "--timeout 1 ping") == 2, "twin that takes channel A: found");
    r->ctl = NULL;
    rig_stop(r);
}

// The USB/IP server by itself: sends it something, and returns the first 8 bytes of its answer as a
// number; 0: it hangs up without. The list of devices begins 0x01110005, an import 0x01110003.
static uint64_t server(struct rig *r, const void *bytes, size_t count, int *keep)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)r->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    uint8_t answer[8];
    uint64_t value = 0;
    if (connect(fd, (struct sockaddr *)&to, sizeof to) ||
        send(fd, bytes, count, MSG_NOSIGNAL) != (ssize_t)count ||
        recv(fd, answer, sizeof answer, MSG_WAITALL) != sizeof answer)
        memset(answer, 0, sizeof answer);
    for (unsigned i = 0; i < sizeof answer; i++)
        value = value << 8 | answer[i];
    if (keep)
        *keep = fd;
    else
        close(fd);
    return value;
}

static void usbip(struct rig *r)
{
    static const uint8_t list[8] = {0x01, 0x11, 0x80, 0x05}, old[8] = {0x01, 0x06, 0x80, 0x05};
    uint8_t import[40] = {0x01, 0x11, 0x80, 0x03, 0, 0, 0, 0, '1', '-', '1'}, junk[500], sub[48];
    int fd;
    rig_boards(r, golden, 0);
    check(r, server(r, list, sizeof list, NULL) == UINT64_C(0x0111000500000000), "USB/IP: list");
    check(r, server(r, old, sizeof old, NULL) == 0, "USB/IP: another version is hung up on");
    memset(junk, 0xff, sizeof junk);
    check(r, server(r, junk, sizeof junk, NULL) == 0, "USB/IP: so is noise");
    import[10] = '9';
    check(r, server(r, import, sizeof import, NULL) == UINT64_C(0x0111000300000004),
          "USB/IP: no such device");
    import[10] = '1';
    check(r, server(r, import, sizeof import, &fd) == UINT64_C(0x0111000300000000),
          "USB/IP: import");
    check(r, server(r, import, sizeof import, NULL) == UINT64_C(0x0111000300000002),
          "USB/IP: of one device by two: busy");
    memset(sub, 0, sizeof sub);
    sub[3] = 1;
    sub[24] = 0x7f; // a transfer of 2 GB
    send(fd, sub, sizeof sub, MSG_NOSIGNAL);
    while (recv(fd, junk, sizeof junk, 0) > 0) {
        // what the import said
    }
    close(fd);
    check(r, server(r, list, sizeof list, NULL) == UINT64_C(0x0111000500000000),
          "USB/IP: a transfer of 2 GB is hung up on, and others are served");
    check(r, torusctl(r, "unix:0", "discover") == 0, "USB/IP: and the sockets");
    rig_stop(r);
}

int main(int argc, char **argv)
{
    struct rig *r = rig_new(argc, argv);
    main_job(r);
    chips(r);
    wrong(r);
    two(r);
    shared(r);
    chip_faults(r);
    no_size(r);
    twins(r);
    usbip(r);
    rtl(r);
    return rig_end(r);
}
