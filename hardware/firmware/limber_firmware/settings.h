// What you may set before you flash. Everything else follows from the board that is chosen in the Arduino IDE.
#ifndef LIMBER_SETTINGS_H
#define LIMBER_SETTINGS_H

// Servos on a PCA9685 board over I2C instead of on the controller's own pins: take the slashes away.
// #define LIMBER_PCA9685

#ifdef LIMBER_PCA9685

#ifndef LIMBER_PCA9685_ADDRESS
#define LIMBER_PCA9685_ADDRESS 0x40  // as the board comes; its solder jumpers change it
#endif

// The PCA9685's clock. 25 MHz by its data sheet, but off by some per cent on most: all pulses are wrong by the same share, and so are the
// angles. README.md says how to find out what yours has.
#ifndef LIMBER_PCA9685_OSCILLATOR_HZ
#define LIMBER_PCA9685_OSCILLATOR_HZ 25000000UL
#endif

#define LIMBER_CHANNELS 16

#endif

#endif
