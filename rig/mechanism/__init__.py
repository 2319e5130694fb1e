"""Mechanisms in the scene: read from joints between objects or bones, moved by the tick, shown, baked."""
