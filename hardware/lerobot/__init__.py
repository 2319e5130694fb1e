"""Calibration files of LeRobot, of whichever version and layout."""
