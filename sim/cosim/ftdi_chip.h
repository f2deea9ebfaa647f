// SPDX-License-Identifier: Apache-2.0
// An FTDI chip as a board has it: USB on one side, the board's UART on the other. What the host
// sees follows FTDI's data sheets and application notes AN232B-04 (latency timer, status bytes) and
// AN232B-05 (baud rates); EEPROM and everything but the UART mode are left out.
#ifndef FTDI_CHIP_H
#define FTDI_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of the boards that we know: FT2232H (0403:6010, high speed; the UART is channel B), FT232H
// (0403:6014, high speed), FT231X (0403:6015, full speed).
enum ftdi_kind { FTDI_2232H, FTDI_232H, FTDI_231X };

enum {
    FTDI_FIFO = 4096,
    FTDI_PACKET = 512,     // longest packet
    FTDI_DESCRIPTORS = 96, // room for all but strings
    FTDI_BAUD = 115200,    // of the board's UART
};

struct ftdi_fifo {
    uint8_t byte[FTDI_FIFO];
    unsigned head, count;
};

struct ftdi_channel {
    struct ftdi_fifo to_host, to_board;
    double baud; // bits a second, as the host has set it
    uint8_t latency, bitmode;
    uint64_t sent; // when the last packet went to the host, microseconds
};

struct ftdi_chip {
    enum ftdi_kind kind;
    char serial[32];
    uint8_t configuration;
    struct ftdi_channel channel[2];
};

void ftdi_plug_in(struct ftdi_chip *chip, enum ftdi_kind kind, const char *serial);

// Device descriptor, then the configuration's, as in sysfs. Returns bytes, the first 18 the
// device's.
size_t ftdi_descriptors(const struct ftdi_chip *chip, uint8_t out[FTDI_DESCRIPTORS]);
unsigned ftdi_packet(const struct ftdi_chip *chip); // bytes of a full bulk packet, 64 or 512

// Control transfer at endpoint 0. data: `length` bytes of the setup packet's, in or out. Returns
// how many bytes come in (0 for out), -1: stalled.
int ftdi_control(struct ftdi_chip *chip, const uint8_t setup[8], uint8_t *data);

// Bulk out at an endpoint (2, 4): returns how many of the bytes the chip has room for, -1: no such
// endpoint.
int ftdi_out(struct ftdi_chip *chip, unsigned endpoint, const uint8_t *data, size_t bytes);
// Bulk in (1, 3): one packet, `now` in microseconds. Returns its bytes; 0: nothing yet (NAK), come
// back after ftdi_wait() microseconds or when the board has sent something; -1: no such endpoint.
int ftdi_in(struct ftdi_chip *chip, unsigned endpoint, uint64_t now, uint8_t out[FTDI_PACKET]);
uint64_t ftdi_wait(const struct ftdi_chip *chip, unsigned endpoint, uint64_t now);

// The board's side: 8N1 at FTDI_BAUD. At another rate it and the host do not understand each other.
bool ftdi_uart_get(struct ftdi_chip *chip, uint8_t *byte); // host to board; false: none
bool ftdi_uart_put(struct ftdi_chip *chip, uint8_t byte);  // board to host; false: no room
bool ftdi_uart_room(const struct ftdi_chip *chip);

#endif
