"""Blender's side of the robot: devices, calibration, feedback, puppeteering and remote control."""
