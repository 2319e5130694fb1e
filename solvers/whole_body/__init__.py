"""A whole body that follows links' orientations and places, step by step: dynamical inverse kinematics on SO(3). Knows no Blender."""
