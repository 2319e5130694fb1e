// Stands for an RP2040's Arduino core, of which the pulses need nothing.
#include <stdint.h>
