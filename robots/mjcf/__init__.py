"""Readers of MJCF, the robot files of MuJoCo. Knows no Blender."""
