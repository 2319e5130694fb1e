// Servo pulses of a PCA9685 board, on any controller that has Arduino's Wire: SDA and SCL, 3.3 or 5 V, and
// ground.
//
// The chip sends its pulses on its own, even if the controller hangs: then every servo holds its position. A
// tick is a 4096th of 20 ms: 4.9 us.
#include "../settings.h"
#ifdef LIMBER_PCA9685

#include <Arduino.h>
#include <Wire.h>

#include "pace.h"
#include "pca9685.h"
#include "pulses.h"

#define BUS_HZ 400000UL
#define BUS_TIMEOUT_US 3000  // [us] a write takes 0.2 ms
#define CHECK_EVERY 25       // [periods] half a second

const limber_description limber_board = {
    /* firmware */ 1, 2,
    /* lowest, highest */ 500 * 8, 2500 * 8,
    /* period_ms */ 20,
    /* name */ "PCA9685",
};

static limber_pca9685 chip;
static uint8_t is_unwell, unchecked;
static uint32_t last_us;

static uint8_t write_i2c(uint8_t address, const uint8_t *bytes, uint8_t count) {
    Wire.beginTransmission(address);
    Wire.write(bytes, count);
    return Wire.endTransmission();
}

static uint8_t read_i2c(uint8_t address, uint8_t reg, uint8_t *value) {
    if (write_i2c(address, &reg, 1) || Wire.requestFrom(address, (uint8_t)1) != 1) return 1;
    *value = (uint8_t)Wire.read();
    return 0;
}

static void wait_us(unsigned int microseconds) { delayMicroseconds(microseconds); }

static uint8_t begin_chip() {
    return limber_pca9685_begin(&chip, write_i2c, LIMBER_PCA9685_ADDRESS, LIMBER_PCA9685_OSCILLATOR_HZ, limber_board.period_ms, wait_us);
}

void limber_pulses_begin(void) {
    Wire.begin();
    Wire.setClock(BUS_HZ);
#ifdef WIRE_HAS_TIMEOUT
    Wire.setWireTimeout(BUS_TIMEOUT_US, true);
#endif
    is_unwell = begin_chip();
}

void limber_pulses_prepare(limber_device *device, uint32_t now_us) {
    if (!limber_is_due(&last_us, now_us, limber_board.period_ms * 1000UL)) return;
    if (is_unwell) is_unwell = begin_chip();  // it may have been connected since; its pulses start again
    uint8_t trouble = is_unwell;
    if (!trouble && ++unchecked >= CHECK_EVERY) {
        unchecked = 0;
        trouble = limber_pca9685_check(&chip, read_i2c);
    }
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) {
        uint16_t width = limber_next_pulse(device, i, now_us);
        if (!trouble) trouble = limber_pca9685_set(&chip, i, width);
    }
    is_unwell = trouble;
    limber_tell_health(device, trouble == 0);
}

#endif
