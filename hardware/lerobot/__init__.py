"""Calibration files of LeRobot since June 2025, also in the layouts of other programs."""
