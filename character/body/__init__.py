"""Motion of a whole body in one frame: it follows the motion of another armature (retargeting), or one that
other programs send, with its feet on the floor.
"""
