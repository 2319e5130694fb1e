#include "device.h"

#include <string.h>

enum { HELLO = 0x01, CONFIGURE, ARM, MOVE, DISARM, STOP, POLL, WELCOME = 0x81, WRONG_VERSION, REPORT };
enum { SILENCE = 0x01, STOPPED = 0x02, CLAMPED = 0x04, SLOWED = 0x08, NO_SESSION_YET = 0x10, HARDWARE = 0x20 };
enum {
    ACCEPTED, NO_SESSION, WRONG_SESSION, NOT_ARMED, FAULT_LATCHED, NOT_DISARMED,
    NO_SUCH_CHANNEL, NOT_CONFIGURED, OUT_OF_RANGE, WRONG_LENGTH, UNKNOWN_KIND,
    OTHER_VERSION = 0xFF  // internal; the answer is WRONG_VERSION
};
#define INTERPOLATION 0x02
#define BROKEN_OFF_US 50000UL  // [us] a frame whose next byte takes longer is incomplete

static uint16_t get16(const uint8_t *bytes) { return (uint16_t)((uint16_t)bytes[0] << 8 | bytes[1]); }

static uint8_t *put16(uint8_t *out, uint16_t value) {
    *out++ = (uint8_t)(value >> 8);
    *out++ = (uint8_t)value;
    return out;
}

// --- pending answers

static void add_answer(limber_device *device, uint8_t kind, uint8_t sequence, uint8_t result) {
    if (device->answer_count == LIMBER_ANSWERS) {
        device->first_answer = (device->first_answer + 1) % LIMBER_ANSWERS;
        device->answer_count--;
    }
    limber_answer *answer = &device->answers[(device->first_answer + device->answer_count++) % LIMBER_ANSWERS];
    answer->kind = kind;
    answer->sequence = sequence;
    answer->result = result;
    answer->state = device->state;
    answer->reasons = device->reasons | (device->unwell ? HARDWARE : 0);
    answer->session = device->session;
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) {
        if (device->channels[i].behind) answer->reasons |= SLOWED;
    }
}

// --- states

static void rest(limber_device *device, uint8_t state, uint8_t reasons) {
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) limber_channel_rest(&device->channels[i]);
    device->state = state;
    device->reasons = reasons | (device->session ? 0 : NO_SESSION_YET);
}

void limber_begin(limber_device *device, const limber_description *description) {
    memset(device, 0, sizeof *device);
    device->description = description;
    rest(device, LIMBER_DISARMED, 0);
    add_answer(device, 0, 0, ACCEPTED);
}

// --- one handler for each message; it moves nothing unless it returns ACCEPTED

static uint8_t hello(limber_device *device, const uint8_t *payload, uint8_t length) {
    if (length >= 1 && payload[0] != LIMBER_VERSION) return OTHER_VERSION;
    if (length != 3) return WRONG_LENGTH;
    uint16_t session = get16(payload + 1);
    if (session == 0) return OUT_OF_RANGE;
    device->session = session;
    rest(device, LIMBER_DISARMED, 0);
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) device->channels[i].configured = 0;
    return ACCEPTED;
}

static uint8_t configure(limber_device *device, const uint8_t *payload, uint8_t length) {
    if (length != 8) return WRONG_LENGTH;
    if (device->session == 0) return NO_SESSION;
    if (device->state != LIMBER_DISARMED) return NOT_DISARMED;
    if (payload[0] >= LIMBER_CHANNELS) return NO_SUCH_CHANNEL;
    const limber_description *description = device->description;
    uint16_t lower = get16(payload + 1), upper = get16(payload + 3), speed = get16(payload + 5);
    if (lower < description->lowest || upper > description->highest || lower > upper || speed == 0 || payload[7] > 1) return OUT_OF_RANGE;
    limber_channel_configure(&device->channels[payload[0]], lower, upper, speed, payload[7], description->period_ms);
    return ACCEPTED;
}

static uint8_t arm(limber_device *device, const uint8_t *payload, uint8_t length, uint32_t now_us) {
    if (length != 2) return WRONG_LENGTH;
    if (device->session == 0) return NO_SESSION;
    if (get16(payload) != device->session) return WRONG_SESSION;
    if (device->state == LIMBER_FAULT) return FAULT_LATCHED;
    uint8_t configured = 0;
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) configured |= device->channels[i].configured;
    if (!configured) return NOT_CONFIGURED;
    device->state = LIMBER_ARMED;
    device->reasons = 0;
    device->last_move_us = now_us;
    return ACCEPTED;
}

static uint8_t move(limber_device *device, const uint8_t *payload, uint8_t length, uint32_t now_us) {
    if (length < 2 || length != 2 + 2 * (uint16_t)payload[1]) return WRONG_LENGTH;
    if (device->session == 0) return NO_SESSION;
    if (device->state != LIMBER_ARMED) return NOT_ARMED;
    uint8_t interval_ms = payload[0], count = payload[1];
    const uint8_t *positions = payload + 2;
    uint8_t result = ACCEPTED;
    if (count > LIMBER_CHANNELS) return NO_SUCH_CHANNEL;
    for (uint8_t i = 0; i < count; i++) {  // all are checked before any is executed
        uint16_t position = get16(positions + 2 * i);
        if (position == 0) continue;
        if (!device->channels[i].configured) return NOT_CONFIGURED;
        if (position < device->description->lowest || position > device->description->highest) result = OUT_OF_RANGE;
    }
    if (result != ACCEPTED) return result;
    device->reasons = 0;
    for (uint8_t i = 0; i < count; i++) {
        uint16_t position = get16(positions + 2 * i);
        if (position && limber_channel_move(&device->channels[i], position, interval_ms, now_us)) device->reasons |= CLAMPED;
    }
    device->last_move_us = now_us;
    return ACCEPTED;
}

static uint8_t disarm(limber_device *device, const uint8_t *payload, uint8_t length) {
    if (length != 1) return WRONG_LENGTH;
    rest(device, LIMBER_DISARMED, 0);
    if (payload[0]) {
        for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) limber_channel_end(&device->channels[i]);
    }
    return ACCEPTED;
}

static uint8_t stop(limber_device *device, uint8_t length) {
    if (length != 0) return WRONG_LENGTH;
    rest(device, LIMBER_FAULT, STOPPED);
    return ACCEPTED;
}

static uint8_t obey(limber_device *device, uint8_t kind, const uint8_t *payload, uint8_t length, uint32_t now_us) {
    switch (kind) {
        case HELLO: return hello(device, payload, length);
        case CONFIGURE: return configure(device, payload, length);
        case ARM: return arm(device, payload, length, now_us);
        case MOVE: return move(device, payload, length, now_us);
        case DISARM: return disarm(device, payload, length);
        case STOP: return stop(device, length);
        case POLL: return length == 0 ? ACCEPTED : WRONG_LENGTH;
        default: return UNKNOWN_KIND;
    }
}

// --- called by the board

static void obey_inbox(limber_device *device, uint32_t now_us) {
    uint8_t length;
    while ((length = limber_inbox_frame(&device->inbox)) != 0) {
        const uint8_t *frame = device->inbox.bytes;
        uint8_t result = obey(device, frame[3], frame + LIMBER_HEADER, frame[1], now_us);
        add_answer(device, frame[3], frame[4], result);
        limber_inbox_drop(&device->inbox, length);
    }
}

void limber_receive(limber_device *device, uint8_t byte, uint32_t now_us) {
    device->last_byte_us = now_us;
    limber_inbox_push(&device->inbox, byte);
    obey_inbox(device, now_us);
}

void limber_tick(limber_device *device, uint32_t now_us) {
    while (device->inbox.count && now_us - device->last_byte_us > BROKEN_OFF_US) {
        limber_inbox_drop(&device->inbox, 1);
        obey_inbox(device, now_us);
    }
    if (device->state == LIMBER_ARMED && now_us - device->last_move_us > LIMBER_WATCHDOG_MS * 1000UL) {
        rest(device, LIMBER_HOLDING, SILENCE);
        add_answer(device, 0, 0, ACCEPTED);
    }
}

void limber_tell_health(limber_device *device, uint8_t is_well) { device->unwell = !is_well; }

void limber_rest(limber_device *device) { rest(device, LIMBER_DISARMED, 0); }

uint16_t limber_next_pulse(limber_device *device, uint8_t index, uint32_t now_us) {
    if (index == 0 && device->before_pulses) device->before_pulses(device, now_us);
    limber_channel *channel = &device->channels[index];
    if (device->state == LIMBER_ARMED) limber_channel_advance(channel, now_us);
    return limber_channel_send(channel);
}

static uint8_t welcome(const limber_device *device, uint8_t *frame, const limber_answer *answer) {
    const limber_description *description = device->description;
    uint8_t name_length = (uint8_t)strlen(description->name);
    uint8_t *out = frame + LIMBER_HEADER;
    *out++ = LIMBER_VERSION;
    *out++ = description->firmware_major;
    *out++ = description->firmware_minor;
    *out++ = LIMBER_CHANNELS;
    *out++ = INTERPOLATION;
    out = put16(out, description->lowest);
    out = put16(out, description->highest);
    out = put16(out, (uint16_t)(description->period_ms * 1000U));
    out = put16(out, LIMBER_WATCHDOG_MS);
    out = put16(out, answer->session);
    memcpy(out, description->name, name_length);
    return limber_frame_seal(frame, WELCOME, answer->sequence, (uint8_t)(out - frame) - LIMBER_HEADER + name_length);
}

static uint8_t wrong_version(const limber_device *device, uint8_t *frame, uint8_t sequence) {
    uint8_t *out = frame + LIMBER_HEADER;
    *out++ = LIMBER_VERSION;
    *out++ = device->description->firmware_major;
    *out++ = device->description->firmware_minor;
    return limber_frame_seal(frame, WRONG_VERSION, sequence, 3);
}

static uint8_t report(const limber_device *device, uint8_t *frame, const limber_answer *answer) {
    uint8_t *out = frame + LIMBER_HEADER;
    *out++ = answer->kind;
    *out++ = answer->result;
    *out++ = answer->state;
    *out++ = answer->reasons;
    out = put16(out, answer->session);
    out = put16(out, device->inbox.bad_frames);
    *out++ = LIMBER_CHANNELS;
    for (uint8_t i = 0; i < LIMBER_CHANNELS; i++) out = put16(out, limber_channel_pulse(&device->channels[i]));
    return limber_frame_seal(frame, REPORT, answer->sequence, (uint8_t)(out - frame) - LIMBER_HEADER);
}

uint8_t limber_next_answer(limber_device *device, uint8_t *frame) {
    if (device->answer_count == 0) return 0;
    const limber_answer *answer = &device->answers[device->first_answer];
    device->first_answer = (device->first_answer + 1) % LIMBER_ANSWERS;
    device->answer_count--;
    if (answer->result == OTHER_VERSION) return wrong_version(device, frame, answer->sequence);
    if (answer->kind == HELLO && answer->result == ACCEPTED) return welcome(device, frame, answer);
    return report(device, frame, answer);
}
