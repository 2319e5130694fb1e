// A device with Limber's protocol (docs/protocol.md): its states, commands and answers. Portable C,
// independent of the board. The board passes it received bytes and the time, gets the width of each pulse,
// and sends its answers.
#ifndef LIMBER_DEVICE_H
#define LIMBER_DEVICE_H

#include "channel.h"
#include "frame.h"
#include "../settings.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LIMBER_CHANNELS
#define LIMBER_CHANNELS 12
#endif
#define LIMBER_VERSION 1
#define LIMBER_WATCHDOG_MS 250
#define LIMBER_ANSWERS 16  // largest number of pending answers; beyond that the oldest is lost

enum { LIMBER_DISARMED, LIMBER_ARMED, LIMBER_HOLDING, LIMBER_FAULT };

typedef struct {
    uint8_t firmware_major, firmware_minor;
    uint16_t lowest, highest;  // range of positions that the board can send
    uint8_t period_ms;         // [ms] between pulses
    const char *name;          // at most 24 ASCII characters
} limber_description;

typedef struct {
    uint8_t kind;  // kind of the frame that it answers; 0: a report of a changed state, which answers none
    uint8_t sequence, result, state, reasons;  // at the time of the frame, or of the change
    uint16_t session;
} limber_answer;

typedef struct limber_device limber_device;

struct limber_device {
    const limber_description *description;
    void (*before_pulses)(limber_device *device, uint32_t now_us);  // called before each round of pulses; may be NULL
    limber_channel channels[LIMBER_CHANNELS];
    limber_inbox inbox;
    limber_answer answers[LIMBER_ANSWERS];
    uint8_t first_answer, answer_count;
    uint8_t state, reasons;
    uint8_t unwell;  // whether the hardware has a fault
    uint16_t session;
    uint32_t last_byte_us, last_move_us;
};

// State after a reset: disarmed, no session, no pulse.
void limber_begin(limber_device *device, const limber_description *description);

// Processes a received byte.
void limber_receive(limber_device *device, uint8_t byte, uint32_t now_us);

// Checks the time: watchdog, and frames that were never completed. Call at least every 10 ms.
void limber_tick(limber_device *device, uint32_t now_us);

// Width of a channel's next pulse [eighths of a microsecond], 0 for none. Call once for each pulse, for channel
// 0 first.
uint16_t limber_next_pulse(limber_device *device, uint8_t channel, uint32_t now_us);

// Sets whether the hardware can send pulses; if not, every report says so.
void limber_tell_health(limber_device *device, uint8_t is_well);

// Ends all motion, and disarms: pulses are held or end, as configured.
void limber_rest(limber_device *device);

// Writes the next frame to send into frame (LIMBER_MAX_FRAME bytes) and returns its length, 0 if there is
// none.
uint8_t limber_next_answer(limber_device *device, uint8_t *frame);

#ifdef __cplusplus
}
#endif
#endif
