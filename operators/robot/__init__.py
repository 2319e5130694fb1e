"""Operators of the robot and of remote control."""
