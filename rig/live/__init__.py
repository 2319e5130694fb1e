"""Live motion of movers in Blender: sessions, stages, playback, the clock and the time budget."""
