// What a board can do for the device: servo pulses. One file for each board implements it; limber_firmware.ino has the serial line.
#ifndef LIMBER_PULSES_H
#define LIMBER_PULSES_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const limber_description limber_board;

// Makes the pins outputs, low, and starts the clockwork. No pulse yet.
void limber_pulses_begin(void);

// Prepares the pulses that are due next. To be called as often as can be; a pulse that was not prepared in time repeats the last one.
void limber_pulses_prepare(limber_device *device, uint32_t now_us);

// Of AVR boards: sleeps until the next interrupt. To be called with interrupts off, so that none is missed; they are on afterwards.
void limber_board_sleep(void);

#ifdef __cplusplus
}
#endif
#endif
