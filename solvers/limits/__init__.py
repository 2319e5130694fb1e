"""Limits of joints, all per second: each is an object that bounds where a step may end. Knows no Blender."""
