"""Mechanisms read from joints between objects or bones."""
