"""Setting up a rig: chains, postures, mirroring, motion styles, imported robots, and the demo lamp."""
