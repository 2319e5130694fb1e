"""Setting up a rig: chains, postures, mirroring, characters, imported robots and the demo scene."""
