"""A chain's life at the moment that a scene shows."""

from math import isfinite

import numpy as np
from mathutils import Matrix

from ...character.life import Life, offsets
from .goal import WORLD_UP


def life(now, session, posture: np.ndarray, world_in_base: Matrix, scene) -> np.ndarray | None:
    """What life adds to the posture (n,) [rad]; None where there is none, and the last tick's own where it is the same.

    Args:
        now: The life's settings at this moment.
        session: What is known of the chain.
        posture: (n,) [rad, slides m] without it.
        world_in_base: The world in the chain's base frame.
        scene: Whose frame it is, fractions and all.
    """
    if not (now.amount > 0.0 and isfinite(now.amount)):
        return None
    kind = Life(now.amount * now.breathing, now.amount * now.sway, now.amount * now.glances, now.seed)
    up = tuple((world_in_base.to_3x3() @ WORLD_UP).normalized())
    seconds = scene.frame_current_final * scene.render.fps_base / scene.render.fps
    added = offsets(kind, session.model.skeleton, posture, up, seconds)
    before = session.state.life if session.state else None
    return before if before is not None and np.array_equal(before, added) else added
