"""Bodies that follow a motion: their links, pairs, sources and feet, read from the scene or from a stream."""
