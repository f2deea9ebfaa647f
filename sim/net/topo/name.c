// SPDX-License-Identifier: Apache-2.0
#include "topo/name.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool net_torus_parse(const char *text, struct ofr_torus *torus)
{
    uint64_t nodes = 1;
    *torus = (struct ofr_torus){0};
    if (!strncmp(text, "torus:", 6))
        text += 6;
    for (;;) {
        if (*text < '0' || *text > '9' || torus->n == OFR_MAX_DIMS)
            return false;
        char *end;
        unsigned long k = strtoul(text, &end, 10);
        if (k < 1 || k > 255)
            return false;
        torus->k[torus->n++] = (uint8_t)k;
        nodes *= k;
        if (*end == '\0')
            return nodes <= 1 << 22;
        if (*end != 'x')
            return false;
        text = end + 1;
    }
}

void net_torus_print(const struct ofr_torus *torus, char *text, unsigned size)
{
    int at = snprintf(text, size, "torus:");
    for (unsigned i = 0; i < torus->n && at < (int)size; i++)
        at += snprintf(text + at, size - (unsigned)at, i ? "x%u" : "%u", torus->k[i]);
}

const char *net_port_print(unsigned port, char *text)
{
    unsigned axis = port / 2;
    if (axis < 6)
        snprintf(text, NET_PORT_TEXT, "%c%c", "xyzuvw"[axis], "+-"[port & 1]);
    else
        snprintf(text, NET_PORT_TEXT, "%u%c", axis % 100 + 1, "+-"[port & 1]);
    return text;
}
