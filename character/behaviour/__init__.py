"""Behaviour: what a character does by itself, as data, and the engine that decides. Knows no Blender."""
