"""What calls Limber: Blender's handlers and timers, and the key that stops robots."""
