// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Isim/bitstream -Isim/cosim
//
// flips: does a run find a bit of the bitstream that is wrong? Bits that matter (ice40.h) are drawn
// from a seed and flipped, one at a time, and the board is run as in a recorded session (bitsim
// --record), in which it boots and torusctl asks it things. A bit is found by the first cycle in
// which an output pin is another; as long as none is, flash, UART and the boards at the other ends
// of its cables do what they do for the bitstream as it is, so that 63 boards, with one bit wrong
// each, run beside that as lanes of one.
//
//     flips --asc FILE --pcf FILE --package NAME --flash FILE --session FILE [--chipdb FILE]
//           [--flash FILE --session FILE]... [--count N] [--seed N] [--bit N]... [--least N]
//           [--cycles N] [--beginning N]
//
// More than one session: of other boards of the same run; a bit that is not found in one is looked
// for in the next. --bit: not drawn, but that one, by its number. --least: status 1 if fewer are
// found. --cycles: of a session only so many. --beginning: most are found early, so where there are
// more bits than lanes so many (3,000,000) are run first, and then whole sessions with those that
// are left. The bitstream as it is, which runs beside those with a wrong bit, or alone without
// --count and --bit, must do what the session says, in every cycle.
//
// Exit status: 0 good; 1 the bitstream is not that of the session, or too few were found; 2 wrong
// use.
#define _GNU_SOURCE
#include "ice40.h"
#include "rng.h"
#include "session.h"
#include "spi_flash.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHIPDB    "/usr/share/fpga-icestorm/chipdb/chipdb-8k.txt"
#define BEGINNING "3000000" // a board has booted and its cables have come up

enum { MAX_PINS = 48, MAX_SESSIONS = 16, MAX_THREADS = 64, MAX_BITS = 1024, TEXT = 96 };

struct session {
    const char *path;
    uint64_t *at; // cycles in which the UART input turns over, first to 0
    size_t turns;
    uint64_t *check; // hash of the pins after each SESSION_CHECK cycles
    size_t checks;
    uint64_t cycles, hash;
    const uint16_t *cables; // what they bring in each half; NULL: none is plugged in
    const uint8_t *image;   // of the flash
    size_t bytes;
};

struct bench {
    const struct ice40_map *map;
    const char *pcf;
    struct session session[MAX_SESSIONS];
    unsigned sessions;
};

// Pins of a chip: its port, and where it is in session_pins() or session_cables().
struct pins {
    struct {
        int port;
        unsigned bit;
    } pin[MAX_PINS];
    unsigned count;
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

static void *one_more(void *array, size_t n, size_t size)
{
    if (n & (n - 1))
        return array;
    array = realloc(array, (n ? 2 * n : 1) * size);
    if (!array)
        die("session", "out of memory");
    return array;
}

// What its cables bring, if that is there.
static void read_cables(struct session *s)
{
    char name[4096];
    struct stat st;

    snprintf(name, sizeof name, "%s%s", s->path, SESSION_CABLES);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return;
    if (fd < 0 || fstat(fd, &st))
        die(name, strerror(errno));
    if ((uint64_t)st.st_size != s->cycles * 2 * sizeof *s->cables)
        die(name, "not as long as its session");
    s->cables = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (s->cables == MAP_FAILED)
        die(name, strerror(errno));
    close(fd);
}

static void read_session(struct session *s)
{
    FILE *f = fopen(s->path, "r");
    char line[64];
    uint64_t cycle, hash;
    int level;

    if (!f)
        die(s->path, strerror(errno));
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "rx %" SCNu64 " %d", &cycle, &level) == 2) {
            s->at = one_more(s->at, s->turns, sizeof *s->at);
            s->at[s->turns++] = cycle;
        } else if (sscanf(line, "hash %" SCNu64 " %" SCNx64, &cycle, &hash) == 2 &&
                   cycle == (s->checks + 1) * SESSION_CHECK) {
            s->check = one_more(s->check, s->checks, sizeof *s->check);
            s->check[s->checks++] = hash;
        } else if (sscanf(line, "end %" SCNu64 " %" SCNx64, &s->cycles, &s->hash) != 2) {
            die(s->path, "not a recorded session");
        }
    }
    fclose(f);
    if (!s->cycles)
        die(s->path, "the session has no end");
    read_cables(s);
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

static void add_pin(struct pins *p, const struct ice40 *chip, const char *name, int index,
                    unsigned bit)
{
    char text[32];

    snprintf(text, sizeof text, index < 0 ? "%s" : "%s[%d]", name, index);
    int port = ice40_port(chip, text);
    if (port < 0)
        return;
    if (p->count == MAX_PINS)
        die(text, "a pin too many");
    p->pin[p->count].port = port;
    p->pin[p->count++].bit = bit;
}

// A bus from index 0 on, up to so many.
static void add_pins(struct pins *p, const struct ice40 *chip, const char *name, unsigned first,
                     unsigned most)
{
    for (unsigned i = 0; i < most; i++)
        add_pin(p, chip, name, (int)i, first + i);
}

// As many hashes of the pins as there are for this many cycles, those at the session's end too.
static bool agrees(const struct session *s, uint64_t cycles, uint64_t hash)
{
    if (cycles == s->cycles)
        return hash == s->hash;
    return cycles % SESSION_CHECK || cycles / SESSION_CHECK > s->checks ||
           hash == s->check[cycles / SESSION_CHECK - 1];
}

// Runs a configuration through a session, up to so many cycles; with others beside it, says of each
// in which cycle it is another, or UINT64_MAX, and in which lanes anything inside was (strayed).
// Returns whether it does itself as the session says.
static bool run(const struct bench *b, const struct session *s, uint64_t cycles,
                const struct ice40_bits *bits, struct ice40_bits *const *wrong, unsigned count,
                uint64_t *found, uint64_t *strayed)
{
    struct ice40 *chip = ice40_new(b->map, bits, b->pcf, wrong, count);
    struct spi_flash flash;
    int rx = ice40_port(chip, "uart_rx"), miso_port = ice40_port(chip, "flash_miso");
    struct pins out = {.count = 0}, in = {.count = 0};
    uint64_t hash = SESSION_HASH_START, left = ((uint64_t)1 << count) - 1, pins = 0;
    size_t turn = 0;
    bool miso = true, good = true;

    add_pin(&out, chip, "uart_tx", -1, 0);
    add_pin(&out, chip, "flash_csn", -1, 1);
    add_pin(&out, chip, "flash_sck", -1, 2);
    add_pin(&out, chip, "flash_mosi", -1, 3);
    add_pins(&out, chip, "led", SESSION_LED, SESSION_TX_CLK - SESSION_LED);
    add_pins(&out, chip, "cable_tx_clk", SESSION_TX_CLK, SESSION_TX - SESSION_TX_CLK);
    add_pins(&out, chip, "cable_tx", SESSION_TX, SESSION_RX * SESSION_WIRES);
    add_pins(&in, chip, "cable_rx_clk", 0, SESSION_RX);
    add_pins(&in, chip, "cable_rx", SESSION_RX, SESSION_RX * SESSION_WIRES);
    for (unsigned i = 0; i < count; i++)
        found[i] = UINT64_MAX;
    spi_flash_init(&flash, s->image, 0, s->bytes);
    for (uint64_t half = 0; good && half < 2 * cycles && (left || !count); half++) {
        uint64_t cycle = half / 2, differs = 0;
        while (turn < s->turns && s->at[turn] <= cycle)
            turn++;
        ice40_set(chip, rx, turn % 2 == 0);
        ice40_set(chip, miso_port, miso);
        for (unsigned i = 0; i < in.count && s->cables; i++)
            ice40_set(chip, in.pin[i].port, s->cables[half] >> in.pin[i].bit & 1);
        good = ice40_half(chip, half & 1);
        differs |= ice40_restless(chip);
        pins = 0;
        for (unsigned i = 0; i < out.count; i++) {
            uint64_t value = ice40_get(chip, out.pin[i].port);
            differs |= value ^ -(value & 1);
            pins |= (value & 1) << out.pin[i].bit;
        }
        hash = session_hash(hash, pins);
        differs = differs >> 1 & left;
        for (unsigned i = 0; i < count && differs; i++)
            if (differs >> i & 1) {
                found[i] = cycle;
                ice40_leave(chip, i + 1);
            }
        left &= ~differs;
        if (!(half & 1))
            continue;
        miso = spi_flash_step(&flash, pins >> 1 & 1, pins >> 2 & 1, pins >> 3 & 1);
        good = good && agrees(s, cycle + 1, hash);
        if (!good)
            printf("flips: not as the session has it, up to cycle %" PRIu64 "\n", cycle);
    }
    *strayed = ice40_strayed(chip) >> 1;
    ice40_free(chip);
    return good;
}

struct job {
    const struct bench *bench;
    const struct ice40_bits *bits;
    uint64_t cycles, beginning; // of each session at most
    size_t *which;              // the bits to flip
    char (*what)[TEXT];
    struct where {
        unsigned session;
        uint64_t cycle; // UINT64_MAX: nowhere
        bool strayed;   // something inside was another
    } * where;
    size_t count;
};

static uint64_t cycles_of(const struct job *j, unsigned session)
{
    uint64_t cycles = j->bench->session[session].cycles;

    return j->cycles < cycles ? j->cycles : cycles;
}

// As many of the bits as there are lanes, in one session: a thread's work.
struct group {
    struct job *job;
    unsigned session, lanes;
    uint64_t cycles;
    size_t of[ICE40_LANES];
    bool good;
    pthread_t thread;
};

static void *look_for(void *ctx)
{
    struct group *g = ctx;
    struct job *j = g->job;
    struct ice40_bits *wrong[ICE40_LANES];
    uint64_t cycle[ICE40_LANES], strayed = 0;

    for (unsigned i = 0; i < g->lanes; i++) {
        wrong[i] = ice40_bits_copy(j->bits);
        ice40_flip(j->bench->map, wrong[i], j->which[g->of[i]], j->what[g->of[i]], TEXT);
    }
    g->good = run(j->bench, &j->bench->session[g->session], g->cycles, j->bits, wrong, g->lanes,
                  cycle, &strayed);
    for (unsigned i = 0; i < g->lanes; i++) {
        ice40_bits_free(wrong[i]);
        struct where *w = &j->where[g->of[i]];
        *w = (struct where){g->session, cycle[i], w->strayed || (strayed >> i & 1)};
    }
    return NULL;
}

// Looks for those bits that are not found yet in so many cycles of a session, with as many threads
// at a time as there are processors.
static bool look_in(struct job *j, unsigned session, uint64_t cycles)
{
    struct group group[MAX_THREADS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    bool good = true;

    for (size_t next = 0; good && next < j->count;) {
        unsigned groups = 0;
        for (; next < j->count && groups < MAX_THREADS && groups < processors; groups++) {
            struct group *g = &group[groups];
            *g = (struct group){.job = j, .session = session, .cycles = cycles};
            for (; next < j->count && g->lanes < ICE40_LANES - 1; next++)
                if (j->where[next].cycle == UINT64_MAX)
                    g->of[g->lanes++] = next;
            if (!g->lanes)
                break;
            if (pthread_create(&g->thread, NULL, look_for, g))
                die("threads", "there cannot be so many");
        }
        for (unsigned i = 0; i < groups; i++) {
            pthread_join(group[i].thread, NULL);
            good = good && group[i].good;
        }
    }
    return good;
}

static bool look_in_all(struct job *j)
{
    bool good = true, more = j->count > ICE40_LANES - 1;

    for (unsigned i = 0; good && more && i < j->bench->sessions; i++)
        if (cycles_of(j, i) > j->beginning)
            good = look_in(j, i, j->beginning);
    for (unsigned i = 0; good && i < j->bench->sessions; i++)
        good = look_in(j, i, cycles_of(j, i));
    return good;
}

// Prints what became of them; returns how many were found.
static uint64_t tell(const struct job *j)
{
    uint64_t found = 0;

    for (size_t i = 0; i < j->count; i++) {
        char of[32] = "";
        if (j->bench->sessions > 1)
            snprintf(of, sizeof of, " of session %u", j->where[i].session);
        if (j->where[i].cycle != UINT64_MAX)
            printf("found in cycle %" PRIu64 "%s: bit %zu, %s\n", j->where[i].cycle, of,
                   j->which[i], j->what[i]);
        else
            printf("SURVIVED: bit %zu, %s; %s\n", j->which[i], j->what[i],
                   j->where[i].strayed ? "no pin was another"
                                       : "not even inside was a wire another");
        found += j->where[i].cycle != UINT64_MAX;
    }
    return found;
}

// That many different ones.
static void draw_bits(struct job *j, size_t used, uint64_t seed)
{
    bool *taken = calloc(used, sizeof *taken);
    struct rng rng = {seed};

    if (!taken || j->count > used)
        die("--count", "more than there are bits");
    for (size_t i = 0; i < j->count; i++) {
        do
            j->which[i] = rng_next(&rng) % used;
        while (taken[j->which[i]]);
        taken[j->which[i]] = true;
    }
    free(taken);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"asc", required_argument, NULL, 'a'},
        {"pcf", required_argument, NULL, 'p'},
        {"package", required_argument, NULL, 'k'},
        {"flash", required_argument, NULL, 'f'},
        {"session", required_argument, NULL, 's'},
        {"chipdb", required_argument, NULL, 'd'},
        {"count", required_argument, NULL, 'n'},
        {"seed", required_argument, NULL, 'r'},
        {"bit", required_argument, NULL, 'b'},
        {"least", required_argument, NULL, 'l'},
        {"cycles", required_argument, NULL, 'c'},
        {"beginning", required_argument, NULL, 'e'},
        {NULL, 0, NULL, 0},
    };
    const char *text[128] = {
        ['d'] = CHIPDB, ['n'] = "0", ['r'] = "1", ['l'] = "0", ['c'] = NULL, ['e'] = BEGINNING};
    const char *flash[MAX_SESSIONS] = {NULL}, *bit[MAX_BITS];
    unsigned flashes = 0, named = 0;
    struct bench b = {.sessions = 0};
    int opt;

    while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (opt == '?')
            return 2;
        if ((opt == 'f' && flashes == MAX_SESSIONS) || (opt == 's' && b.sessions == MAX_SESSIONS))
            die("usage", "too many sessions");
        if (opt == 'b' && named == MAX_BITS)
            die("usage", "too many bits");
        if (opt == 'f')
            flash[flashes++] = optarg;
        else if (opt == 's')
            b.session[b.sessions++].path = optarg;
        else if (opt == 'b')
            bit[named++] = optarg;
        else
            text[opt] = optarg;
    }
    if (optind != argc || !text['a'] || !text['p'] || !text['k'] || !flashes ||
        flashes != b.sessions)
        die("usage", "flips --asc FILE --pcf FILE --package NAME --flash FILE --session FILE "
                     "[--flash FILE --session FILE]... [--chipdb FILE] [--count N] [--seed N] "
                     "[--bit N]... [--least N] [--cycles N] [--beginning N]");
    uint64_t seed = number("--seed", text['r'], UINT64_MAX),
             least = number("--least", text['l'], 1000000), found = 0, cycles = 0;

    b.pcf = text['p'];
    for (unsigned i = 0; i < b.sessions; i++) {
        read_session(&b.session[i]);
        b.session[i].image = read_file(flash[i], &b.session[i].bytes);
    }
    struct ice40_map *map = ice40_map_read(text['d'], text['k']);
    b.map = map;
    struct ice40_bits *bits = ice40_bits_read(map, text['a']);
    size_t used = ice40_used(map, bits);
    struct job job = {
        .bench = &b,
        .bits = bits,
        .cycles = text['c'] ? number("--cycles", text['c'], UINT64_MAX) : UINT64_MAX,
        .beginning = number("--beginning", text['e'], UINT64_MAX),
        .count = named ? named : number("--count", text['n'], 1000000),
    };
    job.which = calloc(job.count + 1, sizeof *job.which);
    job.where = calloc(job.count + 1, sizeof *job.where);
    job.what = calloc(job.count + 1, sizeof *job.what);
    if (!job.which || !job.where || !job.what)
        die("--count", "out of memory");
    for (size_t i = 0; i < job.count; i++)
        job.where[i].cycle = UINT64_MAX;
    for (unsigned i = 0; i < named; i++)
        job.which[i] = number("--bit", bit[i], used - 1);
    if (!named)
        draw_bits(&job, used, seed);

    clock_t began = clock();
    uint64_t nothing;
    bool good = !job.count || look_in_all(&job);
    for (unsigned i = 0; i < b.sessions; i++) {
        if (good && !job.count)
            good = run(&b, &b.session[i], cycles_of(&job, i), bits, NULL, 0, NULL, &nothing);
        cycles += cycles_of(&job, i);
    }
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    puts(good ? "flips: as it is, all pins are those of the session"
              : "flips: as it is, the pins are NOT those of the session");
    if (good && job.count)
        found = tell(&job);
    printf("flips: %zu set bits matter; sessions of %" PRIu64 " cycles\n", used, cycles);
    if (good && job.count)
        printf("flips: %" PRIu64 " of %zu found, seed %" PRIu64 ", in %.0f s of processor time\n",
               found, job.count, seed, seconds);
    else if (good)
        printf("flips: %.0f cycles a second\n", (double)cycles / seconds);
    free(job.which);
    free(job.where);
    free(job.what);
    for (unsigned i = 0; i < b.sessions; i++) {
        struct session *s = &b.session[i];
        free(s->at);
        free(s->check);
        free((void *)s->image);
        if (s->cables)
            munmap((void *)s->cables, s->cycles * 2 * sizeof *s->cables);
    }
    ice40_bits_free(bits);
    ice40_map_free(map);
    return good && found >= least ? 0 : 1;
}
