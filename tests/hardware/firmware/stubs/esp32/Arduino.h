// Stands for the ESP32's Arduino core: what the firmware calls of it, with what it is called.
#ifndef ARDUINO_STUB_H
#define ARDUINO_STUB_H

#include <stdint.h>

#ifndef ESP_ARDUINO_VERSION_MAJOR
#define ESP_ARDUINO_VERSION_MAJOR 3
#endif

#if ESP_ARDUINO_VERSION_MAJOR >= 3
bool ledcAttach(uint8_t pin, uint32_t frequency, uint8_t bits);
bool ledcWrite(uint8_t pin, uint32_t duty);
#else
double ledcSetup(uint8_t channel, double frequency, uint8_t bits);
void ledcAttachPin(uint8_t pin, uint8_t channel);
void ledcWrite(uint8_t channel, uint32_t duty);
#endif

#endif
