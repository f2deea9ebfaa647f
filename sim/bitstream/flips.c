// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Isim/bitstream -Isim/cosim
//
// flips: does a run find a bit of the bitstream that is wrong? Bits that matter (ice40.h) are drawn
// from a seed and flipped, one at a time, and the board is run as in a recorded session (bitsim
// --record), in which it boots and torusctl asks it things. A bit is found by the first cycle in
// which an output pin is another.
//
//     flips --asc FILE --pcf FILE --package NAME --flash FILE --session FILE [--chipdb FILE]
//           [--count N] [--seed N] [--bit N] [--least N] [--cycles N]
//
// --bit: that one bit, by its number. --least: status 1 if fewer are found. --cycles: of the
// session only so many. First the bitstream as it is must do what the session says, in every cycle.
//
// Exit status: 0 good; 1 the bitstream is not that of the session, or too few were found; 2 wrong
// use.
#define _GNU_SOURCE
#include "ice40.h"
#include "session.h"
#include "spi_flash.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <time.h>

#define CHIPDB "/usr/share/fpga-icestorm/chipdb/chipdb-8k.txt"

enum { LEDS = 8, TEXT = 96 };

struct session {
    uint64_t *at; // cycles in which the UART input turns over, first to 0
    size_t turns;
    uint64_t cycles, hash;
};

struct bench {
    const struct ice40_map *map;
    const char *pcf;
    struct session session;
    const uint8_t *image;
    size_t bytes;
    uint16_t *pins; // of every cycle, as they should be
};

noreturn static void die(const char *what, const char *why)
{
    fprintf(stderr, "flips: %s: %s\n", what, why);
    exit(2);
}

static uint64_t number(const char *name, const char *text, uint64_t max)
{
    char *end;

    errno = 0;
    uint64_t n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n > max)
        die(name, "not a number, or too large");
    return n;
}

static void read_session(struct session *s, const char *path)
{
    FILE *f = fopen(path, "r");
    char line[64];
    uint64_t cycle;
    int level;

    if (!f)
        die(path, strerror(errno));
    s->at = calloc(1, sizeof *s->at);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "rx %" SCNu64 " %d", &cycle, &level) == 2) {
            s->at = realloc(s->at, (s->turns + 1) * sizeof *s->at);
            if (!s->at)
                die(path, "out of memory");
            s->at[s->turns++] = cycle;
        } else if (sscanf(line, "end %" SCNu64 " %" SCNx64, &s->cycles, &s->hash) != 2) {
            die(path, "not a recorded session");
        }
    }
    fclose(f);
    if (!s->cycles)
        die(path, "the session has no end");
}

static uint8_t *read_file(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    uint8_t *text = malloc(1 << 24);

    if (!f || !text)
        die(path, f ? "out of memory" : strerror(errno));
    *bytes = fread(text, 1, 1 << 24, f);
    fclose(f);
    if (!*bytes)
        die(path, "it is empty");
    return text;
}

// Runs a configuration through the session. The first cycle in which a pin differs, or the
// session's length; with record set, takes the pins down instead and returns their hash.
static uint64_t run(const struct bench *b, const struct ice40_bits *bits, bool record)
{
    struct ice40 *chip = ice40_new(b->map, bits, b->pcf);
    struct spi_flash flash;
    int rx = ice40_port(chip, "uart_rx"), miso_port = ice40_port(chip, "flash_miso"), led[LEDS];
    int tx = ice40_port(chip, "uart_tx"), csn = ice40_port(chip, "flash_csn"),
        sck = ice40_port(chip, "flash_sck"), mosi = ice40_port(chip, "flash_mosi");
    uint64_t hash = SESSION_HASH_START, cycle = 0;
    size_t turn = 0;
    bool miso = true, same = true;

    for (int i = 0; i < LEDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "led[%d]", i);
        led[i] = ice40_port(chip, name);
    }
    spi_flash_init(&flash, b->image, 0, b->bytes);
    while (same && cycle < b->session.cycles) {
        while (turn < b->session.turns && b->session.at[turn] <= cycle)
            turn++;
        ice40_set(chip, rx, turn % 2 == 0);
        ice40_set(chip, miso_port, miso);
        bool steady = ice40_step(chip);
        struct chip_pins p = {.uart_tx = ice40_get(chip, tx),
                              .flash_csn = ice40_get(chip, csn),
                              .flash_sck = ice40_get(chip, sck),
                              .flash_mosi = ice40_get(chip, mosi),
                              .led = 0};
        for (int i = 0; i < LEDS; i++)
            p.led |= (uint8_t)(ice40_get(chip, led[i]) << i);
        uint16_t pins = session_pins(&p);
        if (record) {
            b->pins[cycle] = pins;
            hash = session_hash(hash, pins);
        } else {
            same = steady && pins == b->pins[cycle];
        }
        miso = spi_flash_step(&flash, p.flash_csn, p.flash_sck, p.flash_mosi);
        cycle += same;
    }
    ice40_free(chip);
    return record ? hash : cycle;
}

// Numbers from a seed (SplitMix64).
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

// One bit wrong; prints what became of it and returns whether it was found.
static bool flip(const struct bench *b, struct ice40_bits *bits, size_t which)
{
    char what[TEXT];

    ice40_flip(b->map, bits, which, what, sizeof what);
    uint64_t cycle = run(b, bits, false);
    bool found = cycle < b->session.cycles;
    if (found)
        printf("found in cycle %" PRIu64 ": bit %zu, %s\n", cycle, which, what);
    else
        printf("SURVIVED: bit %zu, %s\n", which, what);
    fflush(stdout);
    return found;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"asc", required_argument, NULL, 'a'},     {"pcf", required_argument, NULL, 'p'},
        {"package", required_argument, NULL, 'k'}, {"flash", required_argument, NULL, 'f'},
        {"session", required_argument, NULL, 's'}, {"chipdb", required_argument, NULL, 'd'},
        {"count", required_argument, NULL, 'n'},   {"seed", required_argument, NULL, 'r'},
        {"bit", required_argument, NULL, 'b'},     {"least", required_argument, NULL, 'l'},
        {"cycles", required_argument, NULL, 'c'},  {NULL, 0, NULL, 0},
    };
    const char *text[128] = {['d'] = CHIPDB, ['n'] = "0", ['r'] = "1", ['l'] = "0"};
    int opt;

    while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (opt == '?')
            return 2;
        text[opt] = optarg;
    }
    if (optind != argc || !text['a'] || !text['p'] || !text['k'] || !text['f'] || !text['s'])
        die("usage", "flips --asc FILE --pcf FILE --package NAME --flash FILE --session FILE "
                     "[--chipdb FILE] [--count N] [--seed N] [--bit N] [--least N] [--cycles N]");
    uint64_t count = number("--count", text['n'], 1000000),
             seed = number("--seed", text['r'], UINT64_MAX),
             least = number("--least", text['l'], 1000000), found = 0;
    struct bench b = {.pcf = text['p']};

    read_session(&b.session, text['s']);
    b.image = read_file(text['f'], &b.bytes);
    struct ice40_map *map = ice40_map_read(text['d'], text['k']);
    b.map = map;
    struct ice40_bits *bits = ice40_bits_read(map, text['a']);
    size_t used = ice40_used(map, bits);
    b.pins = calloc(b.session.cycles, sizeof *b.pins);
    if (!b.pins)
        die("session", "out of memory");

    clock_t began = clock();
    bool good = run(&b, bits, true) == b.session.hash;
    printf("flips: %" PRIu64 " cycles, %.0f a second; %zu set bits matter\n", b.session.cycles,
           (double)b.session.cycles / ((double)(clock() - began) / CLOCKS_PER_SEC), used);
    puts(good ? "flips: as it is, all pins are those of the session"
              : "flips: as it is, the pins are NOT those of the session");
    if (good && text['c']) {
        uint64_t cycles = number("--cycles", text['c'], UINT64_MAX);
        b.session.cycles = cycles < b.session.cycles ? cycles : b.session.cycles;
    }
    fflush(stdout);
    uint64_t state = seed;
    if (good && text['b']) {
        count = 1;
        found = flip(&b, bits, number("--bit", text['b'], used - 1));
    } else if (good && count) {
        bool *taken = calloc(used, sizeof *taken);
        if (!taken || count > used)
            die("--count", "more than there are bits");
        for (uint64_t i = 0; i < count; i++) {
            size_t which;
            do
                which = draw(&state) % used;
            while (taken[which]);
            taken[which] = true;
            struct ice40_bits *copy = ice40_bits_copy(bits);
            found += flip(&b, copy, which);
            ice40_bits_free(copy);
        }
        free(taken);
    }
    if (good && count)
        printf("flips: %" PRIu64 " of %" PRIu64 " found, seed %" PRIu64 "\n", found, count, seed);
    free(b.pins);
    free(b.session.at);
    free((void *)b.image);
    ice40_bits_free(bits);
    ice40_map_free(map);
    return good && found >= least ? 0 : 1;
}
