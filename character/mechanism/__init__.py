"""The mover of a mechanism with closed loops."""
