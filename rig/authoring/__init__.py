"""Setting up a rig: chains, postures, mirroring, motion characters, imported robots, and the demo lamp."""
