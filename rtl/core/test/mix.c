// SPDX-License-Identifier: Apache-2.0
// What firmware does, to measure cycles an instruction: CRC over frames by table and by bit,
// copying, sorting, numbers to text, division in software.
#include <stddef.h>
#include <stdint.h>

static volatile uint8_t *const uart = (volatile uint8_t *)0x10000000;

static void put(char c)
{
    while (!(uart[5] & 0x20))
        ;
    uart[0] = (uint8_t)c;
}

static void put_number(const char *name, uint32_t value)
{
    char digits[12];
    int n = 0;
    while (*name)
        put(*name++);
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (n)
        put(digits[--n]);
    put('\n');
}

static uint32_t table[256];
static uint8_t frame[1024], copy[1024];
static uint32_t keys[200];

static void make_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
        table[i] = c;
    }
}

static uint32_t crc(const uint8_t *data, size_t size)
{
    uint32_t c = 0xffffffff;
    while (size--)
        c = table[(c ^ *data++) & 0xff] ^ c >> 8;
    return ~c;
}

static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void sort(uint32_t *v, int n)
{
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            uint32_t key = v[i];
            int j = i;
            for (; j >= gap && v[j - gap] > key; j -= gap)
                v[j] = v[j - gap];
            v[j] = key;
        }
}

int main(void)
{
    uint32_t state = 1, sum = 0;
    make_table();
    for (int i = 0; i < 1024; i++)
        frame[i] = (uint8_t)next(&state);
    put_number("crc ", crc(frame, sizeof frame));
    for (int i = 0; i < 1024; i++)
        copy[1023 - i] = frame[i];
    put_number("crc ", crc(copy, sizeof copy));
    for (int i = 0; i < 200; i++)
        keys[i] = next(&state);
    sort(keys, 200);
    for (int i = 1; i < 200; i++)
        sum += (keys[i - 1] <= keys[i]) + (uint32_t)((int32_t)keys[i] >> 28);
    put_number("sort ", sum);
    for (int i = 0; i < 100; i++)
        sum = sum * 33 + (uint16_t)keys[i] / (1 + (keys[i] & 15)) + (uint32_t)(int8_t)frame[i];
    put_number("mix ", sum);
    return 0;
}
