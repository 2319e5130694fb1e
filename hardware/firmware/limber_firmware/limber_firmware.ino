// Limber's reference firmware: hobby servos on an Arduino Uno, moved by Limber over USB.
//
// Open this file in the Arduino IDE, choose the board "Arduino Uno" and the port, press Upload. Servos' signal wires go to pins 2 to 12 and A0
// (channels 0 to 10 and 11), their supply to a source of its own, with its ground joined to the Uno's.
// What it understands is in docs/protocol.md. src/ has the portable core and one file of pulses for each board.
// Licence: GPL-3.0-or-later.

#if !defined(__AVR_ATmega328P__)
#error "there are servo pulses for the Arduino Uno and Nano only (src/pulses_uno.c): README.md says what another board needs"
#endif

#include "src/device.h"
#include "src/pulses.h"

static limber_device device;

void setup() {
    limber_pulses_begin();
    limber_begin(&device, &limber_board);
    Serial.begin(115200);
}

void loop() {
    limber_tick(&device, micros());
    while (Serial.available()) {
        limber_receive(&device, Serial.read(), micros());
        limber_pulses_prepare(&device, micros());
    }
    limber_pulses_prepare(&device, micros());

    // An answer goes out only when it fits the serial buffer: waiting for room would keep the pulses waiting.
    static uint8_t answer[LIMBER_MAX_FRAME];
    static uint8_t length = 0;
    if (length == 0) length = limber_next_answer(&device, answer);
    if (length && Serial.availableForWrite() >= length) {
        Serial.write(answer, length);
        length = 0;
    }

    // Every byte, every edge and every millisecond wakes it.
    noInterrupts();
    if (Serial.available()) interrupts();
    else limber_board_sleep();
}
