// SPDX-License-Identifier: Apache-2.0
// usb_attach ADDRESS PORT BUSID: plugs a device of a USB/IP server into this machine, as `usbip
// attach` does, at the first of vhci-hcd's ports. For a guest that has nothing else.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "usbip_wire.h"

enum { DEVICE = 312, BUS = 8 + 288, ADDRESS = 8 + 292, SPEED = 8 + 296 };

static void die(const char *what)
{
    perror(what);
    exit(1);
}

int main(int argc, char **argv)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    uint8_t request[40] = {0x01, 0x11, 0x80, 0x03}, answer[8 + DEVICE];
    if (argc != 4 || strlen(argv[3]) > 31 || !inet_aton(argv[1], &to.sin_addr)) {
        fprintf(stderr, "usb_attach ADDRESS PORT BUSID\n");
        return 2;
    }
    to.sin_port = htons((uint16_t)strtoul(argv[2], NULL, 10));
    memcpy(request + 8, argv[3], strlen(argv[3]));
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to))
        die("connect");
    if (send(fd, request, sizeof request, 0) != sizeof request ||
        recv(fd, answer, 8, MSG_WAITALL) != 8 || get32(answer + 4) ||
        recv(fd, answer + 8, DEVICE, MSG_WAITALL) != DEVICE)
        die("import");
    FILE *f = fopen("/sys/devices/platform/vhci_hcd.0/attach", "w");
    if (!f)
        die("vhci_hcd");
    fprintf(f, "0 %d %u %u\n", fd, get32(answer + BUS) << 16 | get32(answer + ADDRESS),
            get32(answer + SPEED));
    if (fclose(f))
        die("attach");
    return 0;
}
