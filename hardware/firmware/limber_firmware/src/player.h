// Plays a motion from flash, without a computer: every pulse comes from the table, within the channels' ranges and speeds.
// A computer that greets the device ends it. Portable C: knows no board.
#ifndef LIMBER_PLAYER_H
#define LIMBER_PLAYER_H

#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

// From the start of the program: a computer that has just opened the port, which restarts many boards, has greeted the device by then.
#define LIMBER_PLAYER_DELAY_US 2000000UL

enum { LIMBER_WAITING, LIMBER_APPROACHING, LIMBER_PLAYING, LIMBER_OVER };

typedef struct {
    limber_table table;
    uint8_t phase;
    uint8_t asked;        // what the board says: the start button is down, or there is none
    uint8_t was_asked;    // in the round before
    uint8_t needs_press;  // it has played: it must be asked anew
    uint8_t share;        // pulses of the row that is on its way
} limber_player;

// Gets ready to play. Where the table does not fit the device nothing is played.
void limber_player_begin(limber_player *player, limber_device *device, const uint8_t *flash);

// Goes on by one round of pulses. To be called before each.
void limber_player_advance(limber_player *player, limber_device *device, uint32_t now_us);

#ifdef __cplusplus
}
#endif
#endif
