"""The robot on Blender's side: device, calibration, feedback, puppeteering and remote control."""
