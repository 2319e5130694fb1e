"""Inverse kinematics on arrays: skeletons, goals, solvers. Knows no Blender; numpy and the standard library alone."""
