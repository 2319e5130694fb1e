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
    inbox->bytes[inbox->count++] = byte;  // has room: limber_inbox_frame never leaves a full inbox behind
}

uint8_t limber_inbox_frame(limber_inbox *inbox) {
    while (inbox->count) {
        const uint8_t *bytes = inbox->bytes;
        if (bytes[0] == LIMBER_START) {
            if (inbox->count < 3) return 0;
            if (bytes[1] <= LIMBER_MAX_PAYLOAD && bytes[1] + bytes[2] == 0xFF) {
                uint8_t length = LIMBER_HEADER + bytes[1] + LIMBER_TRAILER;
                if (inbox->count < length) return 0;
                if (limber_crc16(bytes + 1, length - 1) == 0) return length;
                inbox->bad_frames++;
            }
        }
        // no frame begins here: go on from the next start, however near, so that a good frame behind is not lost
        uint8_t skip = 1;
        while (skip < inbox->count && bytes[skip] != LIMBER_START) skip++;
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
