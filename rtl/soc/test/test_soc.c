// SPDX-License-Identifier: Apache-2.0
// The SoC with a small monitor program (monitor.c) on its core, seen from its pins: UART, Wishbone,
// SPI flash. Usage: test_soc [-q] ram | flash IMAGE [seed]
// -q: the core does not tell where and why it stopped.
#include "soc_shim.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ofr_regs.h"

enum {
    FLASH_SIZE = 1 << 20,
    FLASH_OFFSET = 0x40000,
    FLASH_WAKE = 200,  // cycles after the wake command before which it does not listen
    FLASH_DESELECT = 4 // cycles that cs must be high between commands
};

static int tests, failures;

static bool check(bool good, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("%sok %d - ", good ? "" : "not ", ++tests);
    vprintf(format, args);
    printf("\n");
    fflush(stdout);
    va_end(args);
    failures += !good;
    return good;
}

struct world {
    struct soc *soc;
    struct soc_pins pins;
    uint64_t cycle, random;
    // UART, host's side
    bool quiet; // the core does not tell why it stopped
    bool bytes; // the UART has no words
    int divisor, tx_left, tx_count, rx_left, rx_count;
    unsigned tx_bits, rx_bits;
    uint8_t in[4096]; // what the SoC sent
    size_t in_count, in_read;
    int framing_errors;
    bool silent; // a byte did not come
    // Wishbone slave: 1024 words; err from byte address 0xf00 on
    uint32_t regs[1024];
    int wb_wait;
    unsigned wb_count, wb_errors;
    char wb_problem[80];
    // SPI flash
    uint8_t *flash;
    bool sck, csn, awake;
    uint64_t wake_time, csn_time;
    unsigned bits, command, address, out, flash_commands, flash_words;
    char flash_problem[80];
};

static uint64_t random_next(struct world *w)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return w->random;
}

// Mode 0: in at sck's rise, out at its fall; read (03h) and release from power-down (ABh) only.
static void flash_cycle(struct world *w)
{
    struct soc_pins *p = &w->pins;
    if (p->flash_csn && !w->csn) {
        w->csn_time = w->cycle;
        if (w->bits == 8 && w->command == 0xab && !w->awake) {
            w->awake = true;
            w->wake_time = w->cycle;
        }
    }
    if (!p->flash_csn && w->csn) {
        w->bits = w->command = w->address = 0;
        if (w->csn_time && w->cycle - w->csn_time < FLASH_DESELECT)
            strcpy(w->flash_problem, "cs high too short");
        if (w->awake && w->cycle - w->wake_time < FLASH_WAKE)
            strcpy(w->flash_problem, "command before the flash is awake");
        w->flash_commands++;
    }
    if (!p->flash_csn && p->flash_sck && !w->sck) {
        if (w->bits < 8)
            w->command = w->command << 1 | p->flash_mosi;
        else if (w->bits < 32)
            w->address = w->address << 1 | p->flash_mosi;
        w->bits++;
        if (w->bits == 8 && w->command != 0x03 && w->command != 0xab)
            strcpy(w->flash_problem, "unknown command");
    }
    if (!p->flash_csn && !p->flash_sck && w->sck) {
        p->flash_miso = random_next(w) & 1;
        if (w->awake && w->command == 0x03 && w->bits >= 32) {
            unsigned bit = w->bits - 32;
            p->flash_miso = w->flash[(w->address + bit / 8) % FLASH_SIZE] >> (7 - bit % 8) & 1;
            w->flash_words += bit % 32 == 0;
        }
    }
    w->sck = p->flash_sck;
    w->csn = p->flash_csn;
}

static void wishbone_cycle(struct world *w)
{
    struct soc_pins *p = &w->pins;
    if (p->wb_ack || p->wb_err) { // answered in the cycle that ends now
        p->wb_ack = p->wb_err = false;
        p->wb_dat_r = (uint32_t)random_next(w);
        w->wb_wait = -1;
        if (p->wb_cyc || p->wb_stb)
            strcpy(w->wb_problem, "stb goes on after the answer");
        return;
    }
    if (p->wb_cyc != p->wb_stb)
        strcpy(w->wb_problem, "cyc without stb");
    if (!p->wb_cyc)
        return;
    if (w->wb_wait < 0)
        w->wb_wait = (int)(random_next(w) % 6);
    if (w->wb_wait-- == 0) {
        p->wb_err = p->wb_adr >= 0xf00;
        p->wb_ack = !p->wb_err;
        w->wb_count++;
        w->wb_errors += p->wb_err;
        if (p->wb_ack && p->wb_we)
            w->regs[p->wb_adr / 4] = p->wb_dat_w;
        if (p->wb_ack && !p->wb_we)
            p->wb_dat_r = w->regs[p->wb_adr / 4];
    }
}

static void cycle(struct world *w)
{
    struct soc_pins *p = &w->pins;
    // Host's transmitter
    p->uart_rx = true;
    if (w->tx_left) {
        p->uart_rx = w->tx_bits & 1;
        if (--w->tx_count == 0) {
            w->tx_count = w->divisor;
            w->tx_bits >>= 1;
            w->tx_left--;
        }
    }
    soc_clock(w->soc, p);
    w->cycle++;
    // Host's receiver
    if (!w->rx_left && !p->uart_tx) {
        w->rx_left = 10;
        w->rx_count = w->divisor / 2;
    } else if (w->rx_left && --w->rx_count == 0) {
        w->rx_count = w->divisor;
        w->rx_bits = w->rx_bits >> 1 | (unsigned)p->uart_tx << 9;
        if (--w->rx_left == 0) {
            if ((w->rx_bits & 1) || !(w->rx_bits >> 9))
                w->framing_errors++;
            else if (w->in_count < sizeof w->in)
                w->in[w->in_count++] = (uint8_t)(w->rx_bits >> 1);
        }
    }
    wishbone_cycle(w);
    flash_cycle(w);
}

static void send_bits(struct world *w, unsigned bits, int count)
{
    w->tx_bits = bits;
    w->tx_left = count;
    w->tx_count = w->divisor;
    while (w->tx_left)
        cycle(w);
}

static void send(struct world *w, uint8_t byte)
{
    send_bits(w, 0x200u | (unsigned)byte << 1, 10);
}

static void send_word(struct world *w, uint32_t word)
{
    for (int i = 0; i < 32; i += 8)
        send(w, (uint8_t)(word >> i));
}

static int receive(struct world *w)
{
    uint64_t limit = w->cycle + (w->silent ? 2000 : 1000000);
    while (w->in_read == w->in_count)
        if (w->cycle < limit)
            cycle(w);
        else {
            w->silent = true; // do not wait as long again
            return -1;
        }
    int byte = w->in[w->in_read++];
    if (w->in_read == w->in_count)
        w->in_read = w->in_count = 0;
    return byte;
}

static uint32_t receive_word(struct world *w)
{
    uint32_t word = 0;
    for (int i = 0; i < 32; i += 8)
        word |= (uint32_t)(receive(w) & 0xff) << i;
    return word;
}

static uint32_t peek(struct world *w, uint32_t address)
{
    send(w, 'r');
    send_word(w, address);
    return receive_word(w);
}

static bool poke(struct world *w, uint32_t address, uint32_t data)
{
    send(w, 'w');
    send_word(w, address);
    send_word(w, data);
    return receive(w) == 'k';
}

static void idle(struct world *w, int cycles)
{
    while (cycles--)
        cycle(w);
}

static bool restarted(struct world *w, unsigned cause)
{
    return receive(w) == 'R' && receive(w) == (int)cause;
}

// The answer comes at the new speed, and is not looked at.
static void set_divisor(struct world *w, int cycles)
{
    send(w, 'w');
    send_word(w, OFR_BASE_UART + OFR_UART_DIVISOR);
    send_word(w, (uint32_t)cycles);
    idle(w, 40000);
    w->divisor = cycles;
    idle(w, 1000);
    w->in_read = w->in_count = 0;
}

static void test_uart(struct world *w)
{
    bool good = true;
    for (int round = 0; round < 3; round++) {
        unsigned count = round == 0 ? 1 : round == 1 ? 128 : 250;
        uint8_t sent[256];
        send(w, 'e');
        send(w, (uint8_t)count);
        for (unsigned i = 0; i < count; i++)
            send(w, sent[i] = (uint8_t)random_next(w));
        for (unsigned i = 0; i < count; i++)
            good &= receive(w) == sent[i];
    }
    check(good && !w->framing_errors,
          "echo of 1, 128 and 250 bytes without a pause, %d cycles a bit", w->divisor);
    good = true;
    for (unsigned count = 1; count <= 16 && !w->bytes; count++) {
        uint32_t sent[16];
        send(w, 'E');
        send(w, (uint8_t)count);
        for (unsigned i = 0; i < count; i++)
            send_word(w, sent[i] = (uint32_t)random_next(w));
        for (unsigned i = 0; i < count; i++)
            good &= receive_word(w) == sent[i];
    }
    if (!w->bytes)
        check(good && !w->framing_errors, "1 to 16 words at once");
    // 300 bytes while nobody reads: 259 stay, or 255, and OVERRUN says so, once
    int room = w->bytes ? 255 : 259;
    send(w, 's');
    send_word(w, 20000);
    send(w, 'e');
    send(w, (uint8_t)(room - 4));
    for (int i = 0; i < 298; i++)
        send(w, (uint8_t)i);
    good = w->in_count == 0 && receive(w) == 'k';
    good &= receive(w) >> OFR_UART_STATUS_OVERRUN_LSB & 1;
    good &= ~receive(w) >> OFR_UART_STATUS_OVERRUN_LSB & 1;
    for (int i = 0; i < room - 4; i++)
        good &= receive(w) == (uint8_t)i;
    for (int i = 0; i < 2; i++) // two that are no commands
        good &= receive(w) == '?';
    check(good, "of 300 bytes that nobody reads the first %d are kept, and OVERRUN is set once",
          room);
    send(w, 's');
    send_word(w, 100);
    good = receive(w) == 'k' && !(receive(w) >> OFR_UART_STATUS_OVERRUN_LSB & 1) && receive(w) >= 0;
    check(good, "no OVERRUN without one");
    set_divisor(w, 16);
    check(peek(w, OFR_BASE_UART + OFR_UART_DIVISOR) == 16, "DIVISOR is changed, to 16, and read");
    // A glitch shorter than half a bit, and a byte without a stop bit, leave no byte.
    w->tx_bits = 0;
    w->tx_left = 1;
    w->tx_count = 5;
    idle(w, 400);
    send_bits(w, 0x0aau << 1, 10);
    idle(w, 400);
    check(peek(w, OFR_BASE_UART + OFR_UART_DIVISOR) == 16 && w->in_count == 0,
          "a glitch and a byte without a stop bit are dropped");
    set_divisor(w, 4);
}

static void test_timer(struct world *w)
{
    send(w, 't');
    uint64_t sent = w->cycle;
    uint64_t t[2];
    for (int i = 0; i < 2; i++) {
        t[i] = receive_word(w);
        t[i] |= (uint64_t)receive_word(w) << 32;
    }
    check(t[0] < t[1] && t[1] - t[0] < 2000 && t[0] + 5000 > sent && t[0] < sent + 5000,
          "timer: %" PRIu64 ", then %" PRIu64 ", the bench counts %" PRIu64, t[0], t[1], sent);
}

static void test_memory(struct world *w)
{
    uint32_t base = 1024 + 1024 - 256 - 700; // between the monitor's data and its stack
    bool good = poke(w, base, 0x11223344);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t want = (0x11223344u & ~(0xffu << (8 * i))) | 0xa5u << (8 * i);
        good &= poke(w, base, 0x11223344);
        send(w, 'b');
        send_word(w, base + i);
        send(w, 0xa5);
        good &= receive(w) == 'k' && peek(w, base) == want;
    }
    check(good, "RAM: words and single bytes");
}

static void test_wishbone(struct world *w)
{
    bool good = true;
    for (int i = 0; i < 20; i++) {
        unsigned adr = (unsigned)(random_next(w) % 0x3c0) * 4;
        uint32_t value = (uint32_t)random_next(w);
        good &= poke(w, OFR_BASE_NODE + adr, value) && w->regs[adr / 4] == value;
        adr = (unsigned)(random_next(w) % 0x3c0) * 4;
        good &= peek(w, OFR_BASE_NODE + adr) == w->regs[adr / 4];
    }
    check(good && w->wb_count == 40 && !w->wb_problem[0],
          "Wishbone: 20 writes and 20 reads, %u transfers %s", w->wb_count, w->wb_problem);
    uint32_t before = peek(w, OFR_BASE_BOARD + OFR_BOARD_BUS_ERROR);
    uint32_t read = peek(w, OFR_BASE_NODE + 0xf10);
    poke(w, OFR_BASE_NODE + 0xf24, 1);
    uint32_t after = peek(w, OFR_BASE_BOARD + OFR_BOARD_BUS_ERROR);
    check(before == 0 && read == 0 && w->wb_errors == 2 &&
              after ==
                  (2u << OFR_BOARD_BUS_ERROR_COUNT_LSB | 0xf24u << OFR_BOARD_BUS_ERROR_ADDR_LSB),
          "wb_err: reads 0, is counted with its address (%08x), and the core goes on", after);
    peek(w, OFR_BASE_NODE + 0x1000);
    peek(w, 0x60000000);
    peek(w, OFR_BASE_BOARD + 0x1000);
    poke(w, OFR_BASE_FLASH, 0);
    after = peek(w, OFR_BASE_BOARD + OFR_BOARD_BUS_ERROR);
    check((after & OFR_BOARD_BUS_ERROR_COUNT_MASK) == 6 && w->wb_errors == 2,
          "addresses where nothing is are bus errors (%08x)", after);
    poke(w, OFR_BASE_BOARD + OFR_BOARD_BUS_ERROR, 0);
    check(peek(w, OFR_BASE_BOARD + OFR_BOARD_BUS_ERROR) == 0, "a write clears BUS_ERROR");
    poke(w, OFR_BASE_BOARD + OFR_BOARD_CLOCK, 1);
    check(peek(w, OFR_BASE_BOARD + OFR_BOARD_CLOCK) == 12000000, "CLOCK is the rate of the clock");
}

static void test_board(struct world *w, uint32_t code)
{
    static const struct {
        unsigned cause;
        const char *name;
    } kinds[5] = {{OFR_BOARD_TRAP_CAUSE_ILLEGAL, "illegal instruction"},
                  {OFR_BOARD_TRAP_CAUSE_MISALIGNED, "misaligned load"},
                  {OFR_BOARD_TRAP_CAUSE_EBREAK, "ebreak"},
                  {OFR_BOARD_TRAP_CAUSE_BUS, "jump to where nothing is"},
                  {OFR_BOARD_TRAP_CAUSE_ILLEGAL, "illegal instruction after that"}};
    check(peek(w, OFR_BASE_BOARD + OFR_BOARD_SERIAL_LOW) == (uint32_t)w->pins.serial &&
              peek(w, OFR_BASE_BOARD + OFR_BOARD_SERIAL_HIGH) == w->pins.serial >> 32,
          "serial number");
    for (unsigned kind = 0; kind < 5; kind++) {
        send(w, 'x');
        send(w, (uint8_t)(kind % 4));
        unsigned cause = w->quiet && kind != 3 ? OFR_BOARD_TRAP_CAUSE_UNKNOWN : kinds[kind].cause;
        bool good = restarted(w, cause);
        uint32_t pc = peek(w, OFR_BASE_BOARD + OFR_BOARD_TRAP_PC);
        check(good &&
                  (w->quiet    ? pc == 0
                   : kind == 3 ? pc == 0x4ffffffc
                               : pc - code < 4096) &&
                  peek(w, OFR_BASE_BOARD + OFR_BOARD_TRAP_CAUSE) == cause,
              "%s: traps at %08x, restarts, the firmware finds the cause", kinds[kind].name, pc);
    }
    poke(w, OFR_BASE_BOARD + OFR_BOARD_RESTART, 0);
    send(w, 'x');
    send(w, 2);
    idle(w, 30000);
    check(w->in_count == 0 && w->pins.trapped, "RESTART 0: stays stopped");
    w->pins.rst = true;
    idle(w, 3);
    w->pins.rst = false;
    check(restarted(w, OFR_BOARD_TRAP_CAUSE_NONE) && !w->pins.trapped,
          "reset starts it again, without a cause");
}

// A SoC in random state, and its first reset.
static void power_on(struct world *w, uint64_t seed)
{
    uint8_t *flash = w->flash;
    bool quiet = w->quiet, bytes = w->bytes;
    *w = (struct world){.quiet = quiet,
                        .bytes = bytes,
                        .flash = flash,
                        .random = seed + !seed,
                        .soc = soc_new(seed),
                        .divisor = 4};
    w->wb_wait = -1;
    w->pins.serial = 0x0123456789abcdef;
    w->pins.uart_rx = true;
    w->pins.rst = true;
    idle(w, 3);
    w->rx_left = 0;
    w->in_count = 0;
    w->pins.rst = false;
}

static void test_power_up(struct world *w, uint64_t seed)
{
    enum { SOCS = 200 };
    unsigned bad = 0;
    for (unsigned i = 0; i < SOCS; i++) {
        power_on(w, seed + i);
        bool good = restarted(w, OFR_BOARD_TRAP_CAUSE_NONE);
        good = good && peek(w, OFR_BASE_BOARD + OFR_BOARD_BUS_ERROR) == 0 &&
               peek(w, OFR_BASE_BOARD + OFR_BOARD_RESTART) == OFR_BOARD_RESTART_RESET;
        if (!good && !bad++)
            printf("# seed %" PRIu64 " does not start\n", seed + i);
        soc_free(w->soc);
    }
    check(!bad, "of %u SoCs in random state %u do not start after their first reset", SOCS, bad);
}

int main(int argc, char **argv)
{
    bool quiet = argc > 1 && !strcmp(argv[1], "-q");
    argc -= quiet;
    argv += quiet;
    bool bytes = argc > 1 && !strcmp(argv[1], "-b");
    argc -= bytes;
    argv += bytes;
    if (argc < 2 || (strcmp(argv[1], "ram") && (strcmp(argv[1], "flash") || argc < 3))) {
        fprintf(stderr, "usage: test_soc [-q] [-b] ram [seed] | flash IMAGE [seed]\n");
        return 2;
    }
    bool flash = !strcmp(argv[1], "flash");
    const char *text = argc > 2 + flash ? argv[2 + flash] : getenv("SEED");
    static struct world world; // too big for the stack
    static uint8_t flash_data[FLASH_SIZE];
    struct world *w = &world;
    uint64_t seed = text ? strtoull(text, NULL, 0) : 77;
    printf("# seed %" PRIu64 "; again: SEED=%" PRIu64 "\n", seed, seed);
    w->quiet = quiet;
    w->bytes = bytes;
    w->flash = flash_data;
    memset(w->flash, 0xff, FLASH_SIZE);
    if (flash) {
        FILE *file = fopen(argv[2], "rb");
        size_t size = file ? fread(w->flash + FLASH_OFFSET, 1, FLASH_SIZE - FLASH_OFFSET, file) : 0;
        if (file)
            fclose(file);
        if (!size) {
            fprintf(stderr, "%s: cannot be read\n", argv[2]);
            return 2;
        }
    }
    test_power_up(w, seed);
    power_on(w, seed);
    if (check(restarted(w, OFR_BOARD_TRAP_CAUSE_NONE), "firmware starts (%s), cycle %" PRIu64,
              argv[1], w->cycle)) {
        test_timer(w);
        test_uart(w);
        test_memory(w);
        test_wishbone(w);
        test_board(w, flash ? OFR_BASE_FLASH + FLASH_OFFSET : OFR_BASE_RAM);
    }
    if (flash)
        check(!w->flash_problem[0] && w->awake && w->flash_words > 2 * w->flash_commands,
              "flash: %u words in %u commands, woken first %s", w->flash_words, w->flash_commands,
              w->flash_problem);
    printf("1..%d\n", tests);
    soc_free(w->soc);
    return failures != 0;
}
