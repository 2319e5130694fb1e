// An Arduino Uno in simavr, for the two hosts beside this file: bytes in, bytes and servo pulses out, with the clock in cycles.
#ifndef EMULATED_UNO_H
#define EMULATED_UNO_H

#include <stdint.h>
#include <stdio.h>

#define CYCLES_PER_US 16
#define PINS 20  // 0 to 13, then A0 to A5

// simavr looks for the next byte only after the program has read the one before: at the line's true 1389 cycles for a byte it falls behind
// until it loses some, 9% slower it does not.
#define BYTE_CYCLES 1520

typedef struct emulated_uno emulated_uno;

typedef void (*pulse_hook)(int pin, uint64_t rise_cycle, uint64_t fall_cycle);
typedef void (*byte_hook)(uint8_t byte, uint64_t cycle);

// Ends the program with a message when the ELF file cannot be read.
emulated_uno *uno_make(const char *elf, pulse_hook on_pulse, byte_hook on_byte);

uint64_t uno_cycle(const emulated_uno *uno);

// Runs one instruction, or sleeps to the next event.
void uno_step(emulated_uno *uno);

// Puts a byte on the line if the line is free; says whether it did.
int uno_take(emulated_uno *uno, uint8_t byte);

// As the reset button does; the pulses that it cuts off are forgotten.
void uno_reset(emulated_uno *uno);

// The cycle at which the pin went up, 0 when it is low.
uint64_t uno_high_since(const emulated_uno *uno, int pin);

#endif
