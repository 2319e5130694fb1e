// A PCA9685: sixteen pulse outputs over I2C, with its registers and the length of its ticks. Portable C: the
// bus is a function.
#ifndef LIMBER_PCA9685_CHIP_H
#define LIMBER_PCA9685_CHIP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_PCA9685_OUTPUTS 16

// Writes bytes (a register, and values for it and the following registers) to the chip at an address. Returns
// 0 if the chip has acknowledged.
typedef uint8_t (*limber_i2c_write)(uint8_t address, const uint8_t *bytes, uint8_t count);

// Reads one register. Returns 0 if the chip has acknowledged.
typedef uint8_t (*limber_i2c_read)(uint8_t address, uint8_t reg, uint8_t *value);

typedef struct {
    limber_i2c_write write;
    uint8_t address;
    uint8_t prescale;
    uint32_t ticks_per_unit;                // [1/2^20 tick per eighth of a microsecond]
    uint16_t sent[LIMBER_PCA9685_OUTPUTS];  // [ticks] last sent width; 0: none
} limber_pca9685;

// Ends all pulses, sets their rate and wakes the chip, whose clock runs at oscillator_hz. wait_us waits for a
// number of microseconds. Returns 0 if the chip has acknowledged everything.
uint8_t limber_pca9685_begin(limber_pca9685 *chip, limber_i2c_write write, uint8_t address, uint32_t oscillator_hz, uint8_t period_ms,
                             void (*wait_us)(unsigned int microseconds));

// Number of ticks nearest to a width [eighths of a microsecond].
uint16_t limber_pca9685_ticks(const limber_pca9685 *chip, uint16_t width);

// Sends an output's width [eighths of a microsecond, 0: no pulse] if it has changed. Returns 0 on success.
uint8_t limber_pca9685_set(limber_pca9685 *chip, uint8_t output, uint16_t width);

// Checks whether the chip is still configured: after a short loss of its supply it is in sleep mode. Returns
// 0 if it is.
uint8_t limber_pca9685_check(const limber_pca9685 *chip, limber_i2c_read read);

#ifdef __cplusplus
}
#endif
#endif
