// SPDX-License-Identifier: Apache-2.0
// Names and numbers that all tools share: the version, ports, nodes, counters.
#include <stdio.h>
#include <string.h>

#include "handle.h"

#define TEXT(x)   #x
#define NUMBER(x) TEXT(x)

API const char *torus_version(void)
{
    return NUMBER(TORUS_VERSION_MAJOR) "." NUMBER(TORUS_VERSION_MINOR) "." NUMBER(
        TORUS_VERSION_PATCH);
}

API const char *torus_port_name(unsigned port)
{
    static const char *const names[] = {"x+", "x-", "y+", "y-", "z+", "z-", "local"};
    return port <= TORUS_PORTS ? names[port] : "?";
}

API int torus_port_named(const char *name)
{
    for (int port = 0; port < TORUS_PORTS; port++)
        if (!strcmp(name, torus_port_name((unsigned)port)))
            return port;
    return -1;
}

API unsigned torus_node(const uint8_t k[3], const uint8_t at[3])
{
    return at[0] + k[0] * (at[1] + (unsigned)k[1] * at[2]);
}

API void torus_node_at(const uint8_t k[3], unsigned node, uint8_t at[3])
{
    for (unsigned i = 0; i < 3; i++) {
        at[i] = (uint8_t)(node % k[i]);
        node /= k[i];
    }
}

API bool torus_counter_name(unsigned index, unsigned dims, char name[TORUS_NAME])
{
    static const char *const vcs[] = {"adaptive", "vs1", "vs2"};
    static const char *const per_vc[] = {"flits", "packets", "stall_credit", "stall_alloc"};
    static const char *const node[] = {"injected", "delivered", "oidn",     "widn", "pinned",
                                       "refused",  "discarded", "poisoned", "hops"};
    static const char *const link[] = {"crc", "retry", "reset"};
    unsigned port, local = 2 * dims;
    if (index >= TORUS_COUNTERS)
        return false;
    if (index < OFR_COUNTER_NODE_BASE) {
        port = index / 12;
        snprintf(name, TORUS_NAME, "%s.%s.%s", port == local ? "local" : torus_port_name(port),
                 vcs[index / 4 % 3], per_vc[index % 4]);
        return port <= local;
    }
    if (index < OFR_COUNTER_LINK_BASE) {
        snprintf(name, TORUS_NAME, "%s", node[index - OFR_COUNTER_NODE_BASE]);
        return true;
    }
    bool high = index >= OFR_COUNTER_HIGH_BASE;
    unsigned i = index - (high ? OFR_COUNTER_HIGH_BASE : OFR_COUNTER_LINK_BASE);
    port = i / 3;
    if (high)
        snprintf(name, TORUS_NAME, "%s.%s.high_water", torus_port_name(port), vcs[i % 3]);
    else
        snprintf(name, TORUS_NAME, "%s.%s", torus_port_name(port), link[i % 3]);
    return port < local;
}

API int torus_counter_named(const char *name, unsigned dims)
{
    char text[TORUS_NAME];
    for (int i = 0; i < TORUS_COUNTERS; i++)
        if (torus_counter_name((unsigned)i, dims, text) && !strcmp(text, name))
            return i;
    return -1;
}

API bool torus_counter_built(const struct torus *t, unsigned index)
{
    char name[TORUS_NAME];
    if (!torus_counter_name(index, t->dims ? t->dims : 3, name))
        return false;
    if (t->all_counters || !t->dims)
        return true;
    if (index < OFR_COUNTER_NODE_BASE)
        return index % 12 == 0 && index / 12 < 2 * t->dims;
    return index != OFR_COUNTER_REFUSED && index != OFR_COUNTER_HOPS &&
           index < OFR_COUNTER_HIGH_BASE;
}
