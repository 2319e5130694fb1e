"""Sessions of movers in a Blender scene: their state from frame to frame, and what is read from it.

A mover has one session for each stage (`Stage.session`): live, a render, a bake. Sessions are not saved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from time import perf_counter
from typing import NamedTuple

import bpy
import numpy as np

from ...character.stage import Session
from ...motion import Kinematic
from ..blender.errors import RigError
from ..reading import postures
from ..reading.axes import JointKey
from ..reading.channels import Channel


class JointLimits(NamedTuple):
    """Limits of a joint that the motion filter keeps: position [rad or m], and velocity, acceleration and jerk (per s, s2, s3)."""

    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float


@dataclass
class SceneSession(Session):
    """Session of a mover in a Blender scene. For an armature's mover, poses map bone names to the solved basis: (rotation wxyz,
    location, scale).
    """

    seconds: float = 0.0  # duration of the last tick
    step: float = 0.0  # [s] between the last two frames
    next_step: float = 0.0  # [s] expected until the next frame: the shorter of the last two steps, since a single long one is a stall
    stored: dict[int, np.ndarray] = field(default_factory=dict)  # values (n,) of stored postures, by their actions' session_uid

    def tick(self, mover, inputs, dt: float) -> tuple:
        if dt > 0.0:
            self.next_step = min(dt, self.step or dt)
            self.step = dt
        begun = perf_counter()
        made = super().tick(mover, inputs, dt)
        self.seconds = perf_counter() - begun
        return made

    @property
    def unmet(self) -> str:
        """Reason why the goals are not met in this frame, as a sentence; "" if they are met."""
        return self.problem or self.remark

    @property
    def warning(self) -> str:
        """Warning about the motion as a whole, such as a goal that the solver changed; "" for none."""
        return ""

    def prepare(self, mover, as_authored) -> None:
        """Reads what the mover needs before its first tick on a stage other than live's, while the scene shows the authored pose.

        Raises:
            RigError: the mover cannot be read.
        """

    def mark_postures_dirty(self) -> None:
        """Makes the next tick read stored postures again, since one may have changed."""
        self.stored = {}

    def in_posture(self, mover, joint_keys: Sequence[JointKey], action: bpy.types.Action) -> np.ndarray:
        """Values (n,) [rad or m] of the mover's joints in a stored posture; NaN for joints that it does not contain.

        Raises:
            RigError: the posture contains no value of the joints.
        """
        if action.session_uid not in self.stored:
            found = mover.in_posture(action)
            if not found:
                raise RigError(postures.foreign(action, mover.settings))
            self.stored[action.session_uid] = np.array([found.get(key, nan) for key in joint_keys])
        return self.stored[action.session_uid]

    def values(self) -> dict[JointKey, float]:
        """Value of each joint or motor [rad or m] after the filter; empty before the first tick."""
        return {}

    def motion(self) -> dict[JointKey, Kinematic]:
        """Values, velocities and accelerations of each joint after the filter; empty if they are not known."""
        return {}

    def desired(self) -> dict[JointKey, float]:
        """Value of each joint or motor [rad or m] before the filter."""
        return self.values()

    def limits(self) -> dict[JointKey, JointLimits]:
        """Limits of each joint or motor; those without limits are left out."""
        return {}

    @property
    def influence(self) -> float:
        """Influence of the goals at the last tick, 0 to 1."""
        return 1.0

    def aim_errors(self) -> tuple[str, float, float]:
        """(name, angle, angle) of the goal with the largest angular error: its name, and the error [rad] as solved and after the filter."""
        return "The end", 0.0, 0.0

    @property
    def why_missed(self) -> str:
        """Why the solution of the last tick misses its goals, with the remedy; "" if it meets them, or if that is not known."""
        return ""

    def check_keys(self) -> None:
        """Raises RigError if keyframes cannot represent the mover's motion, because a parent's future pose is unknown."""

    def keys(self, mover, placement, before: Mapping[Channel, float]) -> dict[Channel, float]:
        """Values to key in this frame, after a tick.

        Args:
            mover: The session's mover.
            placement: Predicted transforms in this frame.
            before: Values keyed in the last frame, so that no rotation jumps; empty in the first frame.
        """
        return {}
