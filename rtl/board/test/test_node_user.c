// SPDX-License-Identifier: Apache-2.0
// ofr_node with a user's core, over its Wishbone port: a program is loaded, sends messages to its
// own node through the router, and ends; programs that do wrong leave all else as it was, and no
// access takes longer for them. TAP; SEED replays.
//
//     test_node_user MESSAGES [ROUNDS]     MESSAGES: messages.bin of rtl/user/test
#include "node_shim.h"
#include "ofr_regs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096, LONGEST = 3, ENDLESS = 0x6f };

static struct node_rtl *rtl;
static struct ofr_node_in pins;
static uint64_t state; // splitmix64
static uint64_t cycle, accesses;
static unsigned longest, number, failures;

static uint32_t word(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z ^ z >> 31);
}

static void result(bool good, const char *what)
{
    printf("%sok %u - %s\n", good ? "" : "not ", ++number, what);
    failures += !good;
}

static void step(bool rst, const struct node_bus *bus)
{
    node_rtl_step(rtl, rst, &pins, bus);
    cycle++;
}

static void steps(unsigned count)
{
    static const struct node_bus none;
    while (count--)
        step(false, &none);
}

// False: a bus error.
static bool access(bool we, unsigned offset, uint32_t *value)
{
    const struct node_bus bus = {.stb = true, .we = we, .adr = (uint16_t)offset, .dat_w = *value};
    unsigned cycles = 0;
    struct node_seen seen;
    do {
        step(false, &bus);
        seen = node_rtl_bus(rtl);
    } while (!seen.ack && !seen.err && ++cycles < 100);
    if (!we)
        *value = seen.dat_r;
    longest = cycles + 1 > longest ? cycles + 1 : longest;
    accesses++;
    steps(1 + word() % 4);
    return seen.ack;
}

static uint32_t reads(unsigned offset)
{
    uint32_t value = 0;
    (void)access(false, offset, &value);
    return value;
}

static bool writes(unsigned offset, uint32_t value)
{
    return access(true, offset, &value);
}

static bool load(const uint32_t *from, unsigned words, uint32_t address)
{
    bool good = writes(OFR_USER_CONTROL, 0) && writes(OFR_USER_MEM_ADDR, address);
    for (unsigned i = 0; i < words; i++)
        good = writes(OFR_USER_MEM_DATA, from[i]) && good;
    return good;
}

static unsigned user_state(void)
{
    return reads(OFR_USER_STATE) & OFR_USER_STATE_STATE_MASK;
}

static void begin(uint32_t seed)
{
    static const struct node_bus none;
    rtl = node_rtl_new(seed * UINT64_C(0x123456789), seed);
    if (!rtl)
        exit(2);
    for (unsigned i = 0; i < 4; i++)
        step(true, &none);
    steps(40);
}

static bool join(void)
{
    static const uint32_t with[2] = {1U << OFR_CHANNEL_PEER_END_LSB, 0};
    bool good = writes(OFR_NODE_CONTROL, OFR_NODE_CONTROL_CONFIGURED_MASK);
    steps(40);
    for (unsigned e = 2; e-- > 0;)
        good = writes(OFR_CHANNEL_SELECT, e) && writes(OFR_CHANNEL_PEER, with[e] | 7U << 16) &&
               writes(OFR_CHANNEL_COMMAND,
                      e ? OFR_CHANNEL_COMMAND_LISTEN : OFR_CHANNEL_COMMAND_OPEN) &&
               good;
    return good;
}

static bool messages(const uint32_t *image, unsigned words)
{
    static const uint32_t place[2] = {0, 1};
    unsigned tries = 0;
    bool good = load(image, words, 0) && load(place, 2, 4) &&
                writes(OFR_USER_CONTROL, OFR_USER_CONTROL_RUN_MASK);
    while (user_state() == OFR_USER_STATE_STATE_RUNNING && tries++ < 6000)
        steps(100);
    uint32_t end = reads(OFR_USER_STATE) & ~OFR_USER_STATE_MID_MASK;
    writes(OFR_CHANNEL_SELECT, 1);
    uint32_t received = reads(OFR_CHANNEL_RECEIVED);
    if (end != (OFR_USER_STATE_STATE_STOPPED | OFR_USER_STATE_CAUSE_EXIT << 4) ||
        received != 40 * 41 / 2)
        printf("# STATE %x, PC %x, received %u\n", end, reads(OFR_USER_PC), received);
    return good && end == (OFR_USER_STATE_STATE_STOPPED | OFR_USER_STATE_CAUSE_EXIT << 4) &&
           received == 40 * 41 / 2;
}

// ---- Programs that do wrong ---------------------------------------------------------------------

static const uint16_t kept[] = {
    OFR_NODE_CONTROL, OFR_NODE_SIZE, OFR_NODE_COORD,     OFR_NODE_ROUTING,   OFR_NODE_TIE,
    OFR_NODE_SEED,    OFR_OFR_PARAM, OFR_OFR_WIDN,       OFR_NODE_RING_WAIT, OFR_CHANNEL_CONTROL,
    OFR_GEN_CONTROL,  OFR_GEN_SEED,  OFR_CHANNEL_SELECT, OFR_CHANNEL_ATTACH, OFR_CHANNEL_STATE,
    OFR_PINS_CONTROL, OFR_NI_STATUS, OFR_USER_SHAPE,
};
enum { KEPT = sizeof kept / sizeof *kept };

static bool wild(unsigned kind)
{
    uint32_t p[16], before[KEPT];
    for (unsigned i = 0; i < 16; i++)
        p[i] = word() | 3;
    if (kind == 0) { // a store to the board's registers, as its own core has them
        uint32_t to = OFR_BASE_NODE | (word() & 1 ? kept[word() % KEPT] : word() & 0xffc);
        p[0] = ((to + 0x800) & ~0xfffU) | 1U << 7 | 0x37; // lui x1
        p[1] = to << 20 | 1U << 15 | 1U << 7 | 0x13;      // addi x1
        p[2] = (word() & ~0xfffU) | 2U << 7 | 0x37;       // lui x2
        p[3] = 2U << 20 | 1U << 15 | 2U << 12 | 0x23;     // sw x2, 0(x1)
    } else if (kind == 1) {
        p[word() % 3] = ENDLESS;
    }
    bool good = load(p, 16, 0);
    for (unsigned i = 0; i < KEPT; i++)
        before[i] = reads(kept[i]);
    good = writes(OFR_USER_CONTROL, OFR_USER_CONTROL_RUN_MASK) && good;
    steps(60);
    for (unsigned i = 0; i < KEPT; i++)
        if (reads(kept[i]) != before[i]) {
            printf("# cycle %" PRIu64 ", register %x is %x, was %x\n", cycle, kept[i],
                   reads(kept[i]), before[i]);
            good = false;
        }
    uint32_t end = reads(OFR_USER_STATE);
    if (kind == 0 && (end & 0xff) != (OFR_USER_STATE_STATE_STOPPED | OFR_USER_STATE_CAUSE_BUS << 4))
        good = false;
    return writes(OFR_USER_CONTROL, 0) && user_state() == OFR_USER_STATE_STATE_HELD && good;
}

int main(int argc, char **argv)
{
    static uint32_t image[WORDS];
    const char *env = getenv("SEED");
    unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 3;
    uint64_t seed = env ? strtoull(env, NULL, 0) : 1;
    bool sent = true, kept_all = true, held = true;
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;

    if (!f) {
        fprintf(stderr, "usage: test_node_user MESSAGES [ROUNDS]; messages.bin is to be there\n");
        return 2;
    }
    unsigned words = (unsigned)((fread(image, 1, sizeof image, f) + 3) / 4);
    fclose(f);
    printf("# seed %" PRIu64 "; again: SEED=%" PRIu64 "\n", seed, seed);
    state = seed;
    for (unsigned i = 0; i < rounds; i++) {
        begin(word() | 1);
        held = held && reads(OFR_USER_CONTROL) == 0 && user_state() == OFR_USER_STATE_STATE_HELD &&
               reads(OFR_USER_SHAPE) == (14U << OFR_USER_SHAPE_RAM_LSB | 2);
        for (unsigned k = 0; k < 40; k++)
            kept_all = wild(k % 3) && kept_all;
        writes(OFR_USER_CONTROL, OFR_USER_CONTROL_DRAIN_MASK); // channels take nothing yet
        writes(OFR_USER_CONTROL, 0);
        node_rtl_delete(rtl);
        begin(word() | 1);
        sent = join() && messages(image, words) && sent;
        for (unsigned k = 0; k < 4; k++)
            kept_all = wild(k % 2) && kept_all;
        node_rtl_delete(rtl);
    }
    result(held, "held after a reset, SHAPE");
    result(sent, "messages to the own node, through channels and router");
    result(kept_all, "wild stores, endless loops, random words: registers stay, it is held");
    printf("# %" PRIu64 " accesses, the longest %u cycles\n", accesses, longest);
    result(longest <= LONGEST && accesses > 1000, "no access takes more than 3 cycles");
    printf("1..%u\n", number);
    return failures != 0;
}
