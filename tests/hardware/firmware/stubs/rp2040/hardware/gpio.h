enum gpio_function { GPIO_FUNC_PWM = 4 };
extern "C" void gpio_set_function(unsigned int pin, enum gpio_function function);
