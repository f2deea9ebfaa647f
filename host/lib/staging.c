// SPDX-License-Identifier: Apache-2.0
// What boards are sent of a table, message by message (protocol.h, TABLES): OP_TABLEs of its banks,
// then OP_STAGE, in the end OP_COMMIT. The same for one board over a directed route, with a word of
// entries a message and its own destinations, and for all boards at once, with three.
#include <string.h>

#include "tables.h"

enum { IDN_BITS = 8, DESTINATION_BITS = 16 };

void staging_begin(struct staging *s, const struct torus_table *table, uint32_t descriptor,
                   unsigned generation, unsigned words)
{
    uint8_t idn[64];
    memset(s, 0, sizeof *s);
    s->settings = table_parameters(table);
    s->descriptor = descriptor;
    s->generation = generation;
    s->words = words;
    s->crc = s->idn_crc = 0xffffffff;
    struct staging_bank *b = &s->bank[OFR_BANK_IDN];
    *b = (struct staging_bank){.bits = IDN_BITS, .entries = table_bytes(table, idn)};
    for (unsigned i = 0; i < b->entries; i++) {
        b->entry[i] = idn[i];
        s->idn_crc = ofr_crc32_byte(s->idn_crc, idn[i]);
    }
    s->bank[OFR_BANK_DESTINATIONS] =
        (struct staging_bank){.bits = DESTINATION_BITS, .sparse = true};
}

void staging_destinations(struct staging *s, const struct torus_table *table, uint32_t from)
{
    struct staging_bank *b = &s->bank[OFR_BANK_DESTINATIONS];
    b->entries = !table->destination_count ? 0 : table->dims == 3 ? DESTINATIONS : 256;
    destinations_of(table, from, b->entry);
}

// Word `i` of a bank's entries.
static uint32_t word_of(const struct staging_bank *b, unsigned i)
{
    unsigned per = 32 / b->bits;
    uint32_t word = 0;
    for (unsigned j = 0; j < per; j++)
        word |= (uint32_t)b->entry[i * per + j] << j * b->bits;
    return word;
}

// The next words of the bank that is being sent: how many, from entry *first on. 0: no more.
static unsigned next_words(struct staging *s, unsigned *first, uint32_t words[3])
{
    const struct staging_bank *b = &s->bank[s->at];
    unsigned per = 32 / b->bits, count = 0;
    for (; s->next * per < b->entries && count < s->words; s->next++) {
        uint32_t word = word_of(b, s->next);
        bool said = !b->sparse || word || !s->next; // one at least: so the table is on
        if (!said && !count)
            continue;
        if (!said)
            break;
        if (!count)
            *first = s->next * per;
        words[count++] = word;
    }
    return count;
}

bool staging_next(struct staging *s, struct request *q)
{
    uint32_t words[3] = {s->settings}, said[4];
    unsigned first = s->descriptor, bank = s->at, count = bank == OFR_BANK_SETTINGS;
    while (!count && s->at < OFR_BANKS) {
        bank = s->at;
        count = next_words(s, &first, words);
        s->at += !count;
        s->next = count ? s->next : 0;
    }
    if (!count)
        return false;
    s->at += bank == OFR_BANK_SETTINGS;
    q->m[0] = (q->m[0] & ~(uint32_t)0xff00) | (bank << 4 | count) << 8;
    q->m[4] |= (uint32_t)first << 16;
    q->m[5] = words[0];
    if (s->words > 1) {
        q->m[2] = words[1];
        q->m[3] = words[2];
    }
    for (unsigned i = 0, n = ofr_table_words(q->m, said); i < n; i++)
        for (unsigned j = 0; j < 32; j += 8)
            s->crc = ofr_crc32_byte(s->crc, (uint8_t)(said[i] >> j));
    return true;
}

void staging_name(const struct staging *s, struct request *q)
{
    q->m[4] |= (uint32_t)s->generation << 16;
    q->m[5] = s->crc ^ s->idn_crc; // both not inverted yet: neither needs be
}
