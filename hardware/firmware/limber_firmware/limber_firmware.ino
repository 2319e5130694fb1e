// Limber's reference firmware: hobby servos on an Arduino, moved by Limber over USB, or by a motion that
// Limber has exported.
//
// Open this file in the Arduino IDE, choose the board and the port, press Upload. README.md lists the pins
// for the servos' signal wires; servos need a separate supply, with its ground connected to the board's.
// settings.h chooses a PCA9685 board. To play a motion without a computer, put the exported limber_motion.h
// beside this file. The protocol is described in docs/protocol.md. src/ has the portable core and one file of
// pulses for each board.
// Licence: GPL-3.0-or-later.

#include "settings.h"

#if !defined(LIMBER_PCA9685) && !defined(__AVR_ATmega328P__) && !defined(ARDUINO_ARCH_ESP32) && !defined(ARDUINO_ARCH_RP2040)
#error "there are no servo pulses for this board's own pins: choose LIMBER_PCA9685 in settings.h, or see README.md for what a board needs"
#endif

#include "src/device.h"
#include "src/player.h"
#include "src/pulses.h"

#if __has_include("limber_motion.h")
#include "limber_motion.h"
#define PLAYS
#endif

static limber_device device;

#ifdef PLAYS
static limber_player player;

static void play(limber_device *played, uint32_t now_us) { limber_player_advance(&player, played, now_us); }

static void begin_playing() {
    if (LIMBER_MOTION_START_PIN >= 0) pinMode(LIMBER_MOTION_START_PIN, INPUT_PULLUP);
    limber_player_begin(&player, &device, limber_motion);
    device.before_pulses = play;
}

static void read_button() { player.asked = LIMBER_MOTION_START_PIN < 0 || digitalRead(LIMBER_MOTION_START_PIN) == LOW; }
#endif

void setup() {
    limber_pulses_begin();
    limber_begin(&device, &limber_board);
    Serial.begin(115200);
#ifdef PLAYS
    begin_playing();
#endif
}

void loop() {
#ifdef PLAYS
    read_button();
#endif
    limber_tick(&device, micros());
    while (Serial.available()) {
        limber_receive(&device, Serial.read(), micros());
        limber_pulses_prepare(&device, micros());
    }
    limber_pulses_prepare(&device, micros());

    // An answer is sent only when it fits into the serial buffer: waiting for space would delay the pulses.
    static uint8_t answer[LIMBER_MAX_FRAME];
    static uint8_t length = 0;
    if (length == 0) length = limber_next_answer(&device, answer);
    if (length && Serial.availableForWrite() >= length) {
        Serial.write(answer, length);
        length = 0;
    }

#ifdef __AVR__
    // Every received byte, timer edge and millisecond wakes it.
    noInterrupts();
    if (Serial.available()) interrupts();
    else limber_board_sleep();
#else
    yield();
#endif
}
