// A motion in flash, as Limber exports it (docs/export.md): read row by row, without loss. Portable C,
// independent of the board.
#ifndef LIMBER_TABLE_H
#define LIMBER_TABLE_H

#include "device.h"
#include "flash.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_TABLE_VERSION 1

typedef struct {
    uint8_t servo, detach;
    uint16_t lower, upper, speed, start;  // positions in eighths of a microsecond, speed in us/s; start is the first row
    uint16_t last, before;                // the last two rows read
} limber_track;

typedef struct {
    const uint8_t *rows_at;
    uint32_t rows;
    uint8_t loops, pulses_per_row, count;
    limber_track tracks[LIMBER_CHANNELS];
    uint32_t row;      // index of the next row to read
    uint32_t nibbles;  // number of nibbles read
} limber_table;

// Reads the table's header. Returns 0 if its version is not supported, if it has more channels than the device
// or a servo that the device lacks, or if it has no pulses per row.
uint8_t limber_table_open(limber_table *table, const uint8_t *flash);

// Goes back to the position before the first row.
void limber_table_rewind(limber_table *table);

// Reads the next row into the tracks' `last`. Returns 0 after the last row.
uint8_t limber_table_next(limber_table *table);

#ifdef __cplusplus
}
#endif
#endif
