"""Blender as the host of the engine: reads the scene into its inputs, shows and sends its outputs."""
