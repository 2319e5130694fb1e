"""Robots from URDF files: reading, re-rooting, kinematics in doubles. Knows no Blender; the standard library and `solvers` alone."""
