#include <stdint.h>
static inline unsigned int pwm_gpio_to_slice_num(unsigned int pin) { return (pin >> 1) & 7; }
extern "C" void pwm_set_clkdiv_int_frac(unsigned int slice, uint8_t whole, uint8_t sixteenths);
extern "C" void pwm_set_wrap(unsigned int slice, uint16_t wrap);
extern "C" void pwm_set_gpio_level(unsigned int pin, uint16_t level);
extern "C" void pwm_set_enabled(unsigned int slice, bool enabled);
