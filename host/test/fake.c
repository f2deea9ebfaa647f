// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

uint32_t fake_random(struct fake_fabric *f, uint32_t n)
{
    f->random = f->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((f->random >> 32) * n >> 32);
}

static bool chance(struct fake_fabric *f, double p)
{
    return p > 0 && fake_random(f, 1u << 30) < p * (1u << 30);
}

uint64_t fake_seed(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : getenv("SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 1;
    printf("# seed %llu (give it as argument or in SEED to replay)\n", (unsigned long long)seed);
    return seed;
}

// Network ----------------------------------------------------------------------------------------

static void deliver(struct fake_board *to, const uint32_t *packet)
{
    struct fake_fabric *f = to->fabric;
    if (to->mail_count == FAKE_MAIL || chance(f, f->lose))
        return; // the mailbox never pushes back
    memcpy(to->mail[to->mail_count++], packet, 32);
}

static uint32_t coordinates(const struct fake_board *b)
{
    uint32_t c = b->reg[OFR_NODE_COORD / 4];
    return (c & 15) | (c >> 4 & 0xf0) | (c >> 8 & 0xf00);
}

static void send(struct fake_board *b)
{
    uint32_t *p = b->tx;
    p[0] |= OFR_PKT_MGMT_BITS << OFR_PKT_MGMT_LSB | 1u << OFR_PKT_LEG_LSB;
    p[1] = (p[1] & 0xffff0000) | coordinates(b) | OFR_PKT_KIND_MGMT << 12;
    if ((p[0] >> OFR_PKT_CLASS_LSB & 3) == OFR_PKT_CLASS_DIRECTED) {
        unsigned port = p[0] & 15;
        if (port < 6 && b->peer[port]) {
            p[0] = (p[0] & ~15u) | b->peer_port[port];
            deliver(b->peer[port], p);
        }
        return;
    }
    p[0] &= ~(3u << OFR_PKT_CLASS_LSB); // in-order
    if (b->reg[OFR_PINS_CONTROL / 4] &&
        b->pins[p[0] & 0xfff] >> OFR_PINS_DATA_MODE_LSB == OFR_PINS_DATA_MODE_UNREACHABLE)
        return;
    for (unsigned i = 0; i < b->fabric->boards; i++) {
        struct fake_board *to = &b->fabric->board[i];
        if (to->reg[OFR_NODE_CONTROL / 4] & 1 && coordinates(to) == (p[0] & 0xfff)) {
            deliver(to, p);
            return;
        }
    }
}

// Registers --------------------------------------------------------------------------------------

static uint32_t links(const struct fake_board *b)
{
    uint32_t up = 0;
    for (unsigned p = 0; p < 6; p++)
        up |= (uint32_t)(b->peer[p] != NULL) << p;
    return up;
}

// Whose checker packets of this board come to: with a target that one's, else its own.
static struct fake_board *receiver(struct fake_board *b)
{
    uint32_t control = b->reg[OFR_GEN_CONTROL / 4];
    if ((control & OFR_GEN_CONTROL_PATTERN_MASK) >> OFR_GEN_CONTROL_PATTERN_LSB ==
        OFR_GEN_CONTROL_PATTERN_FIXED)
        for (unsigned i = 0; i < b->fabric->boards; i++)
            if (coordinates(&b->fabric->board[i]) == b->reg[OFR_GEN_TARGET / 4])
                return &b->fabric->board[i];
    return b;
}

// Boards that have a cable; where there is one alone, that.
static unsigned cabled(const struct fake_fabric *f)
{
    unsigned count = 0;
    for (unsigned i = 0; i < f->boards; i++)
        count += links(&f->board[i]) != 0;
    return count ? count : 1;
}

static void generate(struct fake_board *b)
{
    uint32_t packets = b->reg[OFR_GEN_MESSAGES / 4] * (b->reg[OFR_GEN_LENGTH / 4] >> 16);
    b->fabric->generated |= 1u << (b->fw.active >> 16 & 7);
    b->reg[OFR_GEN_STATUS / 4] = OFR_GEN_STATUS_DONE_MASK;
    uint32_t *check = receiver(b)->reg;
    b->reg[OFR_GEN_SENT / 4] = packets;
    b->counter[OFR_COUNTER_DISCARDED] += b->fabric->discards;
    check[OFR_CHECK_RECEIVED / 4] = packets -= b->fabric->discards;
    check[OFR_CHECK_ARRIVED / 4] = check[OFR_CHECK_COUNT / 4] = packets;
    check[OFR_CHECK_SUM_LOW / 4] = b->fabric->lifetime ? packets * b->fabric->lifetime : 0xc0000000;
    check[OFR_CHECK_MAX / 4] = 100;
    if (++b->fabric->started == cabled(b->fabric)) { // time flies
        b->fabric->time = b->reg[OFR_GEN_START / 4] + 1000000;
        b->fabric->started = 0;
    }
}

static bool pins_write(struct fake_board *b, unsigned at, uint32_t value)
{
    uint32_t mask = b->fabric->dims == 3 ? 0xfff : 0xff, *address = &b->reg[OFR_PINS_ADDR / 4];
    if (b->no_pins)
        return false;
    switch (at) {
    case OFR_PINS_CONTROL:
        if (value && b->clearing)
            return false;
        b->reg[at / 4] = value;
        if (!value)
            return true;
        if (!b->no_shadow)
            memcpy(b->pins, b->pins_shadow, sizeof b->pins);
        b->clearing = 3; // it is a copy already
        return true;
    case OFR_PINS_CLEAR:
        if (value & OFR_PINS_CLEAR_COPY_MASK && b->reg[OFR_PINS_CONTROL / 4])
            memcpy(b->pins_shadow, b->pins, sizeof b->pins);
        else
            memset(b->pins_shadow, 0, sizeof b->pins_shadow);
        b->clearing = 3;
        return true;
    case OFR_PINS_ADDR:
        *address = value & mask;
        return true;
    case OFR_PINS_DATA:
        if (b->clearing || value >> OFR_PINS_DATA_MODE_LSB > OFR_PINS_DATA_MODE_UNREACHABLE)
            return false;
        (b->no_shadow ? b->pins : b->pins_shadow)[*address] = (uint16_t)value;
        *address = (*address + 1) & mask;
        return true;
    }
    b->reg[at / 4] = value;
    return true;
}

static bool node_write(struct fake_board *b, unsigned at, uint32_t value)
{
    b->touched += at >= OFR_BLOCK_PINS || at == OFR_NODE_ROUTING ||
                  (at >= OFR_OFR_PARAM && at < OFR_COUNT_SNAPSHOT);
    b->beats += at == OFR_CHANNEL_TX_DATA || at == OFR_CHANNEL_RX_NEXT;
    if (at >= OFR_BLOCK_PINS)
        return pins_write(b, at, value);
    if (at >= OFR_BLOCK_GEN && b->no_traffic)
        return false;
    switch (at) {
    case OFR_NODE_SIZE:
    case OFR_NODE_COORD:
    case OFR_NODE_TIE:
        if (b->reg[OFR_NODE_CONTROL / 4] & 1 && (b->mail_count > 1 || b->passes))
            return false; // configured and not drained
        break;
    case OFR_OFR_ADDR:
        if (!value)
            b->crc = 0xffffffff;
        break;
    case OFR_OFR_DATA: {
        uint32_t *address = &b->reg[OFR_OFR_ADDR / 4];
        for (unsigned i = 0; i < 6; i += 2)
            if ((value >> i & 3) == 2)
                return false;
        b->shadow[*address & 63] = (uint8_t)value;
        *address = (*address + 1) & 63;
        b->crc = ofr_crc32_byte(b->crc, (uint8_t)value);
        b->reg[OFR_OFR_CRC / 4] = ~b->crc;
        b->table_writes++;
        return true;
    }
    case OFR_OFR_COMMIT:
        memcpy(b->table, b->shadow, sizeof b->table);
        break;
    case OFR_COUNT_SNAPSHOT:
        memcpy(b->latched, b->counter, sizeof b->latched);
        b->snapshots++;
        b->latched_cycles = fake_cycles();
        b->busy = 1;
        return true;
    case OFR_NI_TX_HEAD:
        b->tx[0] = value;
        b->tx_words = 1;
        return true;
    case OFR_NI_TX_DATA:
        if (!b->tx_words || b->tx_words > 7)
            return false;
        b->tx[b->tx_words++] = value;
        return true;
    case OFR_NI_TX_SEND:
        if (b->tx_words != 8)
            return false;
        b->tx_words = 0;
        send(b);
        return true;
    case OFR_NI_RX_NEXT:
        memmove(b->mail[0], b->mail[1], sizeof b->mail - sizeof *b->mail);
        b->mail_count -= b->mail_count > 0;
        b->mail_word = 0;
        return true;
    case OFR_GEN_CONTROL:
        if (value & OFR_GEN_CONTROL_ENABLE_MASK) {
            b->reg[at / 4] = value;
            generate(b);
            return true;
        }
        break;
    }
    b->reg[at / 4] = value;
    return true;
}

double fake_cycles(void)
{
    static time_t start;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!start)
        start = now.tv_sec;
    return 50e6 * ((double)(now.tv_sec - start) + 1e-9 * (double)now.tv_nsec);
}

// Eight ends of channels that are one: it is open after OPEN or LISTEN, ended after anything else,
// and a message of two bytes always waits there. Datagrams, of which each read counts one more as
// sent, and one of two bytes always waits. And collectives that only keep what is written, and a
// user's core that does, too, always shows four bytes that it has printed, and jumps as its memory.
static uint32_t channel_read(struct fake_board *b, unsigned at)
{
    uint32_t command = b->reg[OFR_CHANNEL_COMMAND / 4];
    switch (at) {
    case OFR_CHANNEL_SHAPE:
        return b->fabric->channel_shape
                   ? b->fabric->channel_shape
                   : 8U << OFR_CHANNEL_SHAPE_ENDS_LSB | 4U << OFR_CHANNEL_SHAPE_ROOM_LSB;
    case OFR_CHANNEL_STATE:
        if (command == OFR_CHANNEL_COMMAND_OPEN || command == OFR_CHANNEL_COMMAND_LISTEN)
            return OFR_CHANNEL_STATE_STATE_OPEN << OFR_CHANNEL_STATE_STATE_LSB;
        return OFR_CHANNEL_STATE_FREE_MASK |
               (uint32_t)(command ? OFR_CHANNEL_STATE_STATE_ENDED : OFR_CHANNEL_STATE_STATE_IDLE)
                   << OFR_CHANNEL_STATE_STATE_LSB;
    case OFR_DATAGRAM_SHAPE:
        return 4U << OFR_DATAGRAM_SHAPE_ROOM_LSB;
    case OFR_DATAGRAM_SENT:
        return b->reg[at / 4]++;
    case OFR_DATAGRAM_TX:
        return OFR_DATAGRAM_TX_READY_MASK;
    case OFR_DATAGRAM_RX:
        return OFR_DATAGRAM_RX_VALID_MASK | OFR_DATAGRAM_RX_FIRST_MASK | OFR_DATAGRAM_RX_LAST_MASK |
               2U << OFR_DATAGRAM_RX_BYTES_LSB;
    case OFR_COLLECTIVE_SHAPE:
        return 3U << OFR_COLLECTIVE_SHAPE_CHILDREN_LSB;
    case OFR_USER_SHAPE:
        return b->fabric->user_shape
                   ? b->fabric->user_shape
                   : 4U << OFR_USER_SHAPE_ENDS_LSB | 10U << OFR_USER_SHAPE_RAM_LSB;
    case OFR_USER_STATE:
        return b->reg[OFR_USER_CONTROL / 4] & OFR_USER_CONTROL_RUN_MASK
                   ? OFR_USER_STATE_STATE_RUNNING
                   : OFR_USER_STATE_STATE_HELD;
    case OFR_USER_MEM_DATA: // as a program begins: jal x0, 0
        return 0x6f;
    case OFR_USER_CONSOLE:
        return 4U << OFR_USER_CONSOLE_COUNT_LSB;
    case OFR_CHANNEL_TX:
        return OFR_CHANNEL_TX_READY_MASK;
    case OFR_CHANNEL_RX:
        return OFR_CHANNEL_RX_VALID_MASK | OFR_CHANNEL_RX_LAST_MASK |
               2U << OFR_CHANNEL_RX_BYTES_LSB;
    }
    return b->reg[at / 4];
}

// Ends of links with a physical layer of two wires, up, with a few errors on the second one.
static uint32_t link_read(unsigned at)
{
    switch ((at - OFR_BLOCK_LINKS) % 0x40 + OFR_BLOCK_LINKS) {
    case OFR_LINKS_STATE:
        return OFR_LINKS_STATE_NOW_UP << OFR_LINKS_STATE_NOW_LSB | 8U << OFR_LINKS_STATE_TICK_LSB |
               2U << OFR_LINKS_STATE_BITS_LSB | OFR_LINKS_STATE_PHY_MASK |
               OFR_LINKS_STATE_LOCKED_MASK;
    case OFR_LINKS_SEEN:
        return 100000;
    case OFR_LINKS_WIRES:
        return 2U << OFR_LINKS_WIRES_EYE_LSB | (2U << OFR_LINKS_WIRES_EYE_LSB | 3) << 16;
    }
    return 0;
}

static uint32_t node_read(struct fake_board *b, unsigned at)
{
    if (at >= OFR_BLOCK_CHANNEL)
        return channel_read(b, at);

    uint32_t index = b->reg[OFR_COUNT_INDEX / 4];
    switch (at) {
    case OFR_NODE_SHAPE:
        return b->fabric->dims | 2u << OFR_NODE_SHAPE_W8_LSB | 8u << OFR_NODE_SHAPE_C_LSB |
               (b->fabric->slot_flits ? b->fabric->slot_flits : 16u) << OFR_NODE_SHAPE_L_LSB |
               (b->no_traffic ? 0 : OFR_NODE_SHAPE_GEN_MASK | OFR_NODE_SHAPE_CHECK_MASK) |
               (b->fabric->few_counters ? 0 : OFR_NODE_SHAPE_COUNT_MASK) |
               (b->no_pins ? 0 : OFR_NODE_SHAPE_PINS_MASK);
    case OFR_PINS_CLEAR:
        return b->clearing ? b->clearing-- > 0 : 0;
    case OFR_NODE_STATUS:
        return (b->passes ? 0 : OFR_NODE_STATUS_DRAINED_MASK) | links(b)
                                                                    << OFR_NODE_STATUS_LINK_UP_LSB;
    case OFR_NODE_TIME:
        if (b->fabric->clocks)
            return (uint32_t)(int64_t)(b->ahead + b->rate * fake_cycles());
        return b->fabric->time += 3;
    case OFR_NODE_BERT: // over at once
        return 0;
    case OFR_COUNT_SNAPSHOT:
        return b->busy ? b->busy-- : 0;
    case OFR_COUNT_LOW:
        return index < FAKE_COUNTERS ? (uint32_t)b->latched[index] : 0;
    case OFR_COUNT_HIGH:
        b->reg[OFR_COUNT_INDEX / 4]++;
        return index < FAKE_COUNTERS ? (uint32_t)(b->latched[index] >> 32) : 0;
    case OFR_CHECK_BIN_COUNT: // all packets in the bin of lifetime 100
        return b->reg[OFR_CHECK_BIN / 4]++ == 36 ? b->reg[OFR_CHECK_COUNT / 4] : 0;
    case OFR_NI_STATUS:
        return OFR_NI_STATUS_TX_READY_MASK | (b->mail_count ? OFR_NI_STATUS_RX_VALID_MASK : 0);
    case OFR_NI_RX_DATA:
        return b->mail_count && b->mail_word < 8 ? b->mail[0][b->mail_word++] : 0;
    }
    return b->reg[at / 4];
}

static bool queue_take(struct fake_queue *q, uint8_t *byte)
{
    if (q->in == q->out)
        return false;
    *byte = q->byte[q->out++ % FAKE_UART];
    return true;
}

static void queue_put(struct fake_queue *q, uint8_t byte)
{
    if (q->in - q->out < FAKE_UART)
        q->byte[q->in++ % FAKE_UART] = byte;
}

static uint32_t hal_read(void *ctx, uint32_t address, bool *err)
{
    struct fake_board *b = ctx;
    uint8_t byte = 0;
    uint32_t word = 0;
    if (address - OFR_BASE_NODE >= OFR_BLOCK_LINKS && address - OFR_BASE_NODE < OFR_BLOCK_DATAGRAM)
        return link_read(address - OFR_BASE_NODE);
    if (address - OFR_BASE_NODE < sizeof b->reg)
        return node_read(b, address - OFR_BASE_NODE);
    switch (address) {
    case OFR_BASE_UART + OFR_UART_STATUS:
        return OFR_UART_STATUS_TX_READY_MASK |
               (b->from_host.in != b->from_host.out ? OFR_UART_STATUS_RX_VALID_MASK : 0) |
               (b->from_host.in - b->from_host.out >= 4 ? OFR_UART_STATUS_RX_WORD_MASK : 0);
    case OFR_BASE_UART + OFR_UART_DATA:
        queue_take(&b->from_host, &byte);
        return byte;
    case OFR_BASE_UART + OFR_UART_WORD:
        for (unsigned i = 0; i < 4 && queue_take(&b->from_host, &byte); i++)
            word |= (uint32_t)byte << 8 * i;
        return word;
    case OFR_BASE_TIMER + OFR_TIMER_LOW:
        return b->timer += 3;
    case OFR_BASE_BOARD + OFR_BOARD_CLOCK:
        return FAKE_CLOCK;
    case OFR_BASE_BOARD + OFR_BOARD_SERIAL_LOW:
        return (uint32_t)b->serial;
    case OFR_BASE_BOARD + OFR_BOARD_SERIAL_HIGH:
        return (uint32_t)(b->serial >> 32);
    }
    *err = true;
    return 0;
}

static void hal_write(void *ctx, uint32_t address, uint32_t value, bool *err)
{
    struct fake_board *b = ctx;
    if (address - OFR_BASE_NODE >= 0x750 && address - OFR_BASE_NODE < OFR_BLOCK_DATAGRAM)
        *err = true;
    else if (address - OFR_BASE_NODE < sizeof b->reg)
        *err = !node_write(b, address - OFR_BASE_NODE, value);
    else if (address == OFR_BASE_UART + OFR_UART_DATA)
        queue_put(&b->to_host, (uint8_t)value);
    else if (address == OFR_BASE_UART + OFR_UART_WORD)
        for (unsigned i = 0; i < 4; i++)
            queue_put(&b->to_host, (uint8_t)(value >> 8 * i));
    else
        *err = true;
}

// Fabric -----------------------------------------------------------------------------------------

void fake_cut(struct fake_board *b, unsigned port)
{
    if (b->peer[port])
        b->peer[port]->peer[b->peer_port[port]] = NULL;
    b->peer[port] = NULL;
}

void fake_cable(struct fake_board *a, unsigned port_a, struct fake_board *b, unsigned port_b)
{
    fake_cut(a, port_a);
    fake_cut(b, port_b);
    a->peer[port_a] = b;
    a->peer_port[port_a] = port_b;
    b->peer[port_b] = a;
    b->peer_port[port_b] = port_a;
}

struct fake_fabric *fake_new(unsigned kx, unsigned ky, unsigned kz, bool wrap, uint64_t seed)
{
    struct fake_fabric *f = calloc(1, sizeof *f);
    if (!f)
        abort();
    f->dims = kz > 1 ? 3 : 2;
    f->k[0] = kx;
    f->k[1] = ky;
    f->k[2] = kz;
    f->boards = kx * ky * kz;
    f->random = seed;
    f->board = calloc(f->boards, sizeof *f->board);
    if (!f->board)
        abort();
    for (unsigned i = 0; i < f->boards; i++) {
        struct fake_board *b = &f->board[i];
        b->fabric = f;
        b->fw.hal = (struct fw_hal){hal_read, hal_write, b};
        b->serial = (uint64_t)fake_random(f, 0xffffffff) << 32 | fake_random(f, 0xffffffff);
        b->reg[OFR_NODE_SIZE / 4] = 0x010101;
        b->reg[OFR_NODE_TIE / 4] = 1;
        for (unsigned c = 0; c < FAKE_COUNTERS; c++) // of all lengths, many 0
            b->counter[c] =
                fake_random(f, 3)
                    ? ((uint64_t)fake_random(f, 0x10000) << 32 | fake_random(f, 0xffffffff)) >>
                          fake_random(f, 48)
                    : 0;
        fw_init(&b->fw);
        unsigned x = i % kx, y = i / kx % ky, z = i / kx / ky;
        unsigned at[3] = {x, y, z}, step[3] = {1, kx, kx * ky};
        for (unsigned d = 0; d < 3; d++) {
            bool last = at[d] + 1 == f->k[d];
            if (f->k[d] == 1 || (last && f->k[d] == 2 && !wrap))
                continue;
            fake_cable(b, 2 * d, last ? b - (f->k[d] - 1) * step[d] : b + step[d], 2 * d + 1);
        }
    }
    return f;
}

void fake_free(struct fake_fabric *f)
{
    free(f->board);
    free(f);
}

void fake_settle(struct fake_fabric *f)
{
    bool any = true;
    for (unsigned n = 0; any && n < 100000; n++) {
        any = false;
        for (unsigned i = 0; i < f->boards; i++) {
            if (f->board[i].dead)
                continue;
            any |= fw_poll(&f->board[i].fw);
            if (f->after_poll)
                f->after_poll(&f->board[i]);
        }
    }
}

// Transport --------------------------------------------------------------------------------------

static void wire_byte(struct fake_fabric *f, struct fake_queue *q, uint8_t byte)
{
    if (chance(f, f->damage)) {
        switch (fake_random(f, 3)) {
        case 0:
            byte ^= (uint8_t)(1u << fake_random(f, 8));
            break;
        case 1:
            return; // lost
        case 2:
            queue_put(q, byte); // doubled
            break;
        }
    }
    queue_put(q, byte);
}

static int wire_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    struct fake_wire *w = ctx;
    (void)milliseconds;
    if (w->writes_left == 0)
        return -1;
    w->writes_left -= w->writes_left > 0;
    if (bytes > 32) // a frame; the rest is behind what it does
        bytes = 32;
    for (size_t i = 0; i < bytes; i++)
        wire_byte(w->board->fabric, &w->board->from_host, ((const uint8_t *)from)[i]);
    fake_settle(w->board->fabric);
    return (int)bytes;
}

static int wire_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    struct fake_wire *w = ctx;
    size_t n = 0;
    uint8_t byte;
    if (w->writes_left == 0)
        return -1;
    while (n < bytes && queue_take(&w->board->to_host, &byte))
        ((uint8_t *)to)[n++] = byte;
    if (!n && milliseconds > 0) {
        struct timespec wait = {.tv_nsec = 200000};
        nanosleep(&wait, NULL);
        fake_settle(w->board->fabric);
    }
    return (int)n;
}

struct torus_transport fake_transport(struct fake_wire *wire)
{
    return (struct torus_transport){wire_read, wire_write, NULL, wire};
}
