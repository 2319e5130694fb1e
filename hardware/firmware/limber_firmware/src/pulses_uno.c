// Servo pulses on an Arduino Uno (ATmega328P, 16 MHz): with Timer1 and without the Servo library.
//
// 20 ms are divided into six slots; in each slot two channels have their pulses, which begin shortly after
// each other. Timer1 runs freely at 16 MHz. Its interrupt is requested LEAD before an edge and then waits for
// the exact tick, so that a simultaneous interrupt of the serial line or of millis() does not shift the edge.
#include "../settings.h"
#if defined(__AVR_ATmega328P__) && !defined(LIMBER_PCA9685)

#include "pulses.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#if F_CPU != 16000000L
#error "the ticks below are those of a 16 MHz Uno"
#endif
#if LIMBER_CHANNELS != 12
#error "six slots of two channels: 12 channels"
#endif

#define SLOTS 6
#define TICKS_PER_US 16
#define TICKS_PER_UNIT 2                  // ticks in an eighth of a microsecond
#define SLOT_TICKS 53333U                 // a sixth of 20 ms
#define LEAD (24 * TICKS_PER_US)          // measured: at most 15 us from the request to the edge, half of it for the end of another interrupt
#define NEAR (LEAD + 6 * TICKS_PER_US)    // an edge this near is waited for at once: there is no time to leave the interrupt and return
#define PAST 60000U                       // an edge that seems this far ahead is in the past
#define GAP (10 * TICKS_PER_US)           // [ticks] between the two rising edges
#define APART (5 * TICKS_PER_US)          // [ticks] between the falling edges, so that neither delays the other

typedef struct {
    uint16_t at;  // [ticks] time of the edge in the slot
    volatile uint8_t *port;
    uint8_t mask, level;
} edge;

typedef struct {
    edge edges[4];
    uint8_t count;
} slot;

// Pins 2 to 12 and A0. Not 13: the bootloader blinks it. Not 0 and 1: the serial line.
static volatile uint8_t *const ports[LIMBER_CHANNELS] = {
    &PORTD, &PORTD, &PORTD, &PORTD, &PORTD, &PORTD, &PORTB, &PORTB, &PORTB, &PORTB, &PORTB, &PORTC,
};
static const uint8_t masks[LIMBER_CHANNELS] = {1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 0};

const limber_description limber_board = {
    .firmware_major = 1, .firmware_minor = 2,
    .lowest = 500 * 8, .highest = 2500 * 8,
    .period_ms = 20,
    .name = "Arduino Uno",
};

static slot plans[SLOTS + 1];
static slot *slots[SLOTS] = {&plans[0], &plans[1], &plans[2], &plans[3], &plans[4], &plans[5]};
static slot *spare = &plans[SLOTS];  // the next slot is prepared here and then swapped in
static volatile uint8_t running;     // the slot of the running interrupt
static uint8_t prepared;             // the slot prepared last
static uint8_t next_edge;            // used by the interrupt only
static uint16_t slot_start;          // used by the interrupt only

static inline uint8_t following(uint8_t index) { return index == SLOTS - 1 ? 0 : index + 1; }

ISR(TIMER1_COMPA_vect) {
    for (;;) {
        const slot *now = slots[running];
        uint8_t ends = next_edge >= now->count;
        uint16_t at = slot_start + (ends ? SLOT_TICKS : now->edges[next_edge].at);
        uint16_t left = at - TCNT1;
        if (left > NEAR && left < PAST) {
            uint16_t request = at - LEAD;
            OCR1A = request ? request : 1;  // an emulator may miss a compare at 0, and the edge is waited for in any case
            return;
        }
        if (ends) {
            slot_start = at;
            next_edge = 0;
            running = following(running);
            continue;
        }
        const edge *e = &now->edges[next_edge++];
        volatile uint8_t *port = e->port;
        uint8_t high = *port | e->mask, low = *port & ~e->mask, level = e->level;
        uint8_t value = level ? high : low;
        while ((int16_t)(TCNT1 - at) < 0) {
        }
        *port = value;
    }
}

void limber_pulses_begin(void) {
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) {
        *ports[i] &= ~masks[i];
        *(ports[i] - 1) |= masks[i];  // the direction register is at the address before the port's
    }
    TCCR1A = 0;
    TCCR1B = 1 << CS10;  // free running, no prescaler
    TCNT1 = 0;
    OCR1A = SLOT_TICKS;
    TIFR1 = 1 << OCF1A;
    TIMSK1 = 1 << OCIE1A;
}

static uint8_t add(slot *s, uint8_t count, uint8_t channel, uint16_t at, uint8_t level) {
    edge *e = &s->edges[count];
    e->at = at;
    e->port = ports[channel];
    e->mask = masks[channel];
    e->level = level;
    return count + 1;
}

// Orders the edges of a slot for two channels with these pulse widths [ticks] (0: none).
static void arrange(slot *s, uint8_t first, uint16_t first_ticks, uint8_t second, uint16_t second_ticks) {
    uint16_t begin = LEAD + NEAR;
    uint16_t first_end = begin + first_ticks;
    uint16_t second_begin = begin + GAP;
    uint16_t second_end = second_begin + second_ticks;
    uint16_t apart = first_end > second_end ? first_end - second_end : second_end - first_end;
    if (apart < APART) {
        second_begin += GAP;
        second_end += GAP;
    }
    uint8_t count = 0;
    if (first_ticks) count = add(s, count, first, begin, 1);
    if (second_ticks) count = add(s, count, second, second_begin, 1);
    if (first_ticks && !(second_ticks && second_end < first_end)) count = add(s, count, first, first_end, 0);
    if (second_ticks) count = add(s, count, second, second_end, 0);
    if (first_ticks && second_ticks && second_end < first_end) count = add(s, count, first, first_end, 0);
    s->count = count;
}

void limber_pulses_prepare(limber_device *device, uint32_t now_us) {
    uint8_t next = following(running);
    if (next == prepared) return;
    prepared = next;
    uint8_t first = next, second = next + SLOTS;
    uint16_t first_ticks = limber_next_pulse(device, first, now_us) * TICKS_PER_UNIT;
    uint16_t second_ticks = limber_next_pulse(device, second, now_us) * TICKS_PER_UNIT;
    arrange(spare, first, first_ticks, second, second_ticks);
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {  // also keeps the compiler from moving memory accesses out of it, or those of arrange() into it
        if (running != next) {           // otherwise it is too late: the slot is running
            slot *old = slots[next];
            slots[next] = spare;
            spare = old;
        }
    }
}

#endif
