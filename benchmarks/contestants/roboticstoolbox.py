"""The Robotics Toolbox's Levenberg-Marquardt solver in C++, for the orientation alone: it supports no
posture.
"""

import numpy as np
import roboticstoolbox as rtb

from ..paper import Body
from . import MAX_STEPS, TOLERANCE, Task

TURNS = {"X": rtb.ET.Rx, "Y": rtb.ET.Ry, "Z": rtb.ET.Rz}


class Contestant:
    """Solves by one call without restarts, as the other contestants do."""

    def __init__(self, name: str, body: Body) -> None:
        parts = []
        for k, axis in enumerate(body.axes):
            if k:
                parts.append(rtb.ET.ty(1.0))
            parts.append(TURNS[axis](qlim=[-body.reach, body.reach]))
        self.chain = rtb.ETS(parts)
        self.zero = np.zeros(len(body.axes))
        self.mask = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
        self.target = np.eye(4)
        self.found = self.zero

    def prepare(self, task: Task) -> None:
        self.target = np.eye(4)
        self.target[:3, :3] = task.rotation

    def solve(self) -> int:
        answer = self.chain.ik_LM(
            self.target,
            q0=self.zero,
            ilimit=MAX_STEPS,
            slimit=1,
            tol=0.5 * TOLERANCE**2,  # tolerance of half the squared error
            mask=self.mask,
            joint_limits=True,
        )
        self.found = np.array(answer.q)
        return int(answer.iterations)

    def angles(self) -> np.ndarray:
        return self.found
