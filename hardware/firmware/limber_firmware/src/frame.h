// Frames of Limber's protocol (docs/protocol.md): parsing from a stream of bytes, and building. Portable C,
// independent of the board.
#ifndef LIMBER_FRAME_H
#define LIMBER_FRAME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_START 0xA5
#define LIMBER_HEADER 5        // bytes before the payload: start, length, its complement, kind, sequence
#define LIMBER_TRAILER 2       // bytes after the payload: the CRC
#define LIMBER_MAX_PAYLOAD 64  // longer than any message to or from this device; a longer length is noise
#define LIMBER_MAX_FRAME (LIMBER_HEADER + LIMBER_MAX_PAYLOAD + LIMBER_TRAILER)

// Received bytes that are not processed yet. All zeros is a valid initial state.
typedef struct {
    uint8_t bytes[LIMBER_MAX_FRAME];
    uint8_t count;
    uint16_t bad_frames;  // complete frames with a wrong CRC, modulo 65536
} limber_inbox;

// CRC-16/IBM-3740.
uint16_t limber_crc16(const uint8_t *bytes, uint8_t count);

// Adds one byte. Afterwards call limber_inbox_frame until it returns 0.
void limber_inbox_push(limber_inbox *inbox, uint8_t byte);

// Length of the complete, undamaged frame at the beginning of inbox->bytes, or 0. Noise before it is dropped,
// including noise that looks like the header of a longer frame.
uint8_t limber_inbox_frame(limber_inbox *inbox);

// Drops the first bytes: a processed frame, or one byte of a frame that will never be completed.
void limber_inbox_drop(limber_inbox *inbox, uint8_t count);

// Completes a frame whose payload is already in frame + LIMBER_HEADER. Returns the frame's length.
uint8_t limber_frame_seal(uint8_t *frame, uint8_t kind, uint8_t sequence, uint8_t payload_length);

#ifdef __cplusplus
}
#endif
#endif
