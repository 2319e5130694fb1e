// The firmware's player on a device without a board, for ctypes: a table in, the pulses of each round out.
#include <stdlib.h>

#include "player.h"

#define PERIOD_US 20000UL

typedef struct {
    limber_device device;  // first: a pointer to it is a pointer to the whole
    limber_player player;
    uint32_t now_us;
} playing;

static const limber_description board = {
    .firmware_major = 1, .firmware_minor = 1, .lowest = 500 * 8, .highest = 2500 * 8, .period_ms = 20, .name = "shim",
};

static void advance(limber_device *device, uint32_t now_us) { limber_player_advance(&((playing *)device)->player, device, now_us); }

playing *shim_play(const uint8_t *table, uint32_t now_us) {
    playing *p = malloc(sizeof *p);
    p->now_us = now_us;
    limber_begin(&p->device, &board);
    limber_player_begin(&p->player, &p->device, table);
    p->player.asked = 1;
    p->device.before_pulses = advance;
    return p;
}

void shim_end(playing *p) { free(p); }

void shim_press(playing *p, int down) { p->player.asked = (uint8_t)down; }

int shim_phase(const playing *p) { return p->player.phase; }

void shim_receive(playing *p, const uint8_t *bytes, uint32_t count) {
    while (count--) limber_receive(&p->device, *bytes++, p->now_us);
}

// One round: the width of each channel's pulse, then the time until the next.
void shim_round(playing *p, uint16_t *widths) {
    limber_tick(&p->device, p->now_us);
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) widths[i] = limber_next_pulse(&p->device, i, p->now_us);
    p->now_us += PERIOD_US;
}
