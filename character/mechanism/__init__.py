"""Motion of a mechanism with closed loops in one frame: from goals of its bodies and motors to filtered motor
values and poses of its bodies.
"""
