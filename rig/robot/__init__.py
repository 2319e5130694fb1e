"""The robot in Blender: its device, calibration, feedback, puppeteering, and remote control."""
