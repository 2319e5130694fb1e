#include "channel.h"

void limber_channel_configure(limber_channel *channel, uint16_t lower, uint16_t upper, uint16_t speed, uint8_t detach, uint8_t period_ms) {
    channel->lower = lower;
    channel->upper = upper;
    channel->step = (uint32_t)speed * 2048 / 1000 * period_ms;  // 8 * 256 / 1000 per millisecond, rounded down so that it is never too fast
    channel->detach = detach;
    channel->configured = 1;
}

uint8_t limber_channel_move(limber_channel *channel, uint16_t position, uint8_t interval_ms, uint32_t now_us) {
    uint16_t goal = position;
    if (goal < channel->lower) goal = channel->lower;
    if (goal > channel->upper) goal = channel->upper;
    if (channel->width == 0) channel->width = channel->ended ? channel->ended : (uint32_t)goal << 8;
    channel->from = limber_channel_pulse(channel);
    channel->goal = goal;
    channel->start_us = now_us;
    channel->interval = (uint16_t)((uint32_t)interval_ms * 1000 / 16);
    return goal != position;
}

// Current position on the line. Times are in units of 16 us, so that the product fits 32 bits.
static uint16_t on_line(limber_channel *channel, uint32_t now_us) {
    uint32_t elapsed = (now_us - channel->start_us) >> 4;
    if (elapsed >= channel->interval) {
        channel->interval = 0;  // the goal stays reached, even if the clock wraps around
        return channel->goal;
    }
    int32_t distance = (int32_t)channel->goal - channel->from;
    return (uint16_t)(channel->from + distance * (int32_t)elapsed / (int32_t)channel->interval);
}

void limber_channel_advance(limber_channel *channel, uint32_t now_us) {
    if (channel->goal == 0) return;
    uint32_t desired = (uint32_t)on_line(channel, now_us) << 8;
    uint32_t distance = desired > channel->width ? desired - channel->width : channel->width - desired;
    channel->behind = distance > channel->step;
    if (!channel->behind) channel->width = desired;
    else if (desired > channel->width) channel->width += channel->step;
    else channel->width -= channel->step;
}

uint16_t limber_channel_send(limber_channel *channel) {
    channel->ended = 0;
    return limber_channel_pulse(channel);
}

void limber_channel_end(limber_channel *channel) {
    if (channel->width) channel->ended = channel->width;
    channel->width = 0;
}

void limber_channel_rest(limber_channel *channel) {
    channel->goal = 0;
    channel->behind = 0;
    if (channel->detach) limber_channel_end(channel);
}
