"""Servos on a bus, each with an id and a table of registers: what Feetech's and Dynamixel's protocols have in common. Knows no Blender."""
