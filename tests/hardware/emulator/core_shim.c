// The firmware's portable core as a shared library for ctypes: devices of this description, their bytes in and out.
#include <stdlib.h>

#include "device.h"

static const limber_description description = {
    .firmware_major = 1, .firmware_minor = 0, .lowest = 500 * 8, .highest = 2500 * 8, .period_ms = 20, .name = "core",
};

limber_device *shim_make(void) {
    limber_device *device = malloc(sizeof *device);
    limber_begin(device, &description);
    return device;
}

void shim_free(limber_device *device) { free(device); }

void shim_receive(limber_device *device, const uint8_t *bytes, uint32_t count, uint32_t now_us) {
    while (count--) limber_receive(device, *bytes++, now_us);
}

void shim_tick(limber_device *device, uint32_t now_us) { limber_tick(device, now_us); }

uint16_t shim_next_pulse(limber_device *device, uint8_t channel, uint32_t now_us) { return limber_next_pulse(device, channel, now_us); }

uint8_t shim_next_answer(limber_device *device, uint8_t *frame) { return limber_next_answer(device, frame); }

int shim_state(const limber_device *device) { return device->state; }
