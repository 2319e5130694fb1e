// Settings to choose before uploading. Everything else follows from the board selected in the Arduino IDE.
#ifndef LIMBER_SETTINGS_H
#define LIMBER_SETTINGS_H

// To use servos on a PCA9685 board over I2C instead of on the controller's own pins, uncomment this line.
// #define LIMBER_PCA9685

#ifdef LIMBER_PCA9685

#ifndef LIMBER_PCA9685_ADDRESS
#define LIMBER_PCA9685_ADDRESS 0x40  // default address; the board's solder jumpers change it
#endif

// The PCA9685's clock. 25 MHz by its data sheet, but a few per cent off on most boards, which scales all
// pulses and angles by the same factor. README.md explains how to measure it.
#ifndef LIMBER_PCA9685_OSCILLATOR_HZ
#define LIMBER_PCA9685_OSCILLATOR_HZ 25000000UL
#endif

#define LIMBER_CHANNELS 16

#endif

#endif
