#include "frame.h"

#include <string.h>

uint16_t limber_crc16(const uint8_t *bytes, uint8_t count) {
    uint16_t crc = 0xFFFF;
    while (count--) {
        // eight steps of the polynomial 0x1021 at once
        uint8_t x = (uint8_t)(crc >> 8) ^ *bytes++;
        x ^= x >> 4;
        crc = (uint16_t)(crc << 8) ^ ((uint16_t)x << 12) ^ ((uint16_t)x << 5) ^ x;
    }
    return crc;
}

void limber_inbox_drop(limber_inbox *inbox, uint8_t count) {
    inbox->count -= count;
    memmove(inbox->bytes, inbox->bytes + count, inbox->count);
}

void limber_inbox_push(limber_inbox *inbox, uint8_t byte) {
    if (inbox->count == 0 && byte != LIMBER_START) return;
    inbox->bytes[inbox->count++] = byte;  // there is room, since limber_inbox_frame never leaves the inbox full
}

// Length of the frame whose header is at `at`, or 0 if the header is incomplete.
static uint8_t length_at(const limber_inbox *inbox, uint8_t at) {
    const uint8_t *bytes = inbox->bytes + at;
    if (inbox->count - at < 3 || bytes[0] != LIMBER_START) return 0;
    if (bytes[1] > LIMBER_MAX_PAYLOAD || bytes[1] + bytes[2] != 0xFF) return 0;
    return LIMBER_HEADER + bytes[1] + LIMBER_TRAILER;
}

static uint8_t is_undamaged(const limber_inbox *inbox, uint8_t at, uint8_t length) {
    return limber_crc16(inbox->bytes + at + 1, length - 1) == 0;
}

// Start of an undamaged frame that ends with the newest byte while an earlier frame is still incomplete, or
// 0. The earlier header was noise: no message from a host can contain a frame that this device executes
// (docs/protocol.md), and a STOP must not wait for the rest of it.
static uint8_t frame_inside(const limber_inbox *inbox) {
    const uint8_t *bytes = inbox->bytes, *end = bytes + inbox->count;
    for (const uint8_t *start = bytes + 1; start < end && (start = memchr(start, LIMBER_START, end - start)); start++) {
        uint8_t at = (uint8_t)(start - bytes), length = length_at(inbox, at);
        if (length && at + length == inbox->count && is_undamaged(inbox, at, length)) return at;
    }
    return 0;
}

uint8_t limber_inbox_frame(limber_inbox *inbox) {
    while (inbox->count) {
        if (inbox->bytes[0] == LIMBER_START) {
            uint8_t length = length_at(inbox, 0);
            if (inbox->count < 3 || inbox->count < length) {
                uint8_t at = frame_inside(inbox);
                if (at == 0) return 0;
                limber_inbox_drop(inbox, at);
                return inbox->count;
            }
            if (length && is_undamaged(inbox, 0, length)) return length;
            if (length) inbox->bad_frames++;
        }
        // no frame begins here: continue at the next start byte, so that a good frame after it is not lost
        uint8_t skip = 1;
        while (skip < inbox->count && inbox->bytes[skip] != LIMBER_START) skip++;
        limber_inbox_drop(inbox, skip);
    }
    return 0;
}

uint8_t limber_frame_seal(uint8_t *frame, uint8_t kind, uint8_t sequence, uint8_t payload_length) {
    frame[0] = LIMBER_START;
    frame[1] = payload_length;
    frame[2] = payload_length ^ 0xFF;
    frame[3] = kind;
    frame[4] = sequence;
    uint8_t body = LIMBER_HEADER - 1 + payload_length;
    uint16_t crc = limber_crc16(frame + 1, body);
    frame[1 + body] = (uint8_t)(crc >> 8);
    frame[2 + body] = (uint8_t)crc;
    return LIMBER_HEADER + payload_length + LIMBER_TRAILER;
}
