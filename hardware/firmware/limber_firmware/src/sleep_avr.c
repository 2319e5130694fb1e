#if defined(__AVR__)

#include "pulses.h"

#include <avr/interrupt.h>
#include <avr/sleep.h>

void limber_board_sleep(void) {
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_enable();
    sei();  // takes effect after the next instruction, so that no interrupt can come between
    sleep_cpu();
    sleep_disable();
}

#endif
