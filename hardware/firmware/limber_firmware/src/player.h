// Plays a motion from flash, without a computer: every pulse comes from the table, within the channels'
// ranges and speeds. A HELLO from a computer ends it. Portable C, independent of the board.
#ifndef LIMBER_PLAYER_H
#define LIMBER_PLAYER_H

#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

// Delay from the start of the program, so that a computer that has just opened the port, which resets many
// boards, can send its HELLO first.
#define LIMBER_PLAYER_DELAY_US 2000000UL

enum { LIMBER_WAITING, LIMBER_APPROACHING, LIMBER_PLAYING, LIMBER_OVER };

typedef struct {
    limber_table table;
    uint8_t phase;
    uint8_t asked;        // whether the start button is pressed, or there is none
    uint8_t was_asked;    // `asked` in the previous round of pulses
    uint8_t needs_press;  // whether it has played, so that a new press is required
    uint8_t share;        // number of pulses sent for the current row
} limber_player;

// Prepares to play. Nothing is played if the table does not fit the device.
void limber_player_begin(limber_player *player, limber_device *device, const uint8_t *flash);

// Advances by one round of pulses. Call before each round.
void limber_player_advance(limber_player *player, limber_device *device, uint32_t now_us);

#ifdef __cplusplus
}
#endif
#endif
