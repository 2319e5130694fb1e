// Servo pulses on an ESP32 (the first one, not S2, S3 or C3): LEDC, on twelve pins. UNTESTED on a board: the
// tests compile it against stand-ins for the Arduino core's functions and check the values passed to them.
//
// The hardware repeats each pulse and takes a new width at the beginning of the next period. A tick is 20 ms
// / 2^14: 1.2 us.
#include "../settings.h"
#if defined(ARDUINO_ARCH_ESP32) && !defined(LIMBER_PCA9685)

#include <Arduino.h>

#include "pace.h"
#include "pulses.h"

#if !defined(CONFIG_IDF_TARGET_ESP32)
#error "the pins below are those of the first ESP32: choose LIMBER_PCA9685 in settings.h, or other pins here"
#endif
#if LIMBER_CHANNELS != 12
#error "twelve pins: 12 channels"
#endif

#define RATE_HZ 50
#define BITS 14          // the largest resolution of every ESP32 at 50 Hz
#define PERIOD_UNITS (20000UL * 8)

// Not the strapping pins (0, 2, 5, 12, 15), the serial line (1, 3), flash (6 to 11), PSRAM (16, 17), or
// input-only pins (34 to 39).
static const uint8_t pins[LIMBER_CHANNELS] = {4, 13, 14, 18, 19, 21, 22, 23, 25, 26, 27, 32};

const limber_description limber_board = {
    /* firmware */ 1, 2,
    /* lowest, highest */ 500 * 8, 2500 * 8,
    /* period_ms */ 20,
    /* name */ "ESP32",
};

static uint32_t last_us;

static void write_duty(uint8_t channel, uint32_t duty) {
#if ESP_ARDUINO_VERSION_MAJOR >= 3
    ledcWrite(pins[channel], duty);
#else
    ledcWrite(channel, duty);
#endif
}

void limber_pulses_begin(void) {
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) {
#if ESP_ARDUINO_VERSION_MAJOR >= 3
        ledcAttach(pins[i], RATE_HZ, BITS);
#else
        ledcSetup(i, RATE_HZ, BITS);
        ledcAttachPin(pins[i], i);
#endif
        write_duty(i, 0);
    }
}

void limber_pulses_prepare(limber_device *device, uint32_t now_us) {
    if (!limber_is_due(&last_us, now_us, limber_board.period_ms * 1000UL)) return;
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) {
        uint32_t width = limber_next_pulse(device, i, now_us);
        write_duty(i, ((width << BITS) + PERIOD_UNITS / 2) / PERIOD_UNITS);
    }
}

#endif
