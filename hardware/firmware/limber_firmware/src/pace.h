// Schedule of pulses on boards whose hardware repeats them on its own. Portable C, independent of the board.
#ifndef LIMBER_PACE_H
#define LIMBER_PACE_H

#include <stdint.h>

// Whether a period has passed since `last_us`, which is then advanced by one period; missed periods are
// skipped.
static inline uint8_t limber_is_due(uint32_t *last_us, uint32_t now_us, uint32_t period_us) {
    uint32_t passed = now_us - *last_us;
    if (passed < period_us) return 0;
    *last_us = passed < 2 * period_us ? *last_us + period_us : now_us;
    return 1;
}

#endif
