"""placo: tasks and a quadratic program in C++."""

import numpy as np
import placo

from ..paper import Body
from . import MAX_STEPS, POSTURE_COST, TOLERANCE, Task
from .models import TOOL, urdf


class Contestant:
    """Steps of the orientation task, with a posture task at a small weight."""

    def __init__(self, name: str, body: Body) -> None:
        self.robot = placo.RobotWrapper("", 0, urdf(body))
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(True)
        self.solver.enable_joint_limits(True)
        self.joints = [f"joint{k}" for k in range(len(body.axes))]
        self.aim = self.solver.add_orientation_task(TOOL, np.eye(3))
        self.aim.configure("aim", "soft", 1.0)
        self.posture = self.solver.add_joints_task()
        # placo's weights are those of squared errors
        self.posture.configure("posture", "soft", POSTURE_COST**2)

    def prepare(self, task: Task) -> None:
        self.aim.R_world_frame = task.rotation
        self.posture.set_joints(dict(zip(self.joints, task.goal.posture.tolist(), strict=True)))

    def solve(self) -> int:
        self.robot.reset()
        self.robot.update_kinematics()
        for step in range(MAX_STEPS):
            self.solver.solve(True)
            self.robot.update_kinematics()
            if self.aim.error_norm() <= TOLERANCE:
                return step + 1
        return MAX_STEPS

    def angles(self) -> np.ndarray:
        return np.array([self.robot.get_joint(name) for name in self.joints])
