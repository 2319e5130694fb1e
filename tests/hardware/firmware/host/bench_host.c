// As the emulator's timeline host, for an Uno with more than servos on it: a chip on its I2C lines, a button on a pin.
//
// usage: bench_host FIRMWARE.elf < script
// in:    "<t_us> bytes <hex>", "<t_us> pin <number and level>", "<t_us> chip <1: there, 0: not, 2: there, having lost its supply>", and at last "<t_us> end", in the order of time
// out:   "P <pin> <rise_us> <width_us>" a pulse, "B <t_us> <hex>" a byte sent, "I <t_us> <address> <hex>" a write to the chip
#include <stdlib.h>
#include <string.h>

#include <avr_twi.h>

#include "../../emulator/uno.c"

#define MOST_BYTES 64

#define ASLEEP 0x11  // what the chip's first register is when its supply comes

static uint8_t written[MOST_BYTES], registers[256], reg;
static int count, address, is_there = 1;
static avr_irq_t *chip_in;

static double microseconds(uint64_t cycle) { return (double)cycle / CYCLES_PER_US; }

static void pulse(int pin, uint64_t rise, uint64_t fall) {
    if (pin < 15) printf("P %d %.4f %.4f\n", pin, microseconds(rise), microseconds(fall - rise));
}

static void byte(uint8_t value, uint64_t cycle) { printf("B %.4f %02x\n", microseconds(cycle), value); }

static void acknowledge(void) { avr_raise_irq(chip_in, avr_twi_irq_msg(TWI_COND_ACK, (uint8_t)address, 1)); }

static void bus(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    (void)param;
    avr_twi_msg_irq_t message = {.u.v = value};
    uint8_t what = message.u.twi.msg;
    if (what & TWI_COND_STOP) {
        if (count) printf("I %.4f %02x ", microseconds(uno.avr->cycle), address >> 1);
        for (int i = 0; i < count; i++) printf("%02x%s", written[i], i + 1 < count ? "" : "\n");
        count = 0;
    }
    if (!is_there) return;
    if (what & TWI_COND_START) {
        address = message.u.twi.addr;
        count = 0;
        acknowledge();
    }
    if (what & TWI_COND_WRITE && count < MOST_BYTES) {
        uint8_t value = message.u.twi.data;
        if (count) registers[reg++] = value;
        else reg = value;
        written[count++] = value;
        acknowledge();
    }
    if (what & TWI_COND_READ) avr_raise_irq(chip_in, avr_twi_irq_msg(TWI_COND_READ, (uint8_t)address, registers[reg++]));
}

int main(int argc, char **argv) {
    if (argc != 2) return 1;
    emulated_uno *u = uno_make(argv[1], pulse, byte);
    avr_irq_register_notify(avr_io_getirq(u->avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_OUTPUT), bus, NULL);
    chip_in = avr_io_getirq(u->avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_INPUT);
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        double at;
        char verb[8];
        int rest = 0;
        if (sscanf(line, "%lf %7s %n", &at, verb, &rest) < 2) continue;
        while (microseconds(uno_cycle(u)) < at) uno_step(u);
        if (!strcmp(verb, "end")) break;
        if (!strcmp(verb, "chip")) {
            is_there = atoi(line + rest) > 0;
            if (atoi(line + rest) == 2) registers[0] = ASLEEP;
        }
        if (!strcmp(verb, "pin")) {
            int pin, level;
            if (sscanf(line + rest, "%d %d", &pin, &level) != 2) return 1;
            avr_raise_irq(avr_io_getirq(u->avr, AVR_IOCTL_IOPORT_GETIRQ(pin < 8 ? 'D' : pin < 14 ? 'B' : 'C'), pin < 8 ? pin : pin < 14 ? pin - 8 : pin - 14),
                          (uint32_t)level);
        }
        if (!strcmp(verb, "bytes")) {
            unsigned value;
            for (char *digits = line + rest; sscanf(digits, "%2x", &value) == 1; digits += 2) {
                while (!uno_take(u, (uint8_t)value)) uno_step(u);
            }
        }
    }
    return 0;
}
