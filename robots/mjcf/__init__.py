"""Readers of MJCF, the robot files of MuJoCo."""
