// SPDX-License-Identifier: Apache-2.0
// lint-flags: --target=riscv32 -ffreestanding
// The SoC tests' firmware: peek, poke, echo and traps, by one-letter commands over the UART.
//   start: sends 'R' and BOARD.TRAP_CAUSE
//   r ADDR       read a word, send it         w ADDR DATA   write a word, send 'k'
//   b ADDR BYTE  write a byte, send 'k'       e N ...       echo N bytes after the last came
//   E N ...      the same with N words, by UART.WORD
//   t            two timer readings of 8 bytes
//   s CYCLES     do nothing for so long, send 'k' and the UART's STATUS, read twice
//   x KIND       trap: 0 illegal, 1 misaligned, 2 ebreak, 3 jump to nowhere
// Numbers are 4 bytes, little endian; N, BYTE and KIND are one byte.
#include "ofr_regs.h"

#include <stdint.h>

static inline volatile uint32_t *word(uint32_t address)
{
    return (volatile uint32_t *)address;
}

static uint8_t get(void)
{
    while (!(*word(OFR_BASE_UART + OFR_UART_STATUS) & OFR_UART_STATUS_RX_VALID_MASK))
        ;
    return (uint8_t)*word(OFR_BASE_UART + OFR_UART_DATA);
}

static void put(uint8_t byte)
{
    while (!(*word(OFR_BASE_UART + OFR_UART_STATUS) & OFR_UART_STATUS_TX_READY_MASK))
        ;
    *word(OFR_BASE_UART + OFR_UART_DATA) = byte;
}

static uint32_t get_word(void)
{
    uint32_t value = 0;
    for (int i = 0; i < 32; i += 8)
        value |= (uint32_t)get() << i;
    return value;
}

static void put_word(uint32_t value)
{
    for (int i = 0; i < 32; i += 8)
        put((uint8_t)(value >> i));
}

static uint8_t buffer[256];
static uint32_t words[16];
static uint32_t times[4];

int main(void)
{
    put('R');
    put((uint8_t)*word(OFR_BASE_BOARD + OFR_BOARD_TRAP_CAUSE));
    for (;;) {
        uint32_t address, count;
        switch (get()) {
        case 'r':
            put_word(*word(get_word()));
            break;
        case 'w':
            address = get_word();
            *word(address) = get_word();
            put('k');
            break;
        case 'b':
            address = get_word();
            *(volatile uint8_t *)address = get();
            put('k');
            break;
        case 'e':
            count = get();
            for (uint32_t i = 0; i < count; i++)
                buffer[i] = get();
            for (uint32_t i = 0; i < count; i++)
                put(buffer[i]);
            break;
        case 'E':
            count = get();
            for (uint32_t i = 0; i < count; i++) {
                while (!(*word(OFR_BASE_UART + OFR_UART_STATUS) & OFR_UART_STATUS_RX_WORD_MASK))
                    ;
                words[i] = *word(OFR_BASE_UART + OFR_UART_WORD);
            }
            for (uint32_t i = 0; i < count; i++) {
                while (!(*word(OFR_BASE_UART + OFR_UART_STATUS) & OFR_UART_STATUS_TX_READY_MASK))
                    ;
                *word(OFR_BASE_UART + OFR_UART_WORD) = words[i];
            }
            break;
        case 's':
            count = get_word();
            address = *word(OFR_BASE_TIMER + OFR_TIMER_LOW);
            while (*word(OFR_BASE_TIMER + OFR_TIMER_LOW) - address < count)
                ;
            times[0] = *word(OFR_BASE_UART + OFR_UART_STATUS);
            times[1] = *word(OFR_BASE_UART + OFR_UART_STATUS);
            put('k');
            put((uint8_t)times[0]);
            put((uint8_t)times[1]);
            break;
        case 't':
            for (int i = 0; i < 4; i++)
                times[i] = *word(OFR_BASE_TIMER + (i & 1 ? OFR_TIMER_HIGH : OFR_TIMER_LOW));
            for (int i = 0; i < 4; i++)
                put_word(times[i]);
            break;
        case 'x':
            switch (get()) {
            case 0:
                __asm__ volatile(".word 0");
                break;
            case 1:
                // And nothing goes well until the very first instruction has run again.
                __asm__ volatile("li sp, 257\n\tlw a0, 0(sp)" ::: "a0");
                break;
            case 2:
                __asm__ volatile("ebreak");
                break;
            default:
                ((void (*)(void))0x4ffffffc)(); // the next word is UART.DATA, which is there
            }
            break;
        default:
            put('?');
        }
    }
}
