"""Rotations and frames, once for all solvers. Knows no Blender."""
