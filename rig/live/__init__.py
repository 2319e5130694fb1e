"""Live motion: handlers, clock, playback, time budget."""
