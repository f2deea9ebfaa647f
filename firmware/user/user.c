// SPDX-License-Identifier: Apache-2.0
#include "outflank_user.h"

#include "ofr_regs.h"

static volatile uint32_t *at(uint32_t address)
{
    return (volatile uint32_t *)(uintptr_t)address;
}

static volatile uint32_t *of_end(unsigned end, uint32_t offset)
{
    return at(OFR_BASE_STREAM + 32 * end + offset);
}

static size_t beat_bytes(void)
{
    return (*at(OFR_BASE_PROGRAM + OFR_PROGRAM_SHAPE) & OFR_PROGRAM_SHAPE_W8_MASK) >>
           OFR_PROGRAM_SHAPE_W8_LSB;
}

uint64_t torus_time(void)
{
    uint32_t low = *at(OFR_BASE_PROGRAM + OFR_PROGRAM_TIME_LOW);
    return (uint64_t)*at(OFR_BASE_PROGRAM + OFR_PROGRAM_TIME_HIGH) << 32 | low;
}

size_t torus_print_room(void)
{
    return *at(OFR_BASE_PROGRAM + OFR_PROGRAM_CONSOLE);
}

void torus_print(const char *text)
{
    while (*text)
        *at(OFR_BASE_PROGRAM + OFR_PROGRAM_CONSOLE) = (uint8_t)*text++;
}

void torus_print_number(uint32_t number)
{
    char digits[11];
    char *p = digits + sizeof digits - 1;
    *p = 0;
    do
        *--p = (char)('0' + number % 10);
    while (number /= 10);
    torus_print(p);
}

void torus_exit(int code)
{
    for (;;)
        *at(OFR_BASE_PROGRAM + OFR_PROGRAM_EXIT) = (uint8_t)code;
}

enum torus_moved torus_send_some(struct torus_transfer *t)
{
    size_t width = beat_bytes();
    while (!t->over) {
        if (!(*of_end(t->end, OFR_STREAM_TX) & OFR_STREAM_TX_READY_MASK))
            return TORUS_MORE;
        size_t left = t->bytes - t->done, n = left < width ? left : width;
        uint32_t word[2] = {0, 0};
        for (size_t i = 0; i < n; i++)
            word[i / 4] |= (uint32_t)t->data[t->done + i] << 8 * (i % 4);
        t->over = left <= width;
        t->done += n;
        if (t->over)
            *of_end(t->end, OFR_STREAM_TX_END) = n;
        if (width > 4)
            *of_end(t->end, OFR_STREAM_TX_HIGH) = word[1];
        *of_end(t->end, OFR_STREAM_TX_DATA) = word[0];
    }
    return TORUS_WHOLE;
}

enum torus_moved torus_recv_some(struct torus_transfer *t)
{
    for (;;) {
        uint32_t rx = *of_end(t->end, OFR_STREAM_RX);
        if (!(rx & OFR_STREAM_RX_VALID_MASK))
            return TORUS_MORE;
        size_t n = (rx & OFR_STREAM_RX_BYTES_MASK) >> OFR_STREAM_RX_BYTES_LSB;
        uint32_t word[2] = {*of_end(t->end, OFR_STREAM_RX_DATA),
                            n > 4 ? *of_end(t->end, OFR_STREAM_RX_HIGH) : 0};
        *of_end(t->end, OFR_STREAM_RX_NEXT) = 0;
        if (rx & OFR_STREAM_RX_BROKEN_MASK)
            return TORUS_BROKEN;
        for (size_t i = 0; i < n; i++)
            if (t->done < t->bytes)
                t->data[t->done++] = (uint8_t)(word[i / 4] >> 8 * (i % 4));
            else
                t->over = true;
        if (rx & OFR_STREAM_RX_LAST_MASK)
            return t->over ? TORUS_LONG : TORUS_WHOLE;
    }
}

enum torus_moved torus_message_send(unsigned end, const void *data, size_t bytes)
{
    // Sending only reads it
    struct torus_transfer t = {.end = end, .data = (uint8_t *)(uintptr_t)data, .bytes = bytes};
    enum torus_moved moved;
    while ((moved = torus_send_some(&t)) == TORUS_MORE)
        ;
    return moved;
}

enum torus_moved torus_message_recv(unsigned end, void *data, size_t room, size_t *got)
{
    struct torus_transfer t = {.end = end, .data = data, .bytes = room};
    enum torus_moved moved;
    while ((moved = torus_recv_some(&t)) == TORUS_MORE)
        ;
    if (got)
        *got = t.done;
    return moved;
}
