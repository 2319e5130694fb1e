// The firmware's portable core as a shared library for ctypes: devices that pulse every 20 ms, their bytes in and out.
#include <stdlib.h>

#include "device.h"

typedef struct {
    limber_device device;  // first: a pointer to it is a pointer to the whole
    limber_description description;
} described;

limber_device *shim_make(uint16_t lowest, uint16_t highest) {
    described *d = malloc(sizeof *d);
    d->description = (limber_description){
        .firmware_major = 1, .firmware_minor = 0, .lowest = lowest, .highest = highest, .period_ms = 20, .name = "core",
    };
    limber_begin(&d->device, &d->description);
    return &d->device;
}

void shim_free(limber_device *device) { free(device); }

void shim_receive(limber_device *device, const uint8_t *bytes, uint32_t count, uint32_t now_us) {
    while (count--) limber_receive(device, *bytes++, now_us);
}

void shim_tick(limber_device *device, uint32_t now_us) { limber_tick(device, now_us); }

uint16_t shim_next_pulse(limber_device *device, uint8_t channel, uint32_t now_us) { return limber_next_pulse(device, channel, now_us); }

uint8_t shim_next_answer(limber_device *device, uint8_t *frame) { return limber_next_answer(device, frame); }

int shim_state(const limber_device *device) { return device->state; }
