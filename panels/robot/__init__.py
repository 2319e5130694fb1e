"""Panels of the robot and of remote control."""
