// Frames of Limber's protocol (docs/protocol.md): found in a stream of bytes, and built. Portable C: knows no board.
#ifndef LIMBER_FRAME_H
#define LIMBER_FRAME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_START 0xA5
#define LIMBER_HEADER 5        // bytes before the payload: start, length, its complement, kind, sequence
#define LIMBER_TRAILER 2       // bytes after it: the CRC
#define LIMBER_MAX_PAYLOAD 64  // longer than any message to or from a device of this core; a longer length is noise
#define LIMBER_MAX_FRAME (LIMBER_HEADER + LIMBER_MAX_PAYLOAD + LIMBER_TRAILER)

// What has come in and is not yet dealt with. All zero is a good beginning.
typedef struct {
    uint8_t bytes[LIMBER_MAX_FRAME];
    uint8_t count;
    uint16_t bad_frames;  // whole frames with a wrong CRC, modulo 65536
} limber_inbox;

// CRC-16/IBM-3740.
uint16_t limber_crc16(const uint8_t *bytes, uint8_t count);

// Takes one byte. Afterwards limber_inbox_frame must be asked until it says 0.
void limber_inbox_push(limber_inbox *inbox, uint8_t byte);

// The length of the whole and undamaged frame that inbox->bytes begins with, or 0. Noise before it is dropped, also noise that looks like the
// head of a longer frame.
uint8_t limber_inbox_frame(limber_inbox *inbox);

// Drops the first bytes: a frame that has been dealt with, or one byte of a frame that will never be completed.
void limber_inbox_drop(limber_inbox *inbox, uint8_t count);

// Completes a frame whose payload lies in frame + LIMBER_HEADER already. Returns the frame's length.
uint8_t limber_frame_seal(uint8_t *frame, uint8_t kind, uint8_t sequence, uint8_t payload_length);

#ifdef __cplusplus
}
#endif
#endif
