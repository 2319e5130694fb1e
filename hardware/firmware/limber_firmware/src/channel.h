// The pulse of one servo: its range, its speed limit, and the line that it follows to its goal. Portable C,
// independent of the board. A position is a pulse width in eighths of a microsecond; 0 is no pulse.
#ifndef LIMBER_CHANNEL_H
#define LIMBER_CHANNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint16_t lower, upper;
    uint32_t step;       // largest change from one pulse to the next [1/256 position]
    uint32_t width;      // [1/256 position] width of the current pulse; 0: none
    uint32_t ended;      // [1/256 position] width of the last pulse before the end; 0 once one has been left out
    uint16_t from, goal; // the line that it follows; goal 0: the pulse stays the same
    uint32_t start_us;   // [us] when the line began
    uint16_t interval;   // duration of the line [16 us]
    uint8_t detach;      // without commands: 1 the pulse ends, 0 it is held
    uint8_t configured;
    uint8_t behind;      // whether the speed limit reduced the last step
} limber_channel;

// Sets the range, the speed limit [us/s] and the behaviour without commands, for pulses period_ms apart.
void limber_channel_configure(limber_channel *channel, uint16_t lower, uint16_t upper, uint16_t speed, uint8_t detach, uint8_t period_ms);

// Sets the goal to reach in interval_ms. Returns 1 if it was clamped to the range. Without a pulse it starts
// at the goal, unless the pulse was ended so recently that none has been left out yet: then the servo still
// has torque, and the pulse continues from there.
uint8_t limber_channel_move(limber_channel *channel, uint16_t position, uint8_t interval_ms, uint32_t now_us);

// Advances the pulse toward the goal. Call once for each pulse while the device is armed.
void limber_channel_advance(limber_channel *channel, uint32_t now_us);

// The next pulse [position], 0 for none. Call once for each pulse.
uint16_t limber_channel_send(limber_channel *channel);

// Ends the pulse, so that the servo has no torque.
void limber_channel_end(limber_channel *channel);

// Ends the motion: the pulse is held or ends, as configured.
void limber_channel_rest(limber_channel *channel);

static inline uint16_t limber_channel_pulse(const limber_channel *channel) { return (uint16_t)(channel->width >> 8); }

#ifdef __cplusplus
}
#endif
#endif
