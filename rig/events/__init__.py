"""Blender's handlers and timers that call Limber, and the shortcut that stops robots."""
