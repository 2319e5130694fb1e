"""Buss's choice of a constant damping for a skeleton: the one with the least error, then raised until joints
hardly oscillate.

Source: Buss 2009, section 8: "We attempted to set the damping constant so as to minimize the average error of
the end effectors' positions, but at the point where the error was minimized, there was a lot of oscillation
and shaking. Thus, we had to raise the damping constant until unwanted oscillation became very rare." As in
his experiments, targets move in and out of reach.
"""

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..gaze import GazeSolver
from ..goals import Aim, EndGoal, GazeGoal
from ..kinematics.rotations import Quaternion, Vector, scale
from ..kinematics.skeleton import Angles, Skeleton
from ..tolerances import SEEN
from .linear import Array

# dampings from .01, the least value in Buss's figures, to 1.28, at which joints hardly move
DAMPINGS = tuple(0.01 * 2.0 ** (0.5 * k) for k in range(15))
SECONDS = 8.0  # [s] duration of the targets' motion for each damping: one or two swings of a joint
SWING = math.radians(50)  # [rad] amplitude of the joints that the targets follow, at most half their range
# factor on the joints' amplitudes and the ends' distances from the base: a third of each swing is out of
# reach
BEYOND = 1.5
SLOWEST, FASTEST = 0.1, 0.3  # [Hz] range of the swings' frequencies
# largest excess of the fraction of frames with oscillation over its minimum, at which oscillation counts as
# rare
RARE = 0.01


@dataclass(frozen=True)
class Trial:
    """Result of one damping with moving targets: mean error, and fraction of frames in which a joint
    oscillates.
    """

    damping: float
    error: float  # mean error of the ends [rad; positions: fraction of the reach]
    oscillation: float  # fraction of the frames in which a joint reverses


def trials(
    skeleton: Skeleton, make: Callable[[float], GazeSolver], goals: Sequence[GazeGoal], dt: float
) -> Generator[float, None, list[Trial]]:
    """Generator that tries each damping; it yields the current damping after each frame, and returns the
    trials.

    Args:
        skeleton: The skeleton.
        make: Function that returns the solver with a given damping.
        goals: Goals of consecutive frames.
        dt: [s] duration of a frame.
    """
    outcomes = []
    for damping in DAMPINGS:
        solver, memory = make(damping), None
        angles: Angles | None = None  # None, so that the first frame is solved from scratch
        path, errors = [], []
        for goal in goals:
            solution = solver.solve(goal, angles, memory, dt=dt)
            angles, memory = solution.angles, solution.memory
            path.append(angles)
            errors.append(
                np.mean(
                    [
                        math.hypot(each.angle, each.distance / skeleton.reach)
                        for each in solution.measured.errors
                    ]
                )
            )
            yield damping
        moves = np.diff(np.array(path) / skeleton.units, axis=0)
        shakes = (moves[1:] * moves[:-1] < 0.0) & (np.minimum(np.abs(moves[1:]), np.abs(moves[:-1])) > SEEN)
        outcomes.append(Trial(damping, float(np.mean(errors)), float(np.mean(shakes.any(axis=1)))))
    return outcomes


def chosen(outcomes: Sequence[Trial]) -> Trial:
    """The chosen trial: from the trial with the least error toward more damping, the first whose
    oscillation exceeds the least of all these trials by at most `RARE`.
    """
    best = min(range(len(outcomes)), key=lambda k: outcomes[k].error)
    least = min(trial.oscillation for trial in outcomes[best:])
    return next(trial for trial in outcomes[best:] if trial.oscillation <= least + RARE)


class MovingEnd(NamedTuple):
    """An end whose target moves in the trials."""

    kind: type[Aim]  # class of the end's aim
    end: int = 0  # index in `Skeleton.ends`
    weight: float = 1.0
    symmetric: bool = True


def moving_goals(
    skeleton: Skeleton, ends: Sequence[MovingEnd], posture: Angles, keep: float, dt: float
) -> list[GazeGoal]:
    """Goals of consecutive frames whose targets move in and out of reach.

    Args:
        skeleton: The skeleton.
        ends: Ends of the skeleton with a goal, the tool first.
        posture: Posture (n,) [rad; prismatic joints m] about which the joints swing.
        keep: Weight of the posture.
        dt: [s] duration of a frame.
    """
    swings = BEYOND * np.minimum(
        0.5 * (np.array(skeleton.upper) - np.array(skeleton.lower)), SWING * skeleton.units
    )
    draw = np.random.default_rng(0)
    rates, phases = draw.uniform(SLOWEST, FASTEST, len(skeleton)), draw.uniform(0.0, math.tau, len(skeleton))
    goals = []
    for time in np.arange(0.0, SECONDS, dt).tolist():
        angles: Array = np.array(skeleton.clamp(posture)) + swings * np.sin(math.tau * rates * time + phases)
        pose = skeleton.forward(angles.tolist())
        farther = 1.0 + (BEYOND - 1.0) * 0.5 * (1.0 - math.cos(math.tau * SLOWEST * time))
        first, *others = (
            EndGoal(
                _aim(kind, *skeleton.end_pose(pose, end), farther, skeleton.reach), end, weight, symmetric
            )
            for kind, end, weight, symmetric in ends
        )
        goals.append(GazeGoal(first.aim, posture, first.symmetric, first.weight, keep, tuple(others)))
    return goals


def _aim(kind: type[Aim], rotation: Quaternion, position: Vector, farther: float, reach: float) -> Aim:
    """An aim of type `kind` made from an end's rotation and position [m]; a desired position is `farther`
    times that position.
    """
    aim = kind.met_by(rotation, position, reach)
    return aim if aim.desired_position is None else kind.met_by(rotation, scale(position, farther), reach)
