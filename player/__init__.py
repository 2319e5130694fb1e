"""The robot's own computer as a host of the engine: plays character files."""
