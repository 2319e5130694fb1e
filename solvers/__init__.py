"""Inverse kinematics on arrays: skeletons, goals, solvers."""
