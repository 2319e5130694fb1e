"""Tests the Jacobian family as Buss (2009) does: tracking on his Y and double-Y shapes, and the share of
reachable targets that each method reaches.

    python -m benchmarks.jacobian [--frames 600] [--targets 200] [--skeletons ABCDEFG] [--out TABLE.md]

Tracking makes one update per frame, without limits. Targets follow the ends of the shape itself while its
joints swing, so that all can be met at once; "in and out" moves them away from the base and back, by up to
half their distance. The error is the ends' mean distance from their targets; out of reach it includes the
distance that cannot be reached. Jitter is the joints' acceleration, 99th percentile, at 60 frames a second.

Convergence makes as many updates as it takes, from random poses to the end's position in another random pose,
for the ERIK paper's skeletons A to G, to 1e-3 of the reach. "Alone" is the method without restarts: at
most 300 updates.
"""

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median

import numpy as np
from limber.solvers.goals import EndGoal, GazeGoal, Position
from limber.solvers.jacobian import family
from limber.solvers.jacobian.clamping import Clamp
from limber.solvers.jacobian.damping import ByError, BySmallest, Constant, DampingRule
from limber.solvers.jacobian.methods import Damped, Pseudoinverse, SelectivelyDamped
from limber.solvers.jacobian.options import DampedNearTargets
from limber.solvers.jacobian.solver import JacobianSolver, Updates
from limber.solvers.kinematics.rotations import IDENTITY, Quaternion, Vector, X, Y, Z, about, scale
from limber.solvers.kinematics.skeleton import End, Joint, Skeleton

from benchmarks.jacobian_damping import Bounded, ByManipulability, Filtered
from benchmarks.paper import skeleton_of

Make = Callable[[Skeleton], JacobianSolver]
METHODS: dict[str, Make] = {
    "transpose": family.transpose,
    "pseudoinverse": family.pseudoinverse,
    "dls": family.dls,
    "dls_clamped": lambda skeleton: family.dls(skeleton, DampedNearTargets()),
    "sdls": family.sdls,
    "priorities": family.priorities,
}


def _damped(damping: DampingRule) -> Make:
    return lambda skeleton: JacobianSolver(skeleton, Damped(damping))


# constant damping, in fractions of the reach, so large that the joints seldom shake, as Buss chooses it
STEADY = Constant(0.2)
VARIANTS: dict[str, Make] = {
    "pseudoinverse, at most 5 degrees": lambda skeleton: JacobianSolver(
        skeleton, Pseudoinverse(math.radians(5))
    ),
    "dls, constant": _damped(STEADY),
    "dls, constant, a quarter": _damped(Constant(0.25 * STEADY.damping)),
    "dls_clamped, constant": lambda skeleton: JacobianSolver(
        skeleton, Damped(STEADY), Updates(clamp=Clamp.for_skeleton(skeleton))
    ),
    "dls, by manipulability": _damped(ByManipulability()),
    "dls, by the smallest singular value": _damped(BySmallest()),
    "dls, numerically filtered": _damped(Filtered()),
    "dls, optimal": _damped(Bounded()),
    "dls, alternate Jacobian": lambda skeleton: JacobianSolver(
        skeleton, Damped(ByError()), Updates(at_targets=True)
    ),
    "sdls, targets as they are": lambda skeleton: JacobianSolver(skeleton, SelectivelyDamped()),
}
FPS = 60.0  # [1/s] frame rate
FEWEST = int(FPS) + 3  # smallest number of frames of tracking
UNLIMITED = 1e3  # [rad] stands for no limit: no joint reaches it
SPREAD = math.radians(40)  # [rad] angle of a branch to either side
SWING = math.radians(50)  # [rad] amplitude of each joint about its rest pose
SLOWEST, FASTEST = 0.1, 0.3  # [Hz] range of the oscillations' frequencies
PUSHED = 0.5  # largest displacement of targets out of reach, as a share of their distance
PUSHES = 0.15  # [Hz] frequency of that displacement
CLOSE = 1e-3  # fraction of the reach within which a target is reached


def _branch(names: str, parent: int, axes: Sequence[Vector], rest: Quaternion, first: int) -> list[Joint]:
    return [
        Joint(f"{names}{k}", parent if k == 0 else first + k - 1, rest if k == 0 else IDENTITY, Y if parent >= 0 or k else (0.0, 0.0, 0.0),
              axis, -UNLIMITED, UNLIMITED)
        for k, axis in enumerate(axes)
    ]  # fmt: skip


def y_shape() -> Skeleton:
    """Buss's Y: a stem of three joints and two branches of two, with unit links; two ends with positions, so
    that J is 6 x 7.
    """
    joints = _branch("stem ", -1, (Z, X, Z), IDENTITY, 0)
    for side in (-1, 1):
        joints += _branch(f"branch {side} ", 2, (Z, X), about(Z, side * SPREAD), len(joints))
    return Skeleton(
        tuple(joints), tool_offset=Y, tool_joint=4, more_ends=(End(6, offset=Y, name="branch 1"),)
    )


def double_y() -> Skeleton:
    """Buss's double-Y: a stem of four joints, two branches of two, each with two twigs of two; four ends, so
    that J is 12 x 16.
    """
    joints = _branch("stem ", -1, (Y, X, Z, X), IDENTITY, 0)
    tips = []
    for side in (-1, 1):
        joints += _branch(f"branch {side} ", 3, (Z, X), about(Z, side * SPREAD), len(joints))
        fork = len(joints) - 1
        for twig in (-1, 1):
            joints += _branch(f"twig {side} {twig} ", fork, (X, Z), about(X, twig * SPREAD), len(joints))
            tips.append(len(joints) - 1)
    return Skeleton(
        tuple(joints),
        tool_offset=Y,
        tool_joint=tips[0],
        more_ends=tuple(End(tip, offset=Y, name=f"twig {tip}") for tip in tips[1:]),
    )


SHAPES = {"Y": y_shape, "double-Y": double_y}


def targets_of(skeleton: Skeleton, frames: int, pushed: float, seed: int = 0) -> list[list[Vector]]:
    """Target positions [m] of all ends for each frame, from swinging joints; `pushed` is the largest share of
    their distance by which they are moved away from the base.
    """
    draw = np.random.default_rng(seed)
    count = len(skeleton)
    rate, phase = draw.uniform(SLOWEST, FASTEST, count), draw.uniform(0.0, math.tau, count)
    rows = []
    for frame in range(frames):
        time = frame / FPS
        pose = skeleton.forward((SWING * np.sin(math.tau * rate * time + phase)).tolist())
        farther = 1.0 + pushed * 0.5 * (1.0 - math.cos(math.tau * PUSHES * time))
        rows.append([scale(skeleton.end_pose(pose, end)[1], farther) for end in range(len(skeleton.ends))])
    return rows


@dataclass(frozen=True)
class Tracked:
    """Result of a method on a shape whose targets move."""

    shape: str
    targets: str
    method: str
    error: float  # mean distance of ends from their targets, in fractions of the reach
    jitter: float  # [deg/s^2] 99th percentile of the joints' acceleration
    largest: float  # [deg] largest step of a joint in a frame
    rate: float  # updates per second


@dataclass(frozen=True)
class Converged:
    """Result of a method on one of the paper's skeletons: shares of targets that it reaches."""

    skeleton: str
    method: str
    free: float  # share without limits
    alone: float  # share without limits and without restarts
    limited: float  # share with limits
    updates: float  # median number of updates without limits


def track(shape: str, method: str, pushed: float, frames: int) -> Tracked:
    """Tracks moving targets with one update per frame; the first second, in which ends reach their targets,
    counts only for the number of updates per second.
    """
    skeleton = SHAPES[shape]()
    variant = (METHODS | VARIANTS)[method](skeleton)
    solver = JacobianSolver(skeleton, variant.method, replace(variant.updates, objectives=()))
    rest = np.zeros(len(skeleton))
    angles, allowances = rest, None
    angles_of_frames, errors, seconds = [], [], 0.0
    for positions in targets_of(skeleton, frames, pushed):
        others = tuple(EndGoal(Position(position), end) for end, position in enumerate(positions[1:], 1))
        goal = GazeGoal(Position(positions[0]), rest, keep=0.0, others=others)
        began = time.perf_counter()
        result = solver.some(goal, rest, angles, allowances, 1)
        seconds += time.perf_counter() - began
        angles, allowances = result.iterate.angles, result.allowances
        angles_of_frames.append(angles)
        errors.append(
            fmean(
                math.dist(skeleton.end_pose(result.iterate.pose, end)[1], position)
                for end, position in enumerate(positions)
            )
        )
    steps = np.diff(np.degrees(np.array(angles_of_frames))[int(FPS) :], axis=0)
    return Tracked(
        shape,
        "in and out" if pushed else "in reach",
        method,
        fmean(errors[int(FPS) :]) / skeleton.reach,
        float(np.percentile(np.abs(np.diff(steps, axis=0)), 99)) * FPS * FPS,
        float(np.max(np.abs(steps))),
        frames / seconds,
    )


def without_limits(skeleton: Skeleton) -> Skeleton:
    """The skeleton without joint limits."""
    return replace(
        skeleton, joints=tuple(replace(joint, lower=-UNLIMITED, upper=UNLIMITED) for joint in skeleton.joints)
    )


def converge(letter: str, method: str, targets: int, seed: int = 0) -> Converged:
    """Shares of targets that a method reaches; starts and targets are the same for every method."""
    limited = skeleton_of(letter)
    free = without_limits(limited)
    variant = METHODS[method](free)
    as_many = replace(variant.updates, in_frame=None)
    solvers = {
        "free": JacobianSolver(free, variant.method, as_many),
        "alone": JacobianSolver(free, variant.method, replace(as_many, shakes=0, patience=as_many.at_most)),
        "limited": JacobianSolver(limited, variant.method, as_many),
    }
    draw = np.random.default_rng([ord(letter), seed])
    reached: dict[str, list[bool]] = {name: [] for name in solvers}
    updates = []
    for _ in range(targets):
        goal_angles, start = (draw.uniform(limited.lower, limited.upper) for _ in range(2))
        goal = GazeGoal(Position(limited.forward(goal_angles.tolist()).tool_position), start, keep=0.0)
        for name, solver in solvers.items():
            solution = solver.solve(goal, start)
            reached[name].append(solution.measured.errors[0].distance <= CLOSE * limited.reach)
            if name == "free":
                updates.append(solution.iterations)
    return Converged(
        letter, method, *(fmean(reached[name]) for name in ("free", "alone", "limited")), median(updates)
    )


def tracking_rows(frames: int) -> list[Tracked]:
    """Tracking results of all methods and variants on both shapes, for targets in reach and out of reach."""
    return [
        track(shape, method, pushed, frames)
        for shape in SHAPES
        for pushed in (0.0, PUSHED)
        for method in METHODS | VARIANTS
    ]


def convergence_rows(letters: str, targets: int) -> list[Converged]:
    """Convergence results of all methods on the skeletons with those letters."""
    return [converge(letter, method, targets) for letter in letters for method in METHODS]


Cells = list[tuple[str, ...]]  # heading of a table, followed by its lines


def tracking_cells(rows: Sequence[Tracked]) -> Cells:
    """The table of tracking."""
    cells: Cells = [
        (
            "shape",
            "targets",
            "method",
            "error, % of reach",
            "jitter, deg/s2",
            "largest step, deg",
            "updates a second",
        )
    ]
    for row in rows:
        figures = (f"{100 * row.error:.2f}", f"{row.jitter:,.0f}", f"{row.largest:.1f}", f"{row.rate:,.0f}")
        cells.append((row.shape, row.targets, row.method, *figures))
    return cells


def convergence_cells(rows: Sequence[Converged]) -> Cells:
    """The table of convergence."""
    cells: Cells = [("skeleton", "method", "limits off", "alone", "limits on", "updates")]
    for row in rows:
        cells.append(
            (
                row.skeleton,
                row.method,
                f"{row.free:.1%}",
                f"{row.alone:.1%}",
                f"{row.limited:.1%}",
                f"{row.updates:g}",
            )
        )
    return cells


def markdown(cells: Cells) -> str:
    """The table in Markdown."""
    heading, *body = cells
    return "".join(f"| {' | '.join(line)} |\n" for line in (heading, ["---"] * len(heading), *body))


def text(cells: Cells) -> str:
    """The table as text in aligned columns."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--frames", type=int, default=600, help="of tracking, at 60 a second (default 600)")
    ask.add_argument("--targets", type=int, default=200, help="for each skeleton (default 200: some minutes)")
    ask.add_argument(
        "--skeletons", default="ABCDEFG", help="letters of the ERIK paper's Table 5 (default ABCDEFG)"
    )
    ask.add_argument("--out", type=Path, help="also leave both tables there, as Markdown")
    options = ask.parse_args()
    if options.frames < FEWEST:
        ask.error(f"tracking takes {FEWEST} frames at least: a second to get there and two steps to compare")
    tracking = tracking_cells(tracking_rows(options.frames))
    print(text(tracking), flush=True)
    convergence = convergence_cells(convergence_rows(options.skeletons.upper(), options.targets))
    print(f"\n{text(convergence)}")
    if options.out:
        options.out.write_text(f"{markdown(tracking)}\n{markdown(convergence)}", encoding="utf-8")


if __name__ == "__main__":
    main()
