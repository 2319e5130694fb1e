// The PCA9685's registers without a bus, for ctypes: what would be written is kept.
#include <string.h>

#include "pca9685.h"

static limber_pca9685 chip;
static uint8_t log_bytes[4096];
static unsigned log_count;
static int broken_from = -1;  // the write from which on nothing is acknowledged; -1: all are
static int writes;

// Each write is kept as its address, its length and its bytes.
static uint8_t keep(uint8_t address, const uint8_t *bytes, uint8_t count) {
    if (broken_from >= 0 && writes++ >= broken_from) return 2;
    log_bytes[log_count++] = address;
    log_bytes[log_count++] = count;
    memcpy(log_bytes + log_count, bytes, count);
    log_count += count;
    return 0;
}

static void wait_us(unsigned int microseconds) { (void)microseconds; }

uint8_t shim_begin(uint8_t address, uint32_t oscillator_hz, int breaks_at) {
    log_count = 0;
    writes = 0;
    broken_from = breaks_at;
    return limber_pca9685_begin(&chip, keep, address, oscillator_hz, 20, wait_us);
}

uint8_t shim_set(uint8_t output, uint16_t width) { return limber_pca9685_set(&chip, output, width); }

uint16_t shim_ticks(uint16_t width) { return limber_pca9685_ticks(&chip, width); }

uint8_t shim_prescale(void) { return chip.prescale; }

unsigned shim_log(uint8_t *out) {
    memcpy(out, log_bytes, log_count);
    unsigned count = log_count;
    log_count = 0;
    return count;
}
