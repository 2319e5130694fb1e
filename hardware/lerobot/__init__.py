"""Calibration files of LeRobot, of any version and layout."""
