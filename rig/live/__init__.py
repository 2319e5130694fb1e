"""Live motion: Blender's handlers, the clock, playback, the time budget."""
