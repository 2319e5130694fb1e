// The real-time host: an Uno on a pty that any serial program can open, with faults on command.
//
// usage: live_host FIRMWARE.elf LINK [reset-on-open] [boot MILLISECONDS]      LINK becomes a symbolic link to the pty
// in:    reset | freeze | thaw | unplug | plug | noise <hex> | mute | speak | stats | quit
//          freeze  the processor stops, and what is sent to it is lost        mute   nothing that it says arrives, until "speak"
//          unplug  the port vanishes and the processor loses its power; "plug" brings both back
//          noise   bytes for the processor that nobody sent
// out:   "READY" when the port is there; "P <pin> <rise_us> <width_us>" a pulse in simulated time;
//        "DONE <command> <t_us> <bytes in> <bytes out> <slipped_us>" when a command was carried out; slipped: simulated time behind the wall's
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "uno.h"

#define SLICE_US 250        // simulated at a time, between looks at the pty and the commands
#define MAX_BEHIND_US 50000 // a machine this busy: give simulated time up rather than race after it
#define TURN_US 1000        // how often the witness asks for a turn of the processor
#define A_TURN_US 2500      // simulated time that each of its turns allows
#define MAX_AHEAD_US 10000  // of what its turns allow: more is not saved up

static emulated_uno *uno;
static int port = -1;
static const char *link_path;
static uint8_t out[4096];
static size_t out_count;
static unsigned long bytes_in, bytes_out;

static double wall_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static double simulated_us(void) { return (double)uno_cycle(uno) / CYCLES_PER_US; }

static void pulse(int pin, uint64_t rise, uint64_t fall) {
    printf("P %d %.4f %.4f\n", pin, (double)rise / CYCLES_PER_US, (double)(fall - rise) / CYCLES_PER_US);
}

static void byte(uint8_t value, uint64_t cycle) {
    (void)cycle;
    if (out_count < sizeof out) out[out_count++] = value;
}

// A host that other programs leave no time is silent, and the kernel hands its bytes over late: a board that kept the wall's time, at the
// priority it has, would take that for a host that has failed. So the board's time passes only as far as a witness, which sleeps and wakes as
// the host does and at the same priority, has its turns.
static _Atomic uint64_t turns;

static void *witness(void *unused) {
    setpriority(PRIO_PROCESS, (id_t)gettid(), 0);
    for (;;) {
        usleep(TURN_US);
        turns++;
    }
    return unused;
}

static void plug(void) {
    int slave;
    char name[64];
    struct termios raw;
    if (openpty(&port, &slave, name, NULL, NULL)) {
        perror("openpty");
        exit(1);
    }
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    close(slave);  // so that the pty tells when somebody opens it
    fcntl(port, F_SETFL, O_NONBLOCK);
    unlink(link_path);
    if (symlink(name, link_path)) {
        perror(link_path);
        exit(1);
    }
}

static void unplug(void) {
    unlink(link_path);
    close(port);
    port = -1;
}

static int opened(void) {
    struct pollfd p = {port, POLLIN, 0};
    return port >= 0 && poll(&p, 1, 0) >= 0 && !(p.revents & POLLHUP);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: live_host FIRMWARE.elf LINK [reset-on-open] [boot MILLISECONDS]\n");
        return 1;
    }
    int reset_on_open = 0;
    double boot_us = 0;  // how long the bootloader keeps the program from running
    link_path = argv[2];
    for (int i = 3; i < argc; i++) {
        if (!strcmp(argv[i], "reset-on-open")) reset_on_open = 1;
        if (!strcmp(argv[i], "boot") && i + 1 < argc) boot_us = atof(argv[++i]) * 1e3;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    uno = uno_make(argv[1], pulse, byte);
    plug();
    fcntl(0, F_SETFL, O_NONBLOCK);
    printf("READY\n");

    uint8_t in[65536], noise[4096];
    size_t in_count = 0, in_next = 0, noise_count = 0, noise_next = 0;
    int frozen = 0, mute = 0, was_open = 0, command_length = 0;
    double origin = wall_us() - simulated_us(), slipped = 0, booted = 0, allowed = 0;
    uint64_t turns_before = 0;
    char command[8192];
    pthread_t thread;
    if (pthread_create(&thread, NULL, witness, NULL)) {
        perror("pthread_create");
        return 1;
    }

    for (;;) {
        int open = opened();
        int running = !frozen && port >= 0 && wall_us() >= booted;
        if (open && !was_open && reset_on_open) {
            uno_reset(uno);
            booted = wall_us() + boot_us;
            in_count = in_next = 0;
        }
        was_open = open;
        if (open && in_next == in_count) {
            ssize_t count = read(port, in, 4096);
            in_next = 0;
            in_count = count > 0 ? (size_t)count : 0;
        }
        uint64_t turns_now = turns;
        allowed += (double)(turns_now - turns_before) * A_TURN_US;
        turns_before = turns_now;
        if (allowed > simulated_us() + MAX_AHEAD_US) allowed = simulated_us() + MAX_AHEAD_US;
        if (running && simulated_us() >= allowed) {
            usleep(SLICE_US);
        } else if (running) {
            double until = simulated_us() + SLICE_US;
            while (simulated_us() < until) {
                if (noise_next < noise_count) {
                    if (uno_take(uno, noise[noise_next])) noise_next++;
                } else if (in_next < in_count && uno_take(uno, in[in_next])) {
                    in_next++;
                    bytes_in++;
                }
                uno_step(uno);
            }
            double ahead = simulated_us() + origin - wall_us();
            if (ahead > 0) usleep((useconds_t)ahead);
            if (ahead < -MAX_BEHIND_US) {
                origin -= ahead;
                slipped -= ahead;
            }
        } else {
            in_count = in_next = 0;
            usleep(SLICE_US);
            origin = wall_us() - simulated_us();
        }
        if (out_count) {
            if (open && !mute) {
                ssize_t count = write(port, out, out_count);
                if (count > 0) bytes_out += (unsigned long)count;
            }
            out_count = 0;
        }

        ssize_t count = read(0, command + command_length, sizeof command - 1 - (size_t)command_length);
        if (count == 0) break;
        if (count < 0) continue;
        command_length += (int)count;
        command[command_length] = 0;
        char *line_end;
        while ((line_end = strchr(command, '\n'))) {
            *line_end = 0;
            if (!strcmp(command, "quit")) {
                unlink(link_path);
                return 0;
            }
            if (!strcmp(command, "reset")) {
                uno_reset(uno);
                booted = wall_us() + boot_us;
            }
            if (!strcmp(command, "freeze")) frozen = 1;
            if (!strcmp(command, "thaw")) frozen = 0;
            if (!strcmp(command, "mute")) mute = 1;
            if (!strcmp(command, "speak")) mute = 0;
            if (!strcmp(command, "unplug") && port >= 0) unplug();
            if (!strcmp(command, "plug") && port < 0) {
                uno_reset(uno);
                booted = wall_us() + boot_us;
                plug();
                was_open = 0;
            }
            if (!strncmp(command, "noise ", 6)) {
                noise_count = noise_next = 0;
                unsigned value;
                for (char *digits = command + 6; sscanf(digits, "%2x", &value) == 1; digits += 2) noise[noise_count++] = (uint8_t)value;
            }
            char *space = strchr(command, ' ');
            if (space) *space = 0;
            printf("DONE %s %.1f %lu %lu %.0f\n", command, simulated_us(), bytes_in, bytes_out, slipped);
            command_length -= (int)(line_end + 1 - command);
            memmove(command, line_end + 1, (size_t)command_length + 1);
        }
    }
    unlink(link_path);
    return 0;
}
