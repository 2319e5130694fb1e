"""Errors of a walk with and without a goal for the centre of mass, as for the paper's walker (Schumacher et
al. 2021, section V.A.4, figure 9).

Walk and robot are Limber's own, with the paper's numbers of bodies, joints and motors, its weights and its
frame rate.
"""

import time
from typing import NamedTuple

import numpy as np
from limber.solvers.kinematics.rotations import IDENTITY
from limber.solvers.kinematics.se3 import RigidTransform
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import CentreGoal, FrameGoal, Goals, RegulariserWeights
from limber.solvers.mechanism.solution import MechanismSolution
from limber.solvers.mechanism.solver import MechanismSolver
from limber.solvers.mechanism.support import centre_of_mass, tipping

from .mechanism_gallery import walker

RATE = 1200.0  # [Hz] the paper's frame rate
SECONDS = 4.0  # [s] duration of two steps
STEP, LIFT = 0.1, 0.04  # [m] length and height of a foot's step
BESIDE, HEIGHT = 0.1, 0.77  # [m] distance of a foot from the middle; height of the pelvis above the ground
# [m] corners of a sole, relative to the foot's goal
SOLE = np.array([(x, y, 0.0) for x in (-0.06, 0.14) for y in (-0.04, 0.04)])
FEET = {"left": ("left 5", BESIDE), "right": ("right 5", -BESIDE)}
# [s] time in which the weight shifts; a step takes four of them: shift, two on one foot, shift to the middle
SHIFT = 0.5
STATE = 0.01  # weight of the paper's state regulariser
# [mm] largest errors of frames and of the centre of mass in the paper
PAPER = {"without": (0.51, None), "with": (1.11, 1.30)}


class Walk(NamedTuple):
    """Goals at one time: feet and pelvis, and the share of the weight on the left foot."""

    feet: dict[str, np.ndarray]  # position (3,) [m] of each foot
    forward: float  # [m] position of the pelvis along the path
    left: float  # share of the weight on the left foot, 0 to 1


class Row(NamedTuple):
    """Largest errors [mm] of a walk, largest distance of its centre of mass outside the soles [mm], and time
    per frame [ms].
    """

    frames: float
    centre: float
    outside: float
    took: float


def smooth(share: float) -> float:
    """Smooth step from 0 to 1 with velocity 0 at both ends."""
    share = min(max(share, 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)


def at(t: float) -> Walk:
    """The walk at a time [s]: in each step of 2 s one foot swings in the middle second, the left one
    first.
    """
    step, inside = divmod(t, 4.0 * SHIFT)
    swings = "left" if int(step) % 2 == 0 else "right"
    feet = {}
    for side, (_, y) in FEET.items():
        done = (int(step) + (1 if side == "left" else 0)) // 2
        share = smooth((inside - SHIFT) / (2.0 * SHIFT)) if side == swings else 0.0
        lift = 4.0 * share * (1.0 - share) * LIFT
        feet[side] = np.array((STEP * (done + share), y, lift))
    away = smooth(inside / SHIFT) - smooth((inside - 3.0 * SHIFT) / SHIFT)  # 0: on both feet, 1: on one foot
    left = 0.5 - 0.5 * away if swings == "left" else 0.5 + 0.5 * away
    return Walk(feet, 0.5 * (feet["left"][0] + feet["right"][0]), left)


def goals_at(t: float, is_balanced: bool, state_weight: float) -> Goals:
    """Goals at one time: frames on feet and pelvis, and the centre of mass if the walk is balanced."""
    walk = at(t)
    frames = []
    for side, (body, y) in FEET.items():
        on_body = RigidTransform(position=(0.0, y, 0.0))
        x, y, z = walk.feet[side].tolist()
        frames.append(FrameGoal(body, on_body, (x, y, z), IDENTITY, (10.0,) * 3, (100.0,) * 3))
    weight = (0.0, 0.0, 1.0) if is_balanced else (1.0, 1.0, 1.0)
    frames.append(
        FrameGoal(
            "pelvis",
            RigidTransform(position=(0.0, 0.0, 0.8)),
            (walk.forward, 0.0, HEIGHT),
            IDENTITY,
            weight,
            weight,
        )
    )
    centres = ()
    if is_balanced:
        shares = (("left", walk.left), ("right", 1.0 - walk.left))
        x, y, _ = sum(share * walk.feet[side] for side, share in shares)
        centres = (CentreGoal((float(x), float(y), 0.0), (10.0, 10.0, 0.0)),)
    return Goals(tuple(frames), centres, regulariser_weights=RegulariserWeights(state_weight))


def measured(is_balanced: bool, state_weight: float, rate: float = RATE, seconds: float = SECONDS) -> Row:
    """Largest errors of a walk, and its median time per frame."""
    solver = MechanismSolver(walker().mechanism)
    solution = assemble(solver, goals=goals_at(0.0, is_balanced, 0.0), tries=10)
    rows, solve_times = [], []
    for k in range(round(seconds * rate)):
        goals = goals_at(k / rate, is_balanced, state_weight)
        began = time.process_time()
        solution = solver.solve(goals, solution.state, 1.0 / rate)
        solve_times.append(time.process_time() - began)
        rows.append(_errors(solver, solution, goals))
    frames, centre, outside = 1e3 * np.max(rows, axis=0)
    return Row(float(frames), float(centre), float(outside), 1e3 * float(np.median(solve_times)))


def _errors(solver: MechanismSolver, solution: MechanismSolution, goals: Goals) -> tuple[float, float, float]:
    """Largest error of a frame and of the centre of mass, along axes with weights, and the distance of that
    centre outside the soles [m].
    """
    poses, index = solution.poses, solver.mechanism.body_index
    frames, soles = [], {}
    for goal in goals.frames:
        point = poses[index[goal.body]] @ np.array((*goal.on_body.position, 1.0))
        frames.append(np.linalg.norm((point[:3] - goal.position) * (np.array(goal.position_weight) > 0.0)))
        if goal.body != "pelvis":
            soles[goal.body] = SOLE @ poses[index[goal.body]][:3, :3].T + point[:3]
    mass_centre = centre_of_mass(solver.mechanism, poses)
    centre = np.linalg.norm((mass_centre - goals.centres[0].position)[:2]) if goals.centres else 0.0
    edge = tipping(soles, mass_centre)
    return float(max(frames)), float(centre), edge.distance if edge is not None else 0.0


def print_walk() -> None:
    print(
        "goal of the centre of mass   state weight   rate [Hz]   largest error [mm]: frames   centre  "
        " outside the soles [mm]   ms a frame"
    )
    for is_balanced in (False, True):
        for state_weight, rate in ((STATE, RATE), (0.0, 60.0)):
            row = measured(is_balanced, state_weight, rate)
            word = "with" if is_balanced else "without"
            print(
                f"{word:26s}{state_weight:15.2f}{rate:12.0f}{row.frames:28.2g}{row.centre:9.2g}{row.outside:25.1f}{row.took:13.2f}"
            )
        frames, centre = PAPER["with" if is_balanced else "without"]
        print(f"{'the paper':26s}{'':27s}{frames:28.2f}{centre if centre is not None else float('nan'):9.2f}")
