#include "uno.h"

#include <stdlib.h>
#include <string.h>

#include <avr_extint.h>
#include <avr_ioport.h>
#include <avr_uart.h>
#include <sim_avr.h>
#include <sim_elf.h>

struct emulated_uno {
    avr_t *avr;
    avr_irq_t *line_in;
    uint64_t line_free;  // cycle at which the next byte may begin
    uint64_t rise[PINS];
    pulse_hook on_pulse;
    byte_hook on_byte;
};

static emulated_uno uno;  // one a process

static void pin_changed(avr_irq_t *irq, uint32_t level, void *param) {
    (void)irq;
    int pin = (int)(intptr_t)param;
    uint64_t now = uno.avr->cycle;
    if (level && !uno.rise[pin]) {
        uno.rise[pin] = now;
    } else if (!level && uno.rise[pin]) {
        uno.on_pulse(pin, uno.rise[pin], now);
        uno.rise[pin] = 0;
    }
}

static void byte_sent(avr_irq_t *irq, uint32_t byte, void *param) {
    (void)irq;
    (void)param;
    uno.on_byte((uint8_t)byte, uno.avr->cycle);
}

// Sleeping takes no time here: the hosts keep the time.
static void sleep_no_time(avr_t *avr, avr_cycle_count_t cycles) {
    (void)avr;
    (void)cycles;
}

// simavr looks at a low INT pin at every cycle, also when nobody asked for its interrupt, so that sleeping takes as long as running: not after
// this, until the next reset.
static void sleep_fast(void) {
    for (uint8_t interrupt = 0; interrupt < 2; interrupt++) avr_extint_set_strict_lvl_trig(uno.avr, interrupt, 0);
}

emulated_uno *uno_make(const char *elf, pulse_hook on_pulse, byte_hook on_byte) {
    elf_firmware_t firmware;
    memset(&firmware, 0, sizeof firmware);
    if (elf_read_firmware(elf, &firmware)) {
        fprintf(stderr, "cannot read %s\n", elf);
        exit(1);
    }
    uno.on_pulse = on_pulse;
    uno.on_byte = on_byte;
    uno.avr = avr_make_mcu_by_name("atmega328p");
    avr_init(uno.avr);
    avr_load_firmware(uno.avr, &firmware);
    uno.avr->frequency = CYCLES_PER_US * 1000000;
    uno.avr->log = LOG_ERROR;
    uno.avr->sleep = sleep_no_time;

    sleep_fast();

    uint32_t flags = 0;
    avr_ioctl(uno.avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(uno.avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    uno.line_in = avr_io_getirq(uno.avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(uno.avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), byte_sent, NULL);

    for (int pin = 0; pin < PINS; pin++) {
        char port = pin < 8 ? 'D' : pin < 14 ? 'B' : 'C';
        int bit = pin < 8 ? pin : pin < 14 ? pin - 8 : pin - 14;
        avr_irq_register_notify(avr_io_getirq(uno.avr, AVR_IOCTL_IOPORT_GETIRQ(port), bit), pin_changed, (void *)(intptr_t)pin);
    }
    return &uno;
}

uint64_t uno_cycle(const emulated_uno *u) { return u->avr->cycle; }

void uno_step(emulated_uno *u) {
    int state = avr_run(u->avr);
    if (state == cpu_Done || state == cpu_Crashed) {
        fprintf(stderr, "the program crashed at cycle %llu\n", (unsigned long long)u->avr->cycle);
        exit(3);
    }
}

int uno_take(emulated_uno *u, uint8_t byte) {
    if (u->avr->cycle < u->line_free) return 0;
    u->line_free = u->avr->cycle + BYTE_CYCLES;
    avr_raise_irq(u->line_in, byte);
    return 1;
}

void uno_reset(emulated_uno *u) {
    memset(u->rise, 0, sizeof u->rise);
    avr_reset(u->avr);
    sleep_fast();
}

uint64_t uno_high_since(const emulated_uno *u, int pin) { return u->rise[pin]; }
