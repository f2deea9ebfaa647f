// SPDX-License-Identifier: Apache-2.0
//
// patch: gives an ECP5 bitstream in Trellis' text form another serial number. ecp5_board.v keeps
// each bit of it in a look-up table of its own, 16 times the bit; where they are is in the netlist
// that nextpnr wrote.
//
//     patch CONFIG PLACED.json SERIAL     the new text to stdout; SERIAL: 16 hex digits
//
// Exit status: 0; 2 not all 64 bits were found, or wrong use: one line on stderr, and no output
// that is complete.

#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>

enum { BITS = 64, TEXT = 128 };

struct bit {
    char tile[32], word[32]; // ".tile R2C3:PLC2", "word: SLICEA.K0.INIT"
    unsigned patched;
};

noreturn static void fail(const char *what, const char *why)
{
    fprintf(stderr, "patch: %s: %s\n", what, why);
    exit(2);
}

// Where the bits are, from names like chip.g_serial[5].lut and places like X3/Y2/SLICEA.K0.
static void find(struct bit bits[BITS], const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error), *module, *cell;
    const char *key, *name;
    unsigned found = 0;

    if (!root)
        fail(path, error.text);
    json_object_foreach(json_object_get(root, "modules"), key, module)
    {
        json_object_foreach(json_object_get(module, "cells"), name, cell)
        {
            const char *bel = json_string_value(
                json_object_get(json_object_get(cell, "attributes"), "NEXTPNR_BEL"));
            unsigned i, x, y, k;
            char slice;
            if (sscanf(name, "chip.g_serial[%u].lut", &i) != 1 || i >= BITS || !bel ||
                sscanf(bel, "X%u/Y%u/SLICE%c.K%u", &x, &y, &slice, &k) != 4)
                continue;
            snprintf(bits[i].tile, sizeof bits[i].tile, ".tile R%uC%u:PLC2", y, x);
            snprintf(bits[i].word, sizeof bits[i].word, "word: SLICE%c.K%u.INIT", slice, k);
            found++;
        }
    }
    json_decref(root);
    if (found != BITS)
        fail(path, "the 64 bits of the serial number are not all there");
}

int main(int argc, char **argv)
{
    static struct bit bits[BITS];
    char line[1 << 14], tile[TEXT] = "", *end;

    if (argc != 4)
        fail("usage", "patch CONFIG PLACED.json SERIAL");
    errno = 0;
    unsigned long long serial = strtoull(argv[3], &end, 16);
    if (errno || *end || strlen(argv[3]) != 16 || strspn(argv[3], "0123456789abcdefABCDEF") != 16)
        fail(argv[3], "a serial number is 16 hex digits");
    find(bits, argv[2]);
    FILE *f = fopen(argv[1], "r");
    if (!f)
        fail(argv[1], strerror(errno));
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '.')
            snprintf(tile, sizeof tile, "%.*s", (int)strcspn(line, "\n"), line);
        for (unsigned i = 0; i < BITS; i++) {
            size_t len = strlen(bits[i].word);
            if (strcmp(tile, bits[i].tile) != 0 || strncmp(line, bits[i].word, len) != 0 ||
                line[len] != ' ')
                continue;
            if (strspn(line + len + 1, "01") != 16)
                fail(argv[1], "a look-up table without 16 entries");
            memset(line + len + 1, serial >> i & 1 ? '1' : '0', 16);
            bits[i].patched++;
        }
        fputs(line, stdout);
    }
    fclose(f);
    for (unsigned i = 0; i < BITS; i++)
        if (bits[i].patched != 1)
            fail(argv[1], "a bit of the serial number is not where the netlist says");
    if (fflush(stdout) != 0)
        fail("stdout", strerror(errno));
    return 0;
}
