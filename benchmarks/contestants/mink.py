"""mink: pink's tasks on MuJoCo."""

import mink
import mujoco
import numpy as np

from ..paper import Body
from . import MAX_STEPS, POSTURE_COST, TOLERANCE, Task
from .models import TOOL
from .models import mujoco as mujoco_text


class Contestant:
    """Steps that correct the whole error of the orientation, with a posture task at a small cost."""

    def __init__(self, name: str, body: Body) -> None:
        model = mujoco.MjModel.from_xml_string(mujoco_text(body))
        self.now = mink.Configuration(model)
        self.aim = mink.FrameTask(TOOL, "site", position_cost=0.0, orientation_cost=1.0)
        self.posture = mink.PostureTask(model, cost=POSTURE_COST)
        self.limits = [mink.ConfigurationLimit(model)]
        self.zero = np.zeros(model.nq)

    def prepare(self, task: Task) -> None:
        self.posture.set_target(task.goal.posture)
        self.aim.set_target(mink.SE3.from_rotation(mink.SO3(np.array(task.goal.aim.wxyz))))

    def solve(self) -> int:
        self.now.update(self.zero)
        for step in range(MAX_STEPS):
            if np.linalg.norm(self.aim.compute_error(self.now)[3:]) <= TOLERANCE:
                return step
            velocity = mink.solve_ik(
                self.now, (self.aim, self.posture), dt=1.0, solver="daqp", limits=self.limits
            )
            self.now.integrate_inplace(velocity, 1.0)
        return MAX_STEPS

    def angles(self) -> np.ndarray:
        return np.array(self.now.q)
