"""ikpy: scipy's least squares for the orientation, with numerical derivatives."""

import warnings

import numpy as np
from ikpy.chain import Chain
from ikpy.link import OriginLink, URDFLink

from ..paper import AXES, Body
from . import Task

# weight of its pull toward the start, which is its only posture; a larger one keeps the aim error above 1e-3
REGULARISER = 1e-4


class Contestant:
    """Solves by one call; as "ikpy_regular" with its regulariser, which pulls toward the start pose."""

    def __init__(self, name: str, body: Body) -> None:
        self.regularisation = REGULARISER if name == "ikpy_regular" else None
        links = [
            URDFLink(
                f"joint{k}",
                origin_translation=np.array([0.0, 1.0 if k else 0.0, 0.0]),
                origin_orientation=np.zeros(3),
                rotation=np.array(AXES[axis]),
                bounds=(-body.reach, body.reach),
                use_symbolic_matrix=False,
            )
            for k, axis in enumerate(body.axes)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about links that do not move
            self.chain = Chain([OriginLink(), *links], active_links_mask=[False] + [True] * len(links))
        self.zero = np.zeros(len(links) + 1)
        self.target = np.eye(4)
        self.found = self.zero

    def prepare(self, task: Task) -> None:
        self.target = np.eye(4)
        self.target[:3, :3] = task.rotation

    def solve(self) -> int:
        self.found = self.chain.inverse_kinematics_frame(
            self.target,
            initial_position=self.zero,
            orientation_mode="all",
            no_position=True,
            regularization_parameter=self.regularisation,
        )
        return 1

    def angles(self) -> np.ndarray:
        return np.array(self.found[1:])
