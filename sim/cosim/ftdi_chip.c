// SPDX-License-Identifier: Apache-2.0
#include "ftdi_chip.h"

#include <string.h>

enum { STATUS_BYTES = 2 };

static const struct {
    uint16_t product, version;
    uint8_t interfaces, packet0; // packet0: of endpoint 0
    uint16_t packet, fifo;
    const char *name;
} kinds[] = {
    [FTDI_2232H] = {0x6010, 0x0700, 2, 64, 512, 4096, "Dual RS232-HS"},
    [FTDI_232H] = {0x6014, 0x0900, 1, 64, 512, 1024, "Single RS232-HS"},
    [FTDI_231X] = {0x6015, 0x1000, 1, 8, 64, 512, "FT231X USB UART"},
};

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool fifo_get(struct ftdi_fifo *f, uint8_t *byte)
{
    if (!f->count)
        return false;
    *byte = f->byte[f->head];
    f->head = (f->head + 1) % FTDI_FIFO;
    f->count--;
    return true;
}

static void fifo_put(struct ftdi_fifo *f, uint8_t byte)
{
    f->byte[(f->head + f->count++) % FTDI_FIFO] = byte;
}

static void reset(struct ftdi_channel *c)
{
    *c = (struct ftdi_channel){.baud = 9600, .latency = 16};
}

void ftdi_plug_in(struct ftdi_chip *chip, enum ftdi_kind kind, const char *serial)
{
    *chip = (struct ftdi_chip){.kind = kind};
    strncpy(chip->serial, serial, sizeof chip->serial - 1);
    reset(&chip->channel[0]);
    reset(&chip->channel[1]);
}

unsigned ftdi_packet(const struct ftdi_chip *chip)
{
    return kinds[chip->kind].packet;
}

// Descriptors -------------------------------------------------------------------------------------

static uint8_t *put(uint8_t *to, const uint8_t *bytes, size_t count)
{
    memcpy(to, bytes, count);
    return to + count;
}

size_t ftdi_descriptors(const struct ftdi_chip *chip, uint8_t out[FTDI_DESCRIPTORS])
{
    uint16_t product = kinds[chip->kind].product, version = kinds[chip->kind].version;
    uint16_t packet = kinds[chip->kind].packet;
    uint8_t interfaces = kinds[chip->kind].interfaces, *at = out;
    uint8_t total = (uint8_t)(9 + interfaces * (9 + 2 * 7));
    const uint8_t device[18] = {18,
                                1,
                                0x00,
                                0x02,
                                0,
                                0,
                                0,
                                kinds[chip->kind].packet0,
                                0x03,
                                0x04,
                                (uint8_t)product,
                                (uint8_t)(product >> 8),
                                (uint8_t)version,
                                (uint8_t)(version >> 8),
                                1,
                                2,
                                3,
                                1};
    const uint8_t configuration[9] = {9, 2, total, 0, interfaces, 1, 0, 0x80, 250};
    at = put(at, device, sizeof device);
    at = put(at, configuration, sizeof configuration);
    for (uint8_t i = 0; i < interfaces; i++) {
        const uint8_t interface[9] = {9, 4, i, 0, 2, 0xff, 0xff, 0xff, 2};
        const uint8_t low = (uint8_t)packet, high = (uint8_t)(packet >> 8);
        const uint8_t in[7] = {7, 5, (uint8_t)(0x81 + 2 * i), 2, low, high, 0};
        const uint8_t bulk_out[7] = {7, 5, (uint8_t)(0x02 + 2 * i), 2, low, high, 0};
        at = put(at, interface, sizeof interface);
        at = put(at, in, sizeof in);
        at = put(at, bulk_out, sizeof bulk_out);
    }
    return (size_t)(at - out);
}

static int string_descriptor(const struct ftdi_chip *chip, unsigned index, uint8_t *out)
{
    const char *const text[] = {NULL, "FTDI", kinds[chip->kind].name, chip->serial};
    if (index >= sizeof text / sizeof *text)
        return -1;
    out[1] = 3;
    if (!index) { // languages: US English
        out[0] = 4;
        out[2] = 0x09;
        out[3] = 0x04;
        return 4;
    }
    unsigned n = 2;
    for (const char *c = text[index]; *c; c++) {
        out[n++] = (uint8_t)*c;
        out[n++] = 0;
    }
    out[0] = (uint8_t)n;
    return (int)n;
}

// Control transfers -------------------------------------------------------------------------------

static int standard(struct ftdi_chip *chip, const uint8_t setup[8], uint8_t *data, unsigned length)
{
    uint8_t all[FTDI_DESCRIPTORS], text[80];
    const uint8_t *from = text;
    int n = -1;
    switch (setup[0] << 8 | setup[1]) {
    case 0x8006: // get descriptor
        if (setup[3] == 3) {
            n = string_descriptor(chip, setup[2], text);
        } else if (setup[3] == 1 || setup[3] == 2) {
            n = (int)ftdi_descriptors(chip, all);
            from = setup[3] == 1 ? all : all + 18;
            n = setup[3] == 1 ? 18 : n - 18;
        }
        break;
    case 0x8008: // get configuration
        text[0] = chip->configuration;
        n = 1;
        break;
    case 0x0009: // set configuration
        chip->configuration = setup[2];
        return setup[2] <= 1 ? 0 : -1;
    case 0x8000: // get status: of the device, an interface, an endpoint
    case 0x8100:
    case 0x8200:
        text[0] = text[1] = 0;
        n = 2;
        break;
    case 0x0001: // clear feature (an endpoint's halt), set interface
    case 0x0201:
    case 0x010b:
        return 0;
    default:
        break;
    }
    if (n > 0)
        memcpy(data, from, min((unsigned)n, length));
    return n < 0 ? -1 : (int)min((unsigned)n, length);
}

// AN232B-05: 14 bits of divisor, then its eighths, coded; on high-speed chips a bit that takes 12
// instead of 3 MHz.
static double baud_rate(uint32_t code, bool high_speed)
{
    static const uint8_t eighths[8] = {0, 4, 2, 1, 3, 5, 6, 7};
    uint32_t whole = code & 0x3fff;
    double divisor = whole + eighths[code >> 14 & 7] / 8.0;
    if (whole == 0)
        divisor = 1;
    else if (whole == 1)
        divisor = 1.5;
    return (high_speed && code >> 17 & 1 ? 12e6 : 3e6) / divisor;
}

static int vendor_out(struct ftdi_chip *chip, struct ftdi_channel *c, const uint8_t setup[8])
{
    bool high_speed = kinds[chip->kind].packet == 512;
    uint32_t value = setup[2] | (uint32_t)setup[3] << 8, index = setup[4] | (uint32_t)setup[5] << 8;
    switch (setup[1]) {
    case 0: // reset, purge
        if (value == 0 || value == 2)
            c->to_host.count = 0;
        if (value == 0 || value == 1)
            c->to_board.count = 0;
        return value <= 2 ? 0 : -1;
    case 3:
        c->baud = baud_rate(value | (high_speed ? index >> 8 : index) << 16, high_speed);
        return 0;
    case 9:
        if (!setup[2])
            return -1;
        c->latency = setup[2];
        return 0;
    case 11:
        c->bitmode = setup[3];
        return 0;
    case 1: // modem control, flow control, line properties, event and error characters: no effect
    case 2:
    case 4:
    case 6:
    case 7:
        return 0;
    default:
        return -1;
    }
}

static void status(const struct ftdi_chip *chip, const struct ftdi_channel *c,
                   uint8_t out[STATUS_BYTES])
{
    out[0] = kinds[chip->kind].packet == 512 ? 0x32 : 0x31;
    out[1] = c->to_board.count ? 0 : 0x60; // transmitter empty
}

int ftdi_control(struct ftdi_chip *chip, const uint8_t setup[8], uint8_t *data)
{
    unsigned length = setup[6] | (unsigned)setup[7] << 8;
    if (!(setup[0] & 0x60))
        return standard(chip, setup, data, length);
    // Channel A is 0 or 1, B 2; for the baud rate of single-channel chips the index is more of it.
    bool b = setup[4] == 2 && kinds[chip->kind].interfaces == 2;
    struct ftdi_channel *c = &chip->channel[b];
    uint8_t answer[STATUS_BYTES] = {0xff, 0xff};
    unsigned n = 0;
    if (setup[0] == 0x40)
        return vendor_out(chip, c, setup);
    if (setup[0] != 0xc0)
        return -1;
    switch (setup[1]) {
    case 5:
        status(chip, c, answer);
        n = 2;
        break;
    case 10:
        answer[0] = c->latency;
        n = 1;
        break;
    case 12: // pins
        n = 1;
        break;
    case 0x90: // a word of the EEPROM: blank
        n = 2;
        break;
    default:
        return -1;
    }
    memcpy(data, answer, min(n, length));
    return (int)min(n, length);
}

// Bulk transfers ----------------------------------------------------------------------------------

// NULL: no such endpoint. The UART's channel is the last.
static struct ftdi_channel *channel(struct ftdi_chip *chip, unsigned endpoint, bool in)
{
    unsigned i = in ? (endpoint - 1) / 2 : endpoint / 2 - 1;
    bool odd = endpoint & 1;
    return endpoint && odd == in && i < kinds[chip->kind].interfaces ? &chip->channel[i] : NULL;
}

static struct ftdi_channel *uart(struct ftdi_chip *chip)
{
    return &chip->channel[kinds[chip->kind].interfaces - 1];
}

int ftdi_out(struct ftdi_chip *chip, unsigned endpoint, const uint8_t *data, size_t bytes)
{
    struct ftdi_channel *c = channel(chip, endpoint, false);
    size_t n = 0;
    if (!c)
        return -1;
    if (c != uart(chip) || c->bitmode) // to pins that nothing is wired to
        return (int)bytes;
    while (n < bytes && c->to_board.count < kinds[chip->kind].fifo)
        fifo_put(&c->to_board, data[n++]);
    return (int)n;
}

uint64_t ftdi_wait(const struct ftdi_chip *chip, unsigned endpoint, uint64_t now)
{
    const struct ftdi_channel *c = &chip->channel[endpoint > 2];
    uint64_t due = c->sent + UINT64_C(1000) * c->latency;
    return due > now ? due - now : 0;
}

int ftdi_in(struct ftdi_chip *chip, unsigned endpoint, uint64_t now, uint8_t out[FTDI_PACKET])
{
    struct ftdi_channel *c = channel(chip, endpoint, true);
    if (!c)
        return -1;
    unsigned room = kinds[chip->kind].packet - STATUS_BYTES, n = min(c->to_host.count, room);
    if (n < room && ftdi_wait(chip, endpoint, now))
        return 0;
    c->sent = now;
    status(chip, c, out);
    for (unsigned i = 0; i < n; i++)
        fifo_get(&c->to_host, &out[STATUS_BYTES + i]);
    return (int)(STATUS_BYTES + n);
}

// The UART ----------------------------------------------------------------------------------------

// What the far side makes of a byte: 8N1 stands 3% of difference.
static uint8_t at_rate(const struct ftdi_channel *c, uint8_t byte)
{
    double ratio = c->baud / FTDI_BAUD;
    return ratio > 0.97 && ratio < 1.03 ? byte : (uint8_t) ~(byte >> 1);
}

bool ftdi_uart_get(struct ftdi_chip *chip, uint8_t *byte)
{
    struct ftdi_channel *c = uart(chip);
    if (!fifo_get(&c->to_board, byte))
        return false;
    *byte = at_rate(c, *byte);
    return true;
}

bool ftdi_uart_room(const struct ftdi_chip *chip)
{
    return chip->channel[kinds[chip->kind].interfaces - 1].to_host.count < kinds[chip->kind].fifo;
}

bool ftdi_uart_put(struct ftdi_chip *chip, uint8_t byte)
{
    struct ftdi_channel *c = uart(chip);
    if (!ftdi_uart_room(chip))
        return false;
    fifo_put(&c->to_host, at_rate(c, byte));
    return true;
}
