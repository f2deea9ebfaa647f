// SPDX-License-Identifier: Apache-2.0
// The fractions of logarithms written out in ofr_logs.v. `test_logs` checks them (TAP; run from the
// top folder), `test_logs print` writes the lines as they must be.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file[] = "rtl/ofr/ofr_logs.v";

// Row of the list, 0 to 255, downwards from log2(511), in units of 2^-28. The long double is off
// by less than 2^-60: a row nearer than that to half a unit would show as "close".
static long fraction(unsigned row, int *close)
{
    long double exact = (log2l(511 - row) - 8) * 0x1p28L, whole = roundl(exact);
    *close = fabsl(fabsl(exact - whole) - 0.5L) < 0x1p-24L;
    return (long)whole;
}

int main(int argc, char **argv)
{
    char line[256];
    unsigned rows = 0, wrong = 0;
    int close;

    if (argc > 1 && strcmp(argv[1], "print") == 0) {
        for (unsigned i = 0; i < 256; i++)
            printf("%s28'h%07lx%s%s", i % 7 ? " " : "    ", fraction(i, &close), i < 255 ? "," : "",
                   i % 7 == 6 || i == 255 ? "\n" : "");
        return 0;
    }
    FILE *f = fopen(file, "r");
    if (!f) {
        perror(file);
        return 2;
    }
    while (fgets(line, sizeof line, f))
        for (char *p = line; rows < 256 && (p = strstr(p, "28'h")); p++) {
            char *end;
            long have = strtol(p + 4, &end, 16), want = fraction(rows, &close);
            if (end != p + 11 || have != want || close) {
                wrong++;
                printf("# log2(%u): %lx, must be %lx%s\n", 511 - rows, have, want,
                       close ? " (too close to call)" : "");
            }
            rows++;
        }
    fclose(f);
    printf("1..1\n%sok 1 - %u rows of logarithms\n", rows == 256 && !wrong ? "" : "not ", rows);
    return rows != 256 || wrong;
}
