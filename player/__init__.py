"""The player: plays character files without Blender, as on the robot's own computer."""
