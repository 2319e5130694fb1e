"""The lamp that a new user starts with, in one click: its scene and what it is made of."""
