// The deterministic host: a script of what happens when, in simulated time, and what came of it. No clock, no pty: every run is the same.
//
// usage: timeline_host FIRMWARE.elf < script
// in:    "<t_us> bytes <hex>", "<t_us> reset", "<t_us> sync", and at last "<t_us> end", in the order of time
// out:   "P <pin> <rise_us> <width_us>" a pulse, "B <t_us> <hex>" a byte sent, "R <t_us>" a reset, "H <pin> <rise_us>" a pin still high at the end,
//        "S <t_us>" for sync: all up to then has been said, and is flushed, so that who talks to the device can go on a step at a time
#include <stdlib.h>
#include <string.h>

#include "uno.h"

static double microseconds(uint64_t cycle) { return (double)cycle / CYCLES_PER_US; }

static void pulse(int pin, uint64_t rise, uint64_t fall) { printf("P %d %.4f %.4f\n", pin, microseconds(rise), microseconds(fall - rise)); }

static void byte(uint8_t value, uint64_t cycle) { printf("B %.4f %02x\n", microseconds(cycle), value); }

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: timeline_host FIRMWARE.elf < script\n");
        return 1;
    }
    emulated_uno *uno = uno_make(argv[1], pulse, byte);
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        double at;
        char verb[8];
        int hex = 0;
        if (sscanf(line, "%lf %7s %n", &at, verb, &hex) < 2) continue;
        while (microseconds(uno_cycle(uno)) < at) uno_step(uno);
        if (!strcmp(verb, "end")) break;
        if (!strcmp(verb, "reset")) {
            printf("R %.4f\n", microseconds(uno_cycle(uno)));
            uno_reset(uno);
        }
        if (!strcmp(verb, "sync")) {
            printf("S %.4f\n", microseconds(uno_cycle(uno)));
            fflush(stdout);
        }
        if (!strcmp(verb, "bytes")) {
            unsigned value;
            for (char *digits = line + hex; sscanf(digits, "%2x", &value) == 1; digits += 2) {
                while (!uno_take(uno, (uint8_t)value)) uno_step(uno);
            }
        }
    }
    for (int pin = 0; pin < PINS; pin++) {
        if (uno_high_since(uno, pin)) printf("H %d %.4f\n", pin, microseconds(uno_high_since(uno, pin)));
    }
    return 0;
}
