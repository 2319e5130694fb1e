// Data that stay in flash memory instead of the small RAM, on processors with separate address spaces.
#ifndef LIMBER_FLASH_H
#define LIMBER_FLASH_H

#include <stdint.h>

#ifdef __AVR__
#include <avr/pgmspace.h>
#define LIMBER_FLASH PROGMEM
static inline uint8_t limber_flash_byte(const uint8_t *place) { return pgm_read_byte(place); }
#else
#define LIMBER_FLASH
static inline uint8_t limber_flash_byte(const uint8_t *place) { return *place; }
#endif

#endif
