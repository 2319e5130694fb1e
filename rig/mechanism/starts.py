"""Whether a mechanism can begin where its bodies are in a frame: baked keys have them where all joints hold, others seldom do."""

import numpy as np

from ...solvers.mechanism.frames import frame_array
from ...solvers.mechanism.goals import Goals
from ...solvers.mechanism.model import Mechanism
from ...solvers.mechanism.solver import MechanismSolver

NEAR = 1e-3  # [rad, or of the mechanism's size] what keys between two frames may be apart


def starts_closed(mechanism: Mechanism) -> bool:
    """Whether the bodies' starts are a pose of the mechanism, but for rounding and what keys between two frames differ from it."""
    starts = np.array([frame_array(body.start) for body in mechanism.bodies])
    solver = MechanismSolver(mechanism)
    found = solver.solve(Goals(), solver.rest())
    size = max(float(np.ptp(starts[:, :3, 3], axis=0).max()), *(float(np.abs(joint.in_child.place).max()) for joint in mechanism.joints))
    apart = np.abs(found.poses - starts)
    return bool(found.report.assembled and apart[:, :3, :3].max() <= NEAR and apart[:, :3, 3].max() <= NEAR * max(size, NEAR))
