"""Compares Limber's solvers with an analytic solution and FABRIK on an arm of five joints that touches
points, as the CCD article does.

    python -m benchmarks.arm [--targets 300]

The arm: a turntable, three bends in one plane, a roll; links of 1, 1 and .5 m on a base of .3 m. Targets are
positions of the end in random poses within limits, so that all can be met; every solve begins at a bent pose.
Two tasks: a point, and a point from a direction.

*Analytic* is the closed form of this one arm: the turntable faces the wrist or away from it, and the elbow
bends to either side; for a point alone it tries directions of the hand. *FABRIK* (Aristidou & Lasenby 2011)
moves points along lines between links of fixed lengths, as if all joints were balls without limits; "as
hinges" is the position that the arm's end reaches when its joints follow these points. *Met* is to a
thousandth of the reach, and .1 degrees; times are medians of the processor time of a solve, called from
Python.
"""

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from limber.solvers.goals import GazeGoal, Position, PositionAndDirection
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    ORIGIN,
    Vector,
    X,
    Y,
    add,
    dot,
    length,
    rotate,
    scale,
    subtract,
    unit,
    vector_angle,
    wrap,
)
from limber.solvers.kinematics.skeleton import Joint, Skeleton
from limber.solvers.table import SOLVERS, make_solver

# [m] lengths of base, upper arm and hand; the forearm is as long as the upper arm
BASE, UPPER, HAND = 0.3, 1.0, 0.5
RANGES = (180.0, 100.0, 150.0, 100.0, 180.0)  # [deg] range of each joint to each side
START = (0.0, 0.5, 0.8, 0.5, 0.0)  # [rad] angles at which every solve begins
CLOSE, AIMED = 1e-3, math.radians(0.1)  # tolerances: [fraction of the reach] of a point, [rad] of a direction
FABRIK_STEPS, FABRIK_CLOSE = 100, 1e-4  # largest number of FABRIK's iterations; [m] its tolerance
PITCHES = 24  # number of hand directions that the analytic solution tries for a point alone
OURS = ("expressive", "ccd", "dls", "sdls", "priorities")

Angles = tuple[float, ...]


def arm() -> Skeleton:
    """The arm as a skeleton; with all angles 0 it is straight up."""
    offsets = (ORIGIN, (0.0, BASE, 0.0), (0.0, UPPER, 0.0), (0.0, UPPER, 0.0), ORIGIN)
    joints = [
        Joint(name, k - 1, IDENTITY, offset, axis, -math.radians(most), math.radians(most))
        for k, (name, offset, axis, most) in enumerate(
            zip(
                ("turntable", "shoulder", "elbow", "wrist", "roll"),
                offsets,
                (Y, X, X, X, Y),
                RANGES,
                strict=True,
            )
        )
    ]
    return Skeleton(tuple(joints), tool_offset=(0.0, HAND, 0.0))


@dataclass(frozen=True)
class Touch:
    """A target: a point [m], and the direction (unit vector) of the hand at it, or None."""

    point: Vector
    direction: Vector | None


@dataclass(frozen=True)
class Answer:
    """Result of one solve: angles (5,) [rad], or None without a solution; number of steps, and whether a
    method without hinges met the target.
    """

    angles: Angles | None
    steps: int
    met_as_balls: bool = False


def analytic(skeleton: Skeleton, touch: Touch) -> Answer:
    """Closed-form solution: of those within limits, the one nearest to the start. For a point alone these are
    the solutions of the first direction of the hand that has any; directions are tried from that at the start
    outward.
    """
    if touch.direction is not None:
        return Answer(_nearest(skeleton, _closed_form(touch.point, touch.direction)), 1)
    facing = math.atan2(touch.point[0], touch.point[2])
    for tried in range(PITCHES):
        pitch = sum(START[1:4]) + (-1) ** tried * ((tried + 1) // 2) * math.tau / PITCHES
        ahead = math.sin(pitch)
        nearest = _nearest(
            skeleton,
            _closed_form(touch.point, (ahead * math.sin(facing), math.cos(pitch), ahead * math.cos(facing))),
        )
        if nearest is not None:
            return Answer(nearest, tried + 1)
    return Answer(None, PITCHES)


def _closed_form(point: Vector, direction: Vector) -> list[Angles]:
    """Up to four solutions (5,) [rad], for both directions of the turntable and both bends of the elbow,
    without limits; none if the wrist is out of reach.
    """
    wrist = subtract(point, scale(direction, HAND))
    solutions = []
    facing = math.atan2(wrist[0], wrist[2])
    for turntable_angle in (facing, wrap(facing + math.pi)):
        ahead = (math.sin(turntable_angle), 0.0, math.cos(turntable_angle))
        out, up = dot(wrist, ahead), wrist[1] - BASE
        cosine = (out * out + up * up) / (2.0 * UPPER * UPPER) - 1.0
        if abs(cosine) > 1.0:
            continue
        pitch = math.atan2(dot(direction, ahead), direction[1])
        for elbow in (math.acos(cosine), -math.acos(cosine)):
            shoulder = wrap(math.atan2(out, up) - 0.5 * elbow)
            solutions.append((turntable_angle, shoulder, elbow, wrap(pitch - shoulder - elbow), 0.0))
    return solutions


def _nearest(skeleton: Skeleton, solutions: list[Angles]) -> Angles | None:
    within = [angles for angles in solutions if skeleton.clamp(angles) == angles]
    return min(within, key=lambda angles: math.dist(angles, START), default=None)


def fabrik(skeleton: Skeleton, touch: Touch) -> Answer:
    """Angles of the arm, within limits, that follow FABRIK's points of shoulder, elbow, wrist and end. With a
    direction, the wrist's position is known, and FABRIK moves only the points up to it.
    """
    pose = skeleton.forward(START)
    points = [*pose.positions[1:4], pose.tool_position]
    lengths = [UPPER, UPPER, HAND]
    goal = touch.point
    if touch.direction is not None:
        points.pop()
        lengths.pop()
        goal = subtract(touch.point, scale(touch.direction, HAND))
    root, steps = points[0], 0
    while math.dist(points[-1], goal) > FABRIK_CLOSE and steps < FABRIK_STEPS:
        steps += 1
        points[-1] = goal
        for k in range(len(lengths) - 1, -1, -1):
            points[k] = add(points[k + 1], scale(unit(subtract(points[k], points[k + 1])), lengths[k]))
        points[0] = root
        for k, link in enumerate(lengths):
            points[k + 1] = add(points[k], scale(unit(subtract(points[k + 1], points[k])), link))
    is_met = math.dist(points[-1], goal) <= CLOSE * skeleton.reach
    if touch.direction is not None:
        points.append(add(points[-1], scale(touch.direction, HAND)))
    return Answer(skeleton.clamp(_followed(points)), steps, is_met)


def _followed(points: list[Vector]) -> Angles:
    """Angles (5,) [rad] of the arm whose turntable faces the wrist, and whose links have the pitches of the
    segments between the points.
    """
    turntable_angle = math.atan2(points[2][0] - points[0][0], points[2][2] - points[0][2])
    ahead = (math.sin(turntable_angle), 0.0, math.cos(turntable_angle))
    angles, before = [turntable_angle], 0.0
    for first, last in pairwise(points):
        link = subtract(last, first)
        pitch = math.atan2(dot(link, ahead), link[1])
        angles.append(wrap(pitch - before))
        before = pitch
    return (*angles, 0.0)


def of_limber(name: str, skeleton: Skeleton) -> Callable[[Skeleton, Touch], Answer]:
    """Function that solves a target for the arm with one of Limber's solvers, from scratch."""
    solver = make_solver(name, skeleton)

    def solve(_: Skeleton, touch: Touch) -> Answer:
        aim = (
            Position(touch.point)
            if touch.direction is None
            else PositionAndDirection(position=touch.point, vector=touch.direction)
        )
        solution = solver.solve(GazeGoal(aim, np.array(START)))
        return Answer(tuple(solution.angles.tolist()), solution.iterations)

    return solve


def targets(skeleton: Skeleton, count: int, seed: int = 0) -> list[Touch]:
    """Targets from random poses within limits: the end's position and the hand's direction."""
    draw = np.random.default_rng(seed)
    poses = [
        skeleton.forward(tuple(draw.uniform(skeleton.lower, skeleton.upper).tolist())) for _ in range(count)
    ]
    return [Touch(pose.tool_position, rotate(pose.tool_rotation, Y)) for pose in poses]


def is_met(skeleton: Skeleton, touch: Touch, angles: Angles) -> bool:
    """Whether these angles bring the end to the target, within `CLOSE` and `AIMED`."""
    pose = skeleton.forward(angles)
    near = length(subtract(pose.tool_position, touch.point)) <= CLOSE * skeleton.reach
    return near and (
        touch.direction is None or vector_angle(rotate(pose.tool_rotation, Y), touch.direction) <= AIMED
    )


def row(
    label: str, solve: Callable[[Skeleton, Touch], Answer], skeleton: Skeleton, touches: list[Touch]
) -> str:
    """A line of the table: for each task the share of met targets, and medians of steps and time."""
    cells = []
    for with_direction in (False, True):
        tasks = [touch if with_direction else Touch(touch.point, None) for touch in touches]
        answers, seconds = [], []
        for touch in tasks:
            began = time.process_time()
            answers.append(solve(skeleton, touch))
            seconds.append(time.process_time() - began)
        share_met = np.mean(
            [
                answer.angles is not None and is_met(skeleton, touch, answer.angles)
                for touch, answer in zip(tasks, answers, strict=True)
            ]
        )
        balls = np.mean([answer.met_as_balls for answer in answers])
        share = f"{balls:.0%} as balls, {share_met:.0%} as hinges" if balls else f"{share_met:.1%}"
        cells.append(
            f"{share} | {np.median([answer.steps for answer in answers]):.0f} |"
            f" {1e3 * np.median(seconds):.3f}"
        )
    return f"| {label} | {' | '.join(cells)} |"


def table(count: int) -> list[str]:
    """Lines of the table in Markdown."""
    skeleton = arm()
    touches = targets(skeleton, count)
    lines = [
        "| | point: met | steps | ms | point from a direction: met | steps | ms |",
        "|---|---|---|---|---|---|---|",
        row("analytic, of this arm alone", analytic, skeleton, touches),
        row("FABRIK", fabrik, skeleton, touches),
    ]
    return lines + [
        row(f"Limber, {SOLVERS[name].label}", of_limber(name, skeleton), skeleton, touches) for name in OURS
    ]


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--targets", type=int, default=300, help="default %(default)s")
    print("\n".join(table(ask.parse_args().targets)))


if __name__ == "__main__":
    main()
