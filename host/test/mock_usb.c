// SPDX-License-Identifier: Apache-2.0
// lint-flags: -I/usr/include/umockdev-1.0 -I/usr/include/glib-2.0
// lint-flags: -I/usr/lib/x86_64-linux-gnu/glib-2.0/include
#define _GNU_SOURCE
#include "mock_device.h"
#include "now.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/usbdevice_fs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PRELOAD "libumockdev-preload.so.0"

const struct mock_faults mock_no_faults = {.after = -1};

// usbdevfs ----------------------------------------------------------------------------------------

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
        u->number =
            device_submit(d, 0, u->endpoint, setup, setup + 8, (uint32_t)u->buffer->data_len - 8);
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
    } else if (device_halts(d)) {
        *halted = true;
        device_finish(u, -EPIPE, 0);
    } else {
        device_start(d, u);
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

// What was kept of the last time it was plugged in, for programs that still had it open.
static void forget_last(struct mock_device *d)
{
    for (unsigned i = d->urbs; i--;)
        forget(d, i);
    g_clear_object(&d->base);
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
            device_listen(d);
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
        device_finish(u, -ENOENT, 0);
        if (!u->held && !d->gone)
            device_unlink(d, u->number);
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
                device_unlink(d, d->urb[i].number);
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
            device_start(d, &d->urb[i]);
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
    pthread_mutex_lock(&d->mock->lock);
    UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client);
    gulong request = umockdev_ioctl_client_get_request(client);
    int error;
    if (base != d->base) { // opened before it was plugged in anew
        error = ENODEV;
    } else if (request == USBDEVFS_REAPURB || request == USBDEVFS_REAPURBNDELAY) {
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
        mock_die("mock_new");
    const char *loaded = getenv("LD_PRELOAD");
    if (!loaded || !strstr(loaded, PRELOAD)) {
        setenv("LD_PRELOAD", PRELOAD, 1);
        execv("/proc/self/exe", argv);
        mock_die("exec");
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
    g_object_unref(m->bed); // ends the thread that serves the programs
    for (unsigned i = 1; i <= MOCK_DEVICES; i++)
        forget_last(&m->device[i]);
    free(m);
}

void mock_plug(struct mock *m, unsigned port, unsigned number)
{
    enum { ENDPOINT = 5 }; // bDescriptorType
    struct mock_device *d = &m->device[number];
    uint8_t descriptors[512], string[256];
    char text[4096], node[64];
    size_t n;
    GError *error = NULL;
    pthread_mutex_lock(&m->lock);
    forget_last(d);
    *d = (struct mock_device){.mock = m, .number = number, .plugged = true};
    pthread_mutex_unlock(&m->lock);
    device_import(d, port);
    n = device_ask(d, (const uint8_t[]){0x80, 6, 0, 1, 0, 0, 18, 0}, descriptors, 18);
    n += device_ask(d, (const uint8_t[]){0x80, 6, 0, 2, 0, 0, 255, 0}, descriptors + n, 255);
    size_t length = device_ask(d, (const uint8_t[]){0x80, 6, 3, 3, 9, 4, 255, 0}, string, 255);
    for (size_t i = 2; i + 1 < length; i += 2)
        d->serial[i / 2 - 1] = (char)string[i];
    d->packet = descriptors[18 + 9 + 9 + 4] | (unsigned)descriptors[18 + 9 + 9 + 5] << 8;
    for (size_t i = 18; m->faults.no_size && i + 6 < n && descriptors[i]; i += descriptors[i])
        if (descriptors[i + 1] == ENDPOINT)
            descriptors[i + 4] = descriptors[i + 5] = 0;
    snprintf(d->path, sizeof d->path, "/sys/devices/usb1/1-%u", number);
    node_of(d, node);
    d->base = umockdev_ioctl_base_new();
    g_signal_connect_after(d->base, "handle-ioctl", G_CALLBACK(on_ioctl), d);
    if (!umockdev_testbed_attach_ioctl(m->bed, node, d->base, &error))
        mock_die(error->message);
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
        mock_die(error->message);
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
    device_pull(d); // a program that has it open still gets its transfers, and the end
    d->plugged = false;
    close(d->fd);
    pthread_mutex_unlock(&m->lock);
    node_of(d, node);
    umockdev_testbed_uevent(m->bed, d->path, "remove");
    umockdev_testbed_detach_ioctl(m->bed, node, NULL);
    umockdev_testbed_remove_device(m->bed, d->path);
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
        mock_die(path);
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

int mock_run(struct mock *m, char *const *argv, double seconds, char *output, size_t size)
{
    int out[2], status;
    size_t n = 0;
    double begin = now();
    if (pipe2(out, O_CLOEXEC))
        mock_die("pipe");
    pthread_mutex_lock(&m->lock); // none of its transfers is served before it is known
    pid_t pid = m->program = fork();
    if (pid < 0)
        mock_die("fork");
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
