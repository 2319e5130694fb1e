"""Blender as the host of the engine: converts the scene to the engine's inputs, and shows and sends its
outputs.
"""
