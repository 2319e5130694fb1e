// Servo pulses of a board: each board has one file that implements these functions. The serial line is in
// limber_firmware.ino.
#ifndef LIMBER_PULSES_H
#define LIMBER_PULSES_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const limber_description limber_board;

// Makes the board ready to send pulses; it sends none yet.
void limber_pulses_begin(void);

// Prepares the pulses that are due next. Call as often as possible; if a pulse is not prepared in time, the
// last one is repeated.
void limber_pulses_prepare(limber_device *device, uint32_t now_us);

// AVR boards only: sleeps until the next interrupt. Call with interrupts off, so that none is missed;
// afterwards they are on.
void limber_board_sleep(void);

#ifdef __cplusplus
}
#endif
#endif
