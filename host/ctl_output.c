// SPDX-License-Identifier: Apache-2.0
// Errors and pieces of output that the commands share.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

int report(struct torus *t, int error)
{
    fprintf(stderr, "torusctl: %s\n", *torus_detail(t) ? torus_detail(t) : torus_strerror(error));
    return error == TORUS_E_FAILED || error == TORUS_E_MIXED || error == TORUS_E_MISCABLED ? 1 : 2;
}

int wrong(const char *what, const char *value, const char *hint)
{
    fprintf(stderr, "torusctl: %s '%s': %s\n", what, value, hint);
    return 2;
}

void put_json(json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(value);
}

json_t *json_at(const uint8_t at[3], unsigned dims)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < dims; i++)
        json_array_append_new(list, json_integer(at[i]));
    return list;
}

json_t *json_serial(uint64_t serial)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)serial);
    return json_string(text);
}

const char *port_text(unsigned port)
{
    static const char *const name[] = {"x+", "x-", "y+", "y-", "z+", "z-"};
    return port < sizeof name / sizeof *name ? name[port] : "local";
}

void at_text(const uint8_t at[3], unsigned dims, char text[16])
{
    if (dims == 3)
        snprintf(text, 16, "%u,%u,%u", at[0], at[1], at[2]);
    else
        snprintf(text, 16, "%u,%u", at[0], at[1]);
}
