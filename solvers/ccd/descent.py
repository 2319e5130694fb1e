"""A descent of CCD: sweeps over all joints until the goal is met or no sweep helps any more. Knows no Blender."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..aim_residual import SHORTEST_REACH
from ..coordinate_descent import Linkage, Pull, Tool, sweep
from ..diagnosis import MET
from ..gaze import misses
from ..goals import GazeGoal
from ..rotations import IDENTITY, Vector
from ..skeleton import Pose, Skeleton
from .options import CcdOptions
from .wishes import Room, Wish, turn_within, wish_of

NEAR = 0.1  # [rad, or of the reach] missed by less, hinges turn as far as brings the end nearest: no swing is wild any more
WRIST_JOINTS = 3  # the last joints that turn to an orientation, half of a shorter chain's: an orientation has three angles
PATIENCE = 8  # sweeps, enough for an extrapolation
STUCK = 0.95  # so many sweeps that leave more than this of what was missed are the last
MEMORY = 5  # sweeps whose tendency is extrapolated; fewer know too little, more are of another curve
LEAST_SQUARE = 1e-10  # of the sweeps' own squares: keeps the system solvable where they agree
NO_STIFFNESS = 1e-12  # a slide across which nothing can be gained


class Missed(NamedTuple):
    """What a pose misses, in the order in which it matters; weights count relative to the heaviest."""

    seen: float  # [rad, or of the reach] of views and places, at least MET
    whole: float  # the same with the rolls
    unmet: bool  # whether any goal of any weight is not met


class Way(NamedTuple):
    """Where a descent has come to."""

    angles: tuple[float, ...]  # (n,) within limits
    pose: Pose
    missed: Missed
    sweeps: int


class Descent:
    """The descents on one skeleton."""

    def __init__(self, skeleton: Skeleton, options: CcdOptions) -> None:
        self.skeleton, self.options = skeleton, options
        self.reach = max(skeleton.reach, SHORTEST_REACH)
        self._parents = [joint.parent for joint in skeleton.joints]
        self._slides = [joint.kind == "prismatic" for joint in skeleton.joints]
        ends = range(len(skeleton.ends))
        paths = [skeleton.path(e) for e in ends]
        self._wrists = [self._wrist(path) for path in paths]
        before = [tuple(k for k in path if k < min(wrist, default=0)) for path, wrist in zip(paths, self._wrists, strict=True)]
        carried = [[e for e, path in enumerate(paths) if k in path] for k in range(len(skeleton))]
        self._carried = carried
        self._carried_with_spots = [[*tools, *(len(paths) + e for e in ends if k in before[e])] for k, tools in enumerate(carried)]

    def _wrist(self, path: Sequence[int]) -> frozenset[int]:
        turning = [k for k in path if not self._slides[k]]
        return frozenset(turning[len(turning) - min(WRIST_JOINTS, len(turning) // 2) :])

    def missed(self, goal: GazeGoal, pose: Pose) -> Missed:
        """What a pose misses of the goals that count."""
        seen = whole = 0.0
        unmet = False
        for share, wanted, miss in zip(_shares(goal), goal.ends, misses(self.skeleton, goal, pose), strict=True):
            if wanted.weight > 0.0:
                apart = miss.distance / self.reach
                seen += share * (miss.angle**2 + apart**2)
                whole += share * (miss.whole**2 + apart**2)
                unmet = unmet or max(miss.whole, apart) > MET
        return Missed(max(MET, math.sqrt(seen)), max(MET, math.sqrt(whole)), unmet)

    def descend(
        self, goal: GazeGoal, angles: Sequence[float], lower: Sequence[float], upper: Sequence[float], splits: bool, sweeps: int
    ) -> Way:
        """From angles (n,) within `lower` and `upper` (n,), the nearest to the goal that at most so many sweeps find.

        Sweeps converge by the same share of what is left each time, slowly where joints work against each other. So after every few of them
        the next angles are extrapolated from these (Anderson's acceleration), and kept if they miss less.
        """
        wishes = self._wishes(goal, splits)
        now = list(angles)
        pose = self.skeleton.forward(now)
        best = Way(tuple(now), pose, self.missed(goal, pose), 0)
        missed, trail, history, done = best.missed, [tuple(now)], [math.inf] * PATIENCE, 0
        while missed.unmet and done < sweeps and missed.whole < STUCK * history[-PATIENCE]:
            done += 1
            history.append(missed.whole)
            self._sweep(wishes, now, pose, lower, upper, missed.whole < NEAR)
            pose = self.skeleton.forward(now)
            missed = self.missed(goal, pose)
            if missed < best.missed:
                best = Way(tuple(now), pose, missed, 0)
            trail.append(tuple(now))
            if self.options.extrapolates and len(trail) > MEMORY:
                ahead = [min(max(a, lo), hi) for a, lo, hi in zip(_extrapolated(trail), lower, upper, strict=True)]
                pose_ahead = self.skeleton.forward(ahead)
                missed_ahead = self.missed(goal, pose_ahead)
                if missed_ahead < best.missed:
                    now, pose, missed = ahead, pose_ahead, missed_ahead
                    best = Way(tuple(now), pose, missed, 0)
                trail = [tuple(now)]
        return best._replace(sweeps=done)

    def _wishes(self, goal: GazeGoal, splits: bool) -> list[list[tuple[float, Wish]]]:
        """Of each end, its wishes and their shares."""
        ends = len(self.skeleton.ends)
        wishes: list[list[tuple[float, Wish]]] = [[] for _ in range(ends)]
        for share, wanted in zip(_shares(goal), goal.ends, strict=True):
            if wanted.weight > 0.0:
                wish = wish_of(wanted, ends + wanted.end, self._wrists[wanted.end], self.reach, splits)
                wishes[wanted.end].append((share, wish))
        return wishes

    def _sweep(
        self,
        wishes: Sequence[Sequence[tuple[float, Wish]]],
        angles: list[float],
        pose: Pose,
        lower: Sequence[float],
        upper: Sequence[float],
        near: bool,
    ) -> None:
        """One sweep; moves `angles`."""
        skeleton, slides, carried = self.skeleton, self._slides, self._carried_with_spots
        ends = len(wishes)
        tools = [Tool(*skeleton.end_pose(pose, e)) for e in range(ends)]
        tools += [Tool(IDENTITY, pose.places[min(wrist)] if wrist else tools[e].place) for e, wrist in enumerate(self._wrists)]
        felt = [[wish for e in carried_ends for wish in wishes[e]] for carried_ends in self._carried]

        def move(k: int, axis: Vector, place: Vector) -> float:
            if slides[k]:
                new = self._slid(felt[k], k, axis, tools, angles[k])
            else:
                new = angles[k] + self._turned(felt[k], k, axis, place, Room(lower[k] - angles[k], upper[k] - angles[k]), tools, near)
            new = min(max(new, lower[k]), upper[k])
            before, angles[k] = angles[k], new
            return new - before

        linkage = Linkage(skeleton.world_axes(pose), pose.places, self._parents, slides, carried, tools)
        sweep(linkage, move, self.options.order == "tip")

    @staticmethod
    def _turned(
        felt: Sequence[tuple[float, Wish]], k: int, axis: Vector, place: Vector, room: Room, tools: Sequence[Tool], near: bool
    ) -> float:
        pull = Pull()
        for weight, wish in felt:
            pull = pull.plus(wish.turn(k, axis, place, room, tools).times(weight))
        turn = pull.best_turn if near else pull.turn
        return turn_within(pull, turn, room) if turn else 0.0

    @staticmethod
    def _slid(felt: Sequence[tuple[float, Wish]], k: int, axis: Vector, tools: Sequence[Tool], place: float) -> float:
        pull = stiffness = 0.0
        for weight, wish in felt:
            slide = wish.slide(k, axis, tools)
            pull += weight * slide.pull
            stiffness += weight * slide.stiffness
        return place + pull / stiffness if stiffness > NO_STIFFNESS else place


def _shares(goal: GazeGoal) -> list[float]:
    """Squares of the goals' weights, for squares of errors: of the heaviest 1."""
    return [weight**2 for weight in goal.weights]


def _extrapolated(trail: Sequence[Sequence[float]]) -> list[float]:
    """Where sweeps that went through these angles (m + 1, n) tend: the mean of the last m, weighted so that their steps cancel out.

    Source: Anderson's acceleration, as Bertrand & Massias 2021 use it for coordinate descent.
    """
    rows = np.array(trail)
    steps = np.diff(rows, axis=0)
    gram = steps @ steps.T
    ridge = LEAST_SQUARE * float(np.trace(gram))
    if ridge <= 0.0:
        return list(trail[-1])
    weights = np.linalg.solve(gram + ridge * np.eye(len(gram)), np.ones(len(gram)))
    total = float(weights.sum())
    return (weights @ rows[1:] / total).tolist() if total > 0.0 else list(trail[-1])
