#include "player.h"

// Speed of the approach to the first row from another pulse: 0.4 rad/s for a servo with 180 degrees in 2 ms
// of pulse, as on the computer (APPROACH_SPEED in worker/drive.py).
#define APPROACH_US_PER_S 255UL

static uint8_t is_on_board(const limber_table *table, const limber_description *description) {
    for (uint8_t i = 0; i < table->count; i++) {
        const limber_track *track = &table->tracks[i];
        if (track->lower < description->lowest || track->upper > description->highest || track->lower > track->upper) return 0;
    }
    return 1;
}

void limber_player_begin(limber_player *player, limber_device *device, const uint8_t *flash) {
    uint8_t fits = limber_table_open(&player->table, flash) && is_on_board(&player->table, device->description);
    player->phase = fits ? LIMBER_WAITING : LIMBER_OVER;
    player->asked = player->was_asked = player->needs_press = 0;
}

static void start(limber_player *player, limber_device *device) {
    for (uint8_t i = 0; i < player->table.count; i++) {
        const limber_track *track = &player->table.tracks[i];
        limber_channel *channel = &device->channels[track->servo];
        limber_channel_configure(channel, track->lower, track->upper, track->speed, track->detach, device->description->period_ms);
    }
    limber_table_rewind(&player->table);
    player->share = player->table.pulses_per_row;
    player->phase = LIMBER_APPROACHING;
    device->state = LIMBER_ARMED;
    device->reasons = 0;
}

// Moves slowly to the first row; a channel without a pulse starts there. Returns whether all have arrived.
static uint8_t approach(limber_player *player, limber_device *device, uint32_t now_us) {
    uint16_t step = (uint16_t)(APPROACH_US_PER_S * 8 * device->description->period_ms / 1000);
    uint8_t has_arrived = 1;
    for (uint8_t i = 0; i < player->table.count; i++) {
        const limber_track *track = &player->table.tracks[i];
        limber_channel *channel = &device->channels[track->servo];
        uint16_t position = limber_channel_pulse(channel), goal = track->start;
        if (position && position + step < goal) goal = position + step;
        else if (position > goal + step) goal = position - step;
        has_arrived &= goal == track->start;
        limber_channel_move(channel, goal, 0, now_us);
    }
    return has_arrived;
}

// Moves to the next row, or along the straight line to it.
static uint8_t play(limber_player *player, limber_device *device, uint32_t now_us) {
    limber_table *table = &player->table;
    if (player->share == table->pulses_per_row) {
        if (!limber_table_next(table)) {
            if (!table->loops) return 0;
            limber_table_rewind(table);
            limber_table_next(table);
        }
        player->share = 0;
    }
    player->share++;
    for (uint8_t i = 0; i < table->count; i++) {
        const limber_track *track = &table->tracks[i];
        int32_t distance = (int32_t)track->last - track->before;
        uint16_t position = (uint16_t)(track->before + distance * player->share / table->pulses_per_row);
        limber_channel_move(&device->channels[track->servo], position, 0, now_us);
    }
    return 1;
}

void limber_player_advance(limber_player *player, limber_device *device, uint32_t now_us) {
    uint8_t moves = player->phase == LIMBER_APPROACHING || player->phase == LIMBER_PLAYING;
    if (device->session || device->state == LIMBER_FAULT || (moves && device->state != LIMBER_ARMED)) player->phase = LIMBER_OVER;
    uint8_t pressed = player->asked && !player->was_asked;
    player->was_asked = player->asked;
    switch (player->phase) {
        case LIMBER_WAITING:
            if (now_us < LIMBER_PLAYER_DELAY_US && !player->needs_press) return;
            if (player->needs_press ? !pressed : !player->asked) return;
            start(player, device);
            // fall through
        case LIMBER_APPROACHING:
            device->last_move_us = now_us;
            if (approach(player, device, now_us)) player->phase = LIMBER_PLAYING;
            return;
        case LIMBER_PLAYING:
            device->last_move_us = now_us;
            if (play(player, device, now_us)) return;
            limber_rest(device);
            player->needs_press = 1;
            player->phase = LIMBER_WAITING;
            return;
        default:
            return;
    }
}
