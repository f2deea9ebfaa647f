// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Isim/bitstream -Isim/cosim
//
// flips: does a run find a bit of the bitstream that is wrong? Bits that matter (ice40.h) are drawn
// from a seed and flipped, one at a time, and the board is run as in a recorded session (bitsim
// --record), in which it boots and torusctl asks it things. A bit is found by the first cycle in
// which an output pin is another; as long as none is, flash and UART do what they do for the
// bitstream as it is, so that 63 boards, with one bit wrong each, run beside that as lanes of one.
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

enum { FIRST_LED = 4, PINS = FIRST_LED + 8, TEXT = 96 };

// In the order of session_pins.
static const char *const pin_names[FIRST_LED] = {"uart_tx", "flash_csn", "flash_sck", "flash_mosi"};

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

// Runs a configuration through the session; with others beside it, says of each in which cycle it
// is another, or the session's length. Without, takes the pins down instead. Returns their hash.
static uint64_t run(const struct bench *b, const struct ice40_bits *bits,
                    struct ice40_bits *const *wrong, unsigned count, uint64_t *found)
{
    struct ice40 *chip = ice40_new(b->map, bits, b->pcf, wrong, count);
    struct spi_flash flash;
    int rx = ice40_port(chip, "uart_rx"), miso_port = ice40_port(chip, "flash_miso"), pin[PINS];
    uint64_t hash = SESSION_HASH_START, left = ((uint64_t)1 << count) - 1;
    size_t turn = 0;
    bool miso = true, steady = true;

    for (int i = 0; i < PINS; i++) {
        char name[16];
        snprintf(name, sizeof name, "led[%d]", i - FIRST_LED);
        pin[i] = ice40_port(chip, i < FIRST_LED ? pin_names[i] : name);
    }
    for (unsigned i = 0; i < count; i++)
        found[i] = b->session.cycles;
    spi_flash_init(&flash, b->image, 0, b->bytes);
    for (uint64_t cycle = 0; steady && cycle < b->session.cycles && (left || !count); cycle++) {
        while (turn < b->session.turns && b->session.at[turn] <= cycle)
            turn++;
        ice40_set(chip, rx, turn % 2 == 0);
        ice40_set(chip, miso_port, miso);
        steady = ice40_step(chip);
        uint64_t differs = ice40_restless(chip);
        uint16_t pins = 0;
        for (int i = 0; i < PINS; i++) {
            uint64_t value = ice40_get(chip, pin[i]);
            differs |= value ^ -(value & 1);
            pins |= (uint16_t)((value & 1) << i);
        }
        if (!count)
            b->pins[cycle] = pins;
        else
            steady = steady && pins == b->pins[cycle];
        hash = session_hash(hash, pins);
        differs = differs >> 1 & left;
        for (unsigned i = 0; i < count && differs; i++)
            if (differs >> i & 1) {
                found[i] = cycle;
                ice40_leave(chip, i + 1);
            }
        left &= ~differs;
        miso = spi_flash_step(&flash, pins >> 1 & 1, pins >> 2 & 1, pins >> 3 & 1);
    }
    ice40_free(chip);
    if (!steady && count)
        die("session", "the bitstream as it is does not do it twice");
    return hash;
}

// Numbers from a seed (SplitMix64).
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

// Those bits wrong, one at a time, a lane each; prints what became of them and returns how many
// were found.
static uint64_t flip(const struct bench *b, const struct ice40_bits *bits, const size_t *which,
                     unsigned count)
{
    struct ice40_bits *wrong[ICE40_LANES] = {NULL};
    char what[ICE40_LANES][TEXT];
    uint64_t cycle[ICE40_LANES], found = 0;

    for (unsigned i = 0; i < count; i++) {
        wrong[i] = ice40_bits_copy(bits);
        ice40_flip(b->map, wrong[i], which[i], what[i], sizeof what[i]);
    }
    run(b, bits, wrong, count, cycle);
    for (unsigned i = 0; i < count; i++) {
        ice40_bits_free(wrong[i]);
        if (cycle[i] < b->session.cycles)
            printf("found in cycle %" PRIu64 ": bit %zu, %s\n", cycle[i], which[i], what[i]);
        else
            printf("SURVIVED: bit %zu, %s\n", which[i], what[i]);
        found += cycle[i] < b->session.cycles;
    }
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
    bool good = run(&b, bits, NULL, 0, NULL) == b.session.hash;
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
    began = clock();
    if (good && text['b']) {
        size_t which = number("--bit", text['b'], used - 1);
        count = 1;
        found = flip(&b, bits, &which, 1);
    } else if (good && count) {
        bool *taken = calloc(used, sizeof *taken);
        if (!taken || count > used)
            die("--count", "more than there are bits");
        size_t which[ICE40_LANES];
        unsigned lanes = 0;
        for (uint64_t i = 0; i < count; i++) {
            do
                which[lanes] = draw(&state) % used;
            while (taken[which[lanes]]);
            taken[which[lanes++]] = true;
            if (lanes == ICE40_LANES - 1 || i + 1 == count) {
                found += flip(&b, bits, which, lanes);
                lanes = 0;
            }
        }
        free(taken);
    }
    if (good && count)
        printf("flips: %" PRIu64 " of %" PRIu64 " found, seed %" PRIu64 ", in %.0f s\n", found,
               count, seed, (double)(clock() - began) / CLOCKS_PER_SEC);
    free(b.pins);
    free(b.session.at);
    free((void *)b.image);
    ice40_bits_free(bits);
    ice40_map_free(map);
    return good && found >= least ? 0 : 1;
}
