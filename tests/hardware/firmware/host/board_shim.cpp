// A board's pulses with stand-ins of what they call, for ctypes: what each pin was last given, and a device that can be moved.
#include <Arduino.h>

#if defined(ARDUINO_ARCH_RP2040)
#include <hardware/clocks.h>
#include <hardware/gpio.h>
#include <hardware/pwm.h>
#endif

#include "pulses.h"

extern "C" {

static uint32_t duty_of_pin[64], bits_of_pin[64], rate_of_pin[64];
static uint32_t divider_of_slice[8], wrap_of_slice[8], enabled_slices;
static limber_device device;
static uint32_t now_us;
uint32_t clock_hz = 125000000;

#if defined(ARDUINO_ARCH_ESP32)
}
#if ESP_ARDUINO_VERSION_MAJOR >= 3
bool ledcAttach(uint8_t pin, uint32_t frequency, uint8_t bits) {
    rate_of_pin[pin] = frequency;
    bits_of_pin[pin] = bits;
    return true;
}
bool ledcWrite(uint8_t pin, uint32_t duty) {
    duty_of_pin[pin] = duty;
    return true;
}
#else
static uint32_t rate_of_channel[64], bits_of_channel[64];
static uint8_t pin_of_channel[64];
double ledcSetup(uint8_t channel, double frequency, uint8_t bits) {
    rate_of_channel[channel] = (uint32_t)frequency;
    bits_of_channel[channel] = bits;
    return frequency;
}
void ledcAttachPin(uint8_t pin, uint8_t channel) {
    pin_of_channel[channel] = pin;
    rate_of_pin[pin] = rate_of_channel[channel];
    bits_of_pin[pin] = bits_of_channel[channel];
}
void ledcWrite(uint8_t channel, uint32_t duty) { duty_of_pin[pin_of_channel[channel]] = duty; }
#endif
extern "C" {
#else
uint32_t clock_get_hz(enum clock_index) { return clock_hz; }
void gpio_set_function(unsigned int, enum gpio_function) {}
void pwm_set_clkdiv_int_frac(unsigned int slice, uint8_t whole, uint8_t sixteenths) { divider_of_slice[slice] = 16u * whole + sixteenths; }
void pwm_set_wrap(unsigned int slice, uint16_t wrap) { wrap_of_slice[slice] = wrap; }
void pwm_set_gpio_level(unsigned int pin, uint16_t level) { duty_of_pin[pin] = level; }
void pwm_set_enabled(unsigned int slice, bool enabled) { enabled_slices |= (uint32_t)enabled << slice; }
#endif

void shim_begin(uint32_t hz) {
    clock_hz = hz;
    now_us = 0;
    limber_pulses_begin();
    limber_begin(&device, &limber_board);
}

void shim_receive(const uint8_t *bytes, uint32_t count) {
    while (count--) limber_receive(&device, *bytes++, now_us);
}

// A period later: the pulses are prepared as often as a board's loop does.
void shim_period() {
    for (int i = 0; i < 20; i++) {
        now_us += 1000;
        limber_pulses_prepare(&device, now_us);
    }
}

uint32_t shim_duty(int pin) { return duty_of_pin[pin]; }
uint32_t shim_bits(int pin) { return bits_of_pin[pin]; }
uint32_t shim_rate(int pin) { return rate_of_pin[pin]; }
uint32_t shim_divider(int slice) { return divider_of_slice[slice]; }
uint32_t shim_wrap(int slice) { return wrap_of_slice[slice]; }
uint32_t shim_enabled() { return enabled_slices; }
}
