"""Choice of the damping constant (lambda) of a chain's solver, by the operator Choose Damping: trials of
several values, frame by frame.
"""

from dataclasses import replace

import bpy

from ...solvers.gaze import GazeSolver
from ...solvers.goals import GazeError
from ...solvers.jacobian.damping_choice import DAMPINGS, MovingEnd, Trial, chosen, moving_goals, trials
from ...solvers.jacobian.options import DampingOptions
from ...solvers.kinematics.skeleton import SkeletonError
from ...solvers.table import SOLVERS, make_solver
from ..blender.errors import RigError
from ..bones.hanging import HangingBones
from ..chains import chain as build
from ..chains.skeleton import ChainReader
from ..output.stepped import SteppedJob
from ..scene.goal import inputs


def has_damping(chain: bpy.types.PropertyGroup) -> bool:
    """Whether the chain's solver has a damping constant, so that its value can be chosen."""
    info = SOLVERS.get(chain.solver)
    return info is not None and info.options is not None and issubclass(info.options, DampingOptions)


class DampingChoice(SteppedJob):
    """Chooses the damping constant of a chain by trials with its solver, limits, goals and pose; one frame of
    a trial per step.

    Raises:
        RigError: the chain cannot be read, or its solver cannot be used.
    """

    def __init__(self, scene: bpy.types.Scene, rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> None:
        self.chain, self.damping, self.done = chain, DAMPINGS[0], 0
        self.trials: list[Trial] = []
        if why := build.why_not_solver(rig, chain):
            raise RigError(why)
        try:
            reader = ChainReader(rig, chain, HangingBones(rig))
            skeleton = build.skeleton_now(rig, chain)
            options = build.solver_options(chain, chain.solver, reader)
            ends = [MovingEnd(end.kind, end.number, end.weight, end.symmetric) for end in inputs(chain)]
        except (GazeError, SkeletonError) as error:
            raise RigError(str(error)) from error
        dt = scene.render.fps_base / scene.render.fps
        goals = moving_goals(
            skeleton, ends, reader.angles(reader.read(rig.pose.bones)).tolist(), chain.keep, dt
        )
        self.total = len(goals) * len(DAMPINGS)

        def with_damping(damping: float) -> GazeSolver:
            return make_solver(chain.solver, skeleton, replace(options, damping="constant", constant=damping))

        self._trials = trials(skeleton, with_damping, goals, dt)
        super().__init__(scene)

    def step(self) -> bool:
        """Computes one frame of a trial; returns whether there are more."""
        try:
            self.damping = next(self._trials)
        except StopIteration as end:
            self.trials = end.value
        self.done += 1
        return not self.trials

    def finish(self) -> Trial:
        """Sets the chain's solver to constant damping, with the constant of the best trial; ends the job, and
        returns that trial.
        """
        self._end()
        trial = chosen(self.trials)
        group = getattr(self.chain.options, self.chain.solver)
        group.damping, group.constant = "CONSTANT", trial.damping
        return trial

    def _put_back(self) -> None:
        """Does nothing: the trials do not change the scene's frame."""
