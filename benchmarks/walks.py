"""Gaze paths, and the solutions of one solver along one of them, frame by frame from the last solution:
smooth targets that always move.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, radians, sin

import numpy as np
from limber.solvers.goals import GazeGoal, Orientation
from limber.solvers.kinematics.rotations import Quaternion, X, Y, Z, about, multiply
from limber.solvers.kinematics.skeleton import Skeleton

from .chunks import plain, solver_of
from .jobs import TIMES, Answer
from .paper import BODIES, skeleton_of, yaw_pitch_roll

FPS = 60  # frames per second
SECONDS = 4.0  # [s] duration of a path
KINDS = ("local", "sphere")  # kinds of paths: within a cone about the posture's view; in all directions
CONE, ROLL = radians(55.0), radians(40.0)
# [Hz] lowest and highest frequency of a path's waves: both kinds of paths move at about 60 degrees per second
HERTZ = {"local": (0.12, 0.25), "sphere": (0.03, 0.08)}
POP = 15.0  # [deg] step of a joint in one frame that looks like a jump
OFF = 1.0  # [deg] aim error that is visible
TURN = radians(30.0)  # [rad/s] rotation about the base of a path in all directions


@dataclass(frozen=True)
class Walk:
    """A path for one solver, given by its number: the same number gives the same path and posture for every
    solver.
    """

    name: str  # name of the skeleton
    kind: str
    solver: str
    number: int

    @property
    def file(self) -> str:
        return f"{self.name}-{self.kind}-{plain(self.solver)}-{self.number:03d}.npz"

    def solve(self) -> Answer:
        """Solves the path; returns angles (t, n) [rad], and errors, iterations and times (t,), by name."""
        skeleton = skeleton_of(self.name)
        posture, targets = path(self.name, self.kind, self.number)
        solver = solver_of(self.solver, skeleton)
        start, memory, rows = None, None, []
        for target in targets:
            goal = GazeGoal(Orientation(target), posture)
            began = time.process_time()
            solution = solver.solve(goal, start, memory)
            rows.append((solution, time.process_time() - began))
            start, memory = solution.angles, solution.memory
        return {
            "angles": np.array([solution.angles for solution, _ in rows]),
            "aim": np.array([solution.aim_error for solution, _ in rows]),  # [rad] aim errors
            "shape": np.array([solution.shape_deviation for solution, _ in rows]),  # [rad] shape deviations
            "iterations": np.array([solution.iterations for solution, _ in rows]),
            TIMES: np.array([seconds for _, seconds in rows]),
        }


def path(name: str, kind: str, number: int) -> tuple[np.ndarray, list[Quaternion]]:
    """Posture (n,) [rad], and the target of every frame."""
    draw = np.random.default_rng([ord(name), KINDS.index(kind), number])
    skeleton, reach = skeleton_of(name), BODIES[name].reach
    # share of the range that is used: animators seldom pose joints at their limits
    posture = draw.uniform(-0.8 * reach, 0.8 * reach, len(skeleton))
    slowest, fastest = HERTZ[kind]
    waves = [Wave(*draw.uniform((slowest, 0.0), (fastest, 2.0 * pi))) for _ in range(3)]
    times = np.arange(round(SECONDS * FPS)) / FPS
    if kind == "local":
        return posture, _about(skeleton, posture, waves, times)
    sense = draw.choice([-1.0, 1.0])
    return posture, [
        yaw_pitch_roll(
            sense * TURN * t + waves[0].at(t), 0.5 * pi * (1.0 + waves[1].at(t)), pi * waves[2].at(t)
        )
        for t in times.tolist()
    ]


@dataclass(frozen=True)
class Wave:
    hertz: float
    phase: float  # [rad] phase of the wave

    def at(self, t: float) -> float:
        return sin(2.0 * pi * self.hertz * t + self.phase)


def _about(skeleton: Skeleton, posture: np.ndarray, waves: list[Wave], times: np.ndarray) -> list[Quaternion]:
    """Target orientations at these times [s], with views in a cone about the posture's view, and rolls."""
    middle = skeleton.forward(posture.tolist()).tool_rotation
    targets = []
    for t in times.tolist():
        nod, tilt, roll = (wave.at(t) for wave in waves)
        # .7, so that the view stays within the cone while both waves are at their peaks
        rotation = multiply(
            multiply(about(X, 0.7 * CONE * nod), about(Z, 0.7 * CONE * tilt)), about(Y, ROLL * roll)
        )
        targets.append(multiply(middle, rotation))
    return targets


@dataclass(frozen=True)
class Figures:
    """Figures of a path's frames: means, if not stated otherwise."""

    aim: float  # [deg] aim error
    off: float  # share of frames with an aim error of more than `OFF`
    pops: float  # share of frames with a jump of a joint
    shape: float  # [deg] shape deviation
    jolt: float  # [deg/s2] 99th percentile of the fastest joint's acceleration
    milliseconds: float  # [ms] median time of a frame
    worst: float  # [ms] 99th percentile of the time of a frame


def figures(answers: Sequence[Answer]) -> Figures:
    """Figures of several paths of one solver."""
    aim = np.degrees(np.concatenate([a["aim"] for a in answers]))
    steps = np.degrees(np.concatenate([np.abs(np.diff(a["angles"], axis=0)).max(1) for a in answers]))
    jolts = (
        np.degrees(np.concatenate([np.abs(np.diff(a["angles"], 2, axis=0)).max(1) for a in answers])) * FPS**2
    )
    shape = np.degrees(np.concatenate([a["shape"] for a in answers]))
    # the first frame is solved from scratch
    milliseconds = 1e3 * np.concatenate([a[TIMES][1:] for a in answers])
    values = (
        aim.mean(),
        np.mean(aim > OFF),
        np.mean(steps > POP),
        shape.mean(),
        np.quantile(jolts, 0.99),
        np.median(milliseconds),
        np.quantile(milliseconds, 0.99),
    )
    return Figures(*map(float, values))
