// One servo's pulse: its range, its speed, the line it follows to where it must be. Portable C: knows no board.
// A position is a pulse's width in eighths of a microsecond; 0 is none.
#ifndef LIMBER_CHANNEL_H
#define LIMBER_CHANNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint16_t lower, upper;
    uint32_t step;       // the farthest that the pulse may change from one to the next [1/256 position]
    uint32_t width;      // [1/256 position] of the pulse that is being sent; 0: none
    uint32_t ended;      // [1/256 position] of the pulse that was ended since the last one was sent; 0: a pulse has been left out since
    uint16_t from, goal; // the line that it follows; goal 0: it stays as it is
    uint32_t start_us;   // when the line began
    uint16_t interval;   // how long it takes [16 us]
    uint8_t detach;      // on silence: 1 the pulse ends, 0 it is held
    uint8_t configured;
    uint8_t behind;      // the speed limit held the last pulse back
} limber_channel;

// Sets the range, the speed [us/s] and the pulse on silence, for pulses period_ms apart.
void limber_channel_configure(limber_channel *channel, uint16_t lower, uint16_t upper, uint16_t speed, uint8_t detach, uint8_t period_ms);

// Sets where to be interval_ms from now. Returns 1 if that had to be clamped to the range. Without a pulse it starts at the goal, unless the
// pulse was ended so recently that none has been left out yet: the servo still has force, and it goes on from there.
uint8_t limber_channel_move(limber_channel *channel, uint16_t position, uint8_t interval_ms, uint32_t now_us);

// Goes on to the next pulse, toward the goal. To be called once for each pulse while the device is armed.
void limber_channel_advance(limber_channel *channel, uint32_t now_us);

// The next pulse [position], 0 for none. To be called once for each pulse.
uint16_t limber_channel_send(limber_channel *channel);

// Ends the pulse: the servo goes limp.
void limber_channel_end(limber_channel *channel);

// Ends the motion: the pulse is held or ends, as configured.
void limber_channel_rest(limber_channel *channel);

static inline uint16_t limber_channel_pulse(const limber_channel *channel) { return (uint16_t)(channel->width >> 8); }

#ifdef __cplusplus
}
#endif
#endif
