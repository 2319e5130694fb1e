"""The robot as Blender's side sees it: device, calibration, feedback, puppeteering and remote control."""
