#include "table.h"

#define LOOPS 0x01
#define HEAD 8   // bytes: version, channels, pulses per row, flags, rows (4)
#define TRACK 10 // bytes: servo, detach, lower (2), upper (2), speed (2), start (2)

static uint16_t get16(const uint8_t *flash) { return (uint16_t)((uint16_t)limber_flash_byte(flash) << 8 | limber_flash_byte(flash + 1)); }

uint8_t limber_table_open(limber_table *table, const uint8_t *flash) {
    table->count = limber_flash_byte(flash + 1);
    table->pulses_per_row = limber_flash_byte(flash + 2);
    table->loops = limber_flash_byte(flash + 3) & LOOPS;
    table->rows = (uint32_t)get16(flash + 4) << 16 | get16(flash + 6);
    if (limber_flash_byte(flash) != LIMBER_TABLE_VERSION || table->count > LIMBER_CHANNELS || table->pulses_per_row == 0) return 0;
    flash += HEAD;
    for (uint8_t i = 0; i < table->count; i++, flash += TRACK) {
        limber_track *track = &table->tracks[i];
        track->servo = limber_flash_byte(flash);
        track->detach = limber_flash_byte(flash + 1);
        track->lower = get16(flash + 2);
        track->upper = get16(flash + 4);
        track->speed = get16(flash + 6);
        track->start = get16(flash + 8);
        if (track->servo >= LIMBER_CHANNELS) return 0;
    }
    table->rows_at = flash;
    limber_table_rewind(table);
    return 1;
}

void limber_table_rewind(limber_table *table) {
    table->row = 0;
    table->nibbles = 0;
    for (uint8_t i = 0; i < table->count; i++) table->tracks[i].last = table->tracks[i].before = table->tracks[i].start;
}

static uint8_t next_nibble(limber_table *table) {
    uint8_t byte = limber_flash_byte(table->rows_at + (table->nibbles >> 1));
    return table->nibbles++ & 1 ? byte & 0x0F : byte >> 4;
}

// Second difference of a position: three bits in each nibble, lowest first; the fourth bit marks that another
// nibble follows. The lowest bit of all is the sign.
static uint16_t next_second_difference(limber_table *table) {
    uint32_t bits = 0;
    uint8_t nibble, shift = 0;
    do {
        nibble = next_nibble(table);
        bits |= (uint32_t)(nibble & 7) << shift;
        shift += 3;
    } while (nibble & 8);
    uint16_t size = (uint16_t)(bits >> 1);
    return bits & 1 ? (uint16_t)~size : size;
}

uint8_t limber_table_next(limber_table *table) {
    if (table->row == table->rows) return 0;
    table->row++;
    for (uint8_t i = 0; i < table->count; i++) {
        limber_track *track = &table->tracks[i];
        uint16_t straight_on = (uint16_t)(2 * track->last - track->before);
        track->before = track->last;
        track->last = (uint16_t)(straight_on + next_second_difference(table));
    }
    return 1;
}
