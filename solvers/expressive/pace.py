"""How fast answers move from frame to frame. Knows no Blender."""

import math

LARGEST_MOVE = math.radians(8)  # of a joint in a frame: what the eye takes for movement, not for a jump
RAMP = math.radians(2.1)  # a frame a frame: what a joint gains and loses of speed, 7600 deg/s2 at 60 frames a second
RAMP_RATE = 60.0  # [Hz] of the frames that it is for
STRAIGHT_RAMP = LARGEST_MOVE  # likewise of a glide straight through what loses the aim: the fewer frames, the better
HARD_RAMP = LARGEST_MOVE  # likewise where the aim would be lost: seldom, and it lasts a frame or two
ARRIVED = math.radians(5)  # of the farthest joint, on a glide: from here the warm steps alone go on


def saving_ramp(dt: float) -> float:
    """What a joint may gain of speed [rad a frame a frame] to save the aim in frames of `dt` seconds, without being jolted.

    Frames that last longer than those of `RAMP_RATE` leave more: the acceleration is the same.
    """
    return min(LARGEST_MOVE, RAMP * max(1.0, RAMP_RATE * dt) ** 2)
