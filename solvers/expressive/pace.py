"""How fast answers move from frame to frame. Knows no Blender."""

import math

LARGEST_MOVE = math.radians(8)  # of a joint in a frame: what the eye takes for movement, not for a jump
RAMP = math.radians(2.1)  # a frame a frame: what a joint gains and loses of speed, 7600 deg/s2 at 60 frames a second
STRAIGHT_RAMP = LARGEST_MOVE  # likewise of a glide straight through what loses the aim: the fewer frames, the better
HARD_RAMP = LARGEST_MOVE  # likewise where the aim would be lost: seldom, and it lasts a frame or two
ARRIVED = math.radians(5)  # of the farthest joint, on a glide: from here the warm steps alone go on
