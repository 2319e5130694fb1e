"""Serial protocols: one codec each, without ports, clocks or threads."""
