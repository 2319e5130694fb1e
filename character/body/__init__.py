"""Motion of a whole body in one frame: it follows another armature's motion (retargeting), with its feet on
the floor.
"""
