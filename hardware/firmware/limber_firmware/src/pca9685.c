#include "pca9685.h"

// PCA9685, NXP's data sheet, 7.3
enum { MODE1 = 0x00, MODE2 = 0x01, LED0_ON_L = 0x06, ALL_LED_OFF_H = 0xFD, PRE_SCALE = 0xFE };
enum { SLEEP = 0x10, AUTO_INCREMENT = 0x20, TOTEM_POLE = 0x04, FULL_OFF = 0x10 };
#define STEPS 4096UL       // ticks in a period
#define APART 256          // ticks between the beginnings of two outputs' pulses, so that the servos do not all draw current at once
#define WAKING_US 500      // [us] until the oscillator runs
#define SLOWEST 255        // largest value of the prescaler
#define FASTEST 3
#define UNSENT 0xFFFF      // stands for no sent width: more ticks than a period has
#define FRACTION_BITS 20   // of ticks_per_unit: 2500 us in ticks of 5 ns still fit 32 bits

uint8_t limber_pca9685_begin(limber_pca9685 *chip, limber_i2c_write write, uint8_t address, uint32_t oscillator_hz, uint8_t period_ms,
                             void (*wait_us)(unsigned int microseconds)) {
    chip->write = write;
    chip->address = address;
    uint32_t clocks = oscillator_hz / 1000 * period_ms;
    uint32_t divider = (clocks + STEPS / 2) / STEPS;
    if (divider < FASTEST + 1) divider = FASTEST + 1;
    if (divider > SLOWEST + 1) divider = SLOWEST + 1;
    chip->prescale = (uint8_t)(divider - 1);
    chip->ticks_per_unit = (uint32_t)((((uint64_t)oscillator_hz << FRACTION_BITS) / divider + 4000000) / 8000000);
    for (uint8_t i = 0; i < LIMBER_PCA9685_OUTPUTS; i++) chip->sent[i] = UNSENT;
    // Pulses are switched off first: after a reset of the controller alone the chip still sends the old ones.
    // The rate can be set only in sleep mode.
    const uint8_t settings[][2] = {
        {ALL_LED_OFF_H, FULL_OFF}, {MODE1, SLEEP | AUTO_INCREMENT}, {PRE_SCALE, chip->prescale}, {MODE2, TOTEM_POLE}, {MODE1, AUTO_INCREMENT},
    };
    for (uint8_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (write(address, settings[i], sizeof settings[i])) return 1;
    }
    wait_us(WAKING_US);
    return 0;
}

uint8_t limber_pca9685_check(const limber_pca9685 *chip, limber_i2c_read read) {
    uint8_t mode;
    return read(chip->address, MODE1, &mode) || (mode & (SLEEP | AUTO_INCREMENT)) != AUTO_INCREMENT;
}

uint16_t limber_pca9685_ticks(const limber_pca9685 *chip, uint16_t width) {
    return (uint16_t)((width * chip->ticks_per_unit + (1UL << (FRACTION_BITS - 1))) >> FRACTION_BITS);
}

uint8_t limber_pca9685_set(limber_pca9685 *chip, uint8_t output, uint16_t width) {
    uint16_t ticks = limber_pca9685_ticks(chip, width);
    if (ticks == chip->sent[output]) return 0;
    uint16_t on = output * APART, off = (on + ticks) & (STEPS - 1);
    uint8_t bytes[5] = {
        (uint8_t)(LED0_ON_L + 4 * output), (uint8_t)on, (uint8_t)(on >> 8), (uint8_t)off, ticks ? (uint8_t)(off >> 8) : FULL_OFF,
    };
    uint8_t trouble = chip->write(chip->address, bytes, sizeof bytes);
    chip->sent[output] = trouble ? UNSENT : ticks;
    return trouble;
}
