// Servo pulses on a Raspberry Pi Pico (RP2040): its PWM, on pins GP2 to GP13. UNTESTED on a board: the tests
// compile it against stand-ins for the SDK's functions and check the values passed to them.
//
// The hardware repeats each pulse and takes a new width at the beginning of the next period. A tick is 0.4
// us.
#include "../settings.h"
#if defined(ARDUINO_ARCH_RP2040) && !defined(LIMBER_PCA9685)

#include <Arduino.h>
#include <hardware/clocks.h>
#include <hardware/gpio.h>
#include <hardware/pwm.h>

#include "pace.h"
#include "pulses.h"

#if LIMBER_CHANNELS != 12
#error "twelve pins: 12 channels"
#endif

#define FIRST_PIN 2           // up to 13: each pin has half of a PWM slice. 0 and 1 are a serial line
#define TICK_HZ 2500000UL     // 0.4 us: 50 times the clock's period at 125 MHz, and 20 ms are 50,000 ticks, which fit 16 bits
#define PERIOD_TICKS 50000UL
#define FRACTIONS 16          // steps of the divider

const limber_description limber_board = {
    /* firmware */ 1, 2,
    /* lowest, highest */ 500 * 8, 2500 * 8,
    /* period_ms */ 20,
    /* name */ "RP2040",
};

static uint32_t last_us;

void limber_pulses_begin(void) {
    uint32_t divider = (clock_get_hz(clk_sys) / (TICK_HZ / FRACTIONS / 2) + 1) / 2;  // rounded to a sixteenth
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) {
        unsigned int pin = FIRST_PIN + i, slice = pwm_gpio_to_slice_num(pin);
        pwm_set_clkdiv_int_frac(slice, (uint8_t)(divider / FRACTIONS), (uint8_t)(divider % FRACTIONS));
        pwm_set_wrap(slice, PERIOD_TICKS - 1);
        pwm_set_gpio_level(pin, 0);
        gpio_set_function(pin, GPIO_FUNC_PWM);
        pwm_set_enabled(slice, true);
    }
}

void limber_pulses_prepare(limber_device *device, uint32_t now_us) {
    if (!limber_is_due(&last_us, now_us, limber_board.period_ms * 1000UL)) return;
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) {
        uint32_t width = limber_next_pulse(device, i, now_us);
        pwm_set_gpio_level(FIRST_PIN + i, (uint16_t)((width * 5 + 8) / 16));  // 0.4 us are 16/5 eighths
    }
}

#endif
