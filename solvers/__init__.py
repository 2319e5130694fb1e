"""Inverse kinematics on arrays: skeletons, goals and solvers, without Blender."""
