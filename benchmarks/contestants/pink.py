"""pink: weighted tasks, and a quadratic program in every step."""

import numpy as np
import pink
import pinocchio

from ..paper import Body
from . import MAX_STEPS, POSTURE_COST, TOLERANCE, Task
from .models import TOOL, urdf


class Contestant:
    """Steps that correct the whole error of the orientation, with a posture task at a small cost."""

    def __init__(self, name: str, body: Body) -> None:
        self.model = pinocchio.buildModelFromXML(urdf(body))
        self.data = self.model.createData()
        self.aim = pink.FrameTask(TOOL, position_cost=0.0, orientation_cost=1.0)
        self.posture = pink.PostureTask(cost=POSTURE_COST)
        self.now = pink.Configuration(self.model, self.data, np.zeros(self.model.nq))

    def prepare(self, task: Task) -> None:
        self.posture.set_target(task.goal.posture)
        self.aim.set_target(pinocchio.SE3(task.rotation, np.zeros(3)))

    def solve(self) -> int:
        self.now = pink.Configuration(self.model, self.data, np.zeros(self.model.nq), copy_data=False)
        for step in range(MAX_STEPS):
            if np.linalg.norm(self.aim.compute_error(self.now)[3:]) <= TOLERANCE:
                return step
            velocity = pink.solve_ik(
                self.now, (self.aim, self.posture), dt=1.0, solver="daqp", safety_break=False
            )
            self.now.integrate_inplace(velocity, 1.0)
        return MAX_STEPS

    def angles(self) -> np.ndarray:
        return self.now.q.copy()
