"""Compares the angular acceleration of a mechanism's shown bodies, after the motion filter, with the
accelerations that the motors' limits imply.

    python -m benchmarks.mechanism --tick --urdf FILE [--closures FILE.yaml] --targets IN.npz
        one mechanism and its targets; FILE and IN as without --tick
    python -m benchmarks.mechanism --tick [--unseen 60] [--seed 0]
        random mechanisms and paths

Motors have a hobby servo's limits. Frames are *away* while an exact solve misses its goals, *return* for half
a second after that, else *reach*. A row has, for each of them:

    shown     largest angular acceleration of a body after the filter [deg/s2]
    implied   largest acceleration that the motors' limits allow that body in that frame [deg/s2]
    ratio     the largest ratio of the two, of any body and frame
    asked     largest acceleration of the poses that the goals command, before the filter [deg/s2]
    error     how much larger the shown poses' goal errors are than an exact solve's, at most and on average
              [1e-3 sizes or rad]

A body's angular velocity is J q', with J (3, m) by the motors at closed loops. So its acceleration is J q'' +
J' q', and the limits allow the sum of |J_k| times the limit of q''_k, plus |J' q'|. Bodies that the motors do
not determine (a rod that spins, a base) are left out.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from limber.character.mechanism.tick import MechanismModel, MechanismMotor, tick
from limber.motion import Limits, make_filter
from limber.solvers.kinematics.se3 import logarithm
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.counting import count, linearised, null_space
from limber.solvers.mechanism.goals import Goals
from limber.solvers.mechanism.objectives import stacked
from limber.solvers.mechanism.solution import AssemblyState
from limber.solvers.mechanism.solver import MechanismSolver
from limber.solvers.tasks import Kinematics

PHASES = ("reach", "away", "return")
MISSED = 1e-4  # [sizes or rad] error of the goals above which a target is out of reach
RETURN = 0.5  # [s] duration of the phase after a target is back in reach
# limits of a hobby servo: the defaults in Blender
VELOCITY, ACCELERATION, JERK = (math.radians(180), math.radians(900), math.radians(9000))
UNBOUNDED = 1e4  # [rad or m] range that stands for no limits
# share of the largest singular value below which a motor's motion follows from that of others
LEAST_SINGULAR = 1e-6
NOISE = 1.0  # [deg/s2] accelerations below this are rounding errors


@dataclass(frozen=True)
class Run:
    """Motion of a mechanism frame by frame: t frames, b bodies, m motors."""

    shown: np.ndarray  # (t, b, 3, 3) rotations of the bodies after the filter
    asked: np.ndarray  # (t, b, 3, 3) rotations of the bodies that the goals command
    motors: np.ndarray  # (t, m) motor values after the filter
    # (t, b, 3, m) Jacobian of the bodies' rotations with respect to the motors, in the shown poses
    by_motor: np.ndarray
    excess: np.ndarray  # (t,) [sizes or rad] goal error of the shown poses minus that of an exact solve
    phase: np.ndarray  # (t,) index in PHASES of each frame's phase
    acceleration: np.ndarray  # (m,) acceleration limits of the motors
    judged: np.ndarray  # (b,) whether the motors determine the body
    dt: float  # [s] duration of a frame
    is_closed: bool  # whether the loops are closed in every frame
    flipped: bool  # whether a loop has changed its assembly mode


@dataclass(frozen=True)
class Row:
    """Figures of one phase; see this module's docstring."""

    shown: float  # [deg/s2] largest angular acceleration of a body after the filter
    implied: float  # [deg/s2] largest acceleration that the motors' limits allow that body in that frame
    ratio: float  # largest ratio of the two, of any body and frame
    asked: float  # [deg/s2] largest acceleration of the poses that the goals command
    worst: float  # [1e-3 sizes or rad] largest excess of the goal errors over an exact solve's
    mean: float  # [1e-3 sizes or rad] mean excess


def limits_of(solver: MechanismSolver) -> tuple[Limits, ...]:
    """Limits of a hobby servo for each motor, within its joint's range; a prismatic motor moves one size
    where a revolute one rotates by one radian.
    """
    limits = []
    for k in solver.actuated:
        unit = float(solver.tree.unit[k])
        lower, upper = max(float(solver.lower[k]), -UNBOUNDED), min(float(solver.upper[k]), UNBOUNDED)
        limits.append(Limits(lower, upper, unit * VELOCITY, unit * ACCELERATION, unit * JERK))
    return tuple(limits)


def by_motor(solver: MechanismSolver, state: AssemblyState) -> np.ndarray:
    """Jacobian (b, 3, m) of the bodies' rotations with respect to the motors' values [rad/rad, rad/m], with
    closed loops.
    """
    loops, twists = linearised(solver, state)
    free = null_space(loops, len(solver.tree))
    back = np.linalg.pinv(free[solver.actuated], LEAST_SINGULAR)
    jacobian: np.ndarray = twists[:, :3] @ (free @ back) / solver.tree.unit[solver.actuated]
    return jacobian


def run(
    solver: MechanismSolver, goals: Sequence[Goals], dt: float, start: AssemblyState | None = None
) -> Run:
    """Runs the mechanism's ticks, with the motion filter, and exact solves, for the goals of each frame and
    frames of `dt` [s]. Both begin at rest in a pose that is assembled from `start` for the first goals.
    """
    first = assemble(solver, start, goals[0]).state
    limits = limits_of(solver)
    motors = [
        (joint.name, k)
        for joint in solver.mechanism.actuators
        for k in range(len(solver.values(first, joint.name)))
    ]
    filters = tuple(
        MechanismMotor(name, k, make_filter("default", motor_limits))
        for (name, k), motor_limits in zip(motors, limits, strict=True)
    )
    counts = count(solver, first)
    loose = set(counts.undetermined)
    model = MechanismModel(
        solver, first, filters, frozenset(loose), counts.independent_actuators < counts.actuators
    )
    state, reference = None, first
    shown, desired, values, jacobians, excess, away = [], [], [], [], [], []
    is_closed, flipped = True, False
    for goal in goals:
        outputs, state = tick(model, goal, state, dt)
        exact = solver.solve(goal, reference)
        reference = exact.state
        away.append(exact.report.goal_error > MISSED)
        excess.append(_goal_error(solver, goal, state.shown) - exact.report.goal_error)
        shown.append(outputs.poses[:, :3, :3])
        desired.append(solver.poses(state.desired)[:, :3, :3])
        values.append(outputs.values)
        jacobians.append(by_motor(solver, state.shown))
        is_closed, flipped = is_closed and outputs.is_closed, flipped or state.flipped
    judged = np.array([body.name not in loose for body in solver.mechanism.bodies])
    phase = _phases(np.array(away), round(RETURN / dt))
    numbers = (np.array(rows) for rows in (shown, desired, values, jacobians, excess))
    return Run(
        *numbers,
        phase,
        np.array([motor_limits.acceleration for motor_limits in limits]),
        judged,
        dt,
        is_closed,
        flipped,
    )


def _goal_error(solver: MechanismSolver, goal: Goals, pose: AssemblyState) -> float:
    frames = solver.tree.forward(pose.values, balls=pose.balls)
    at = Kinematics(frames, solver.tree.screws(frames), pose.values, pose.balls)
    return float(np.linalg.norm(stacked(list(solver.objectives.of_goals(goal)), at, len(solver.tree))[0]))


def _phases(away: np.ndarray, back: int) -> np.ndarray:
    """Index (t,) of each frame's phase; `back` is the number of frames of the return."""
    since = np.full(len(away), back + 1)
    for k, is_away in enumerate(away):
        since[k] = 0 if is_away else since[k - 1] + 1 if k else back + 1
    phases: np.ndarray = np.where(away, 1, np.where(since <= back, 2, 0))
    return phases


def accelerations(rotations: np.ndarray, dt: float) -> np.ndarray:
    """Angular accelerations (t - 2, b) [deg/s2] from rotations (t, b, 3, 3), at all frames but the first and
    the last.
    """
    steps = logarithm(rotations[1:] @ np.swapaxes(rotations[:-1], -1, -2))
    magnitudes: np.ndarray = np.degrees(np.linalg.norm(np.diff(steps, axis=0), axis=-1)) / dt**2
    return magnitudes


def implied(run: Run) -> np.ndarray:
    """Angular accelerations (t - 2, b) [deg/s2] that the motors' limits allow, at all frames but the first
    and the last.
    """
    sizes = np.linalg.norm(run.by_motor, axis=2) @ run.acceleration
    largest = np.maximum(np.maximum(sizes[:-2], sizes[1:-1]), sizes[2:])
    moved = (run.motors[2:] - run.motors[:-2]) / (2.0 * run.dt)
    bent = np.einsum("tbim,tm->tbi", (run.by_motor[2:] - run.by_motor[:-2]) / (2.0 * run.dt), moved)
    allowed: np.ndarray = np.degrees(largest + np.linalg.norm(bent, axis=-1))
    return allowed


def rows(run: Run) -> Iterator[tuple[str, Row]]:
    """(phase, figures) of each phase that has frames; none if the motors determine no body."""
    shown, allowed = accelerations(run.shown, run.dt)[:, run.judged], implied(run)[:, run.judged]
    desired_accelerations = accelerations(run.asked, run.dt)[:, run.judged]
    for k, name in enumerate(PHASES):
        in_phase = run.phase[1:-1] == k
        if not in_phase.any() or not run.judged.any():
            continue
        frame, body = np.unravel_index(shown[in_phase].argmax(), shown[in_phase].shape)
        ratio = float((shown[in_phase] / np.maximum(allowed[in_phase], NOISE)).max())
        excess = 1e3 * np.maximum(run.excess[1:-1][in_phase], 0.0)
        yield (
            name,
            Row(
                float(shown[in_phase].max()),
                float(allowed[in_phase][frame, body]),
                ratio,
                float(desired_accelerations[in_phase].max()),
                *map(float, (excess.max(), excess.mean())),
            ),
        )


HEADER = f"{'':36s}{'phase':8s}{'shown':>9s}{'implied':>9s}{'ratio':>7s}{'asked':>10s}{'error: most':>13s}{'mean':>8s}"


def lines(name: str, run: Run) -> Iterator[str]:
    """Lines of the table for one run."""
    remark = ("" if run.is_closed else "  OPEN") + ("  flipped" if run.flipped else "")
    for phase, row in rows(run):
        yield f"{name:36s}{phase:8s}{_figures(row)}{remark}"


# (name, mechanism, first pose, goals of the frames)
Case = tuple[str, MechanismSolver, AssemblyState | None, Sequence[Goals]]


def print_runs(cases: Iterable[Case], dt: float) -> None:
    """Prints the table of some cases; for several, also the median and largest figures of each phase."""
    print(HEADER)
    rows_by_phase: dict[str, list[Row]] = {}
    for name, solver, start, goals in cases:
        done = run(solver, goals, dt, start)
        for line in lines(name, done):
            print(line, flush=True)
        for phase, row in rows(done):
            rows_by_phase.setdefault(phase, []).append(row)
    for phase, of in rows_by_phase.items():
        if len(of) > 1:
            for word, take in (("median", np.median), ("largest", np.max)):
                figures = (float(take([getattr(row, field.name) for row in of])) for field in fields(Row))
                print(f"{f'{word} of {len(of)}':36s}{phase:8s}{_figures(Row(*figures))}")


def _figures(row: Row) -> str:
    return (
        f"{row.shown:9.0f}{row.implied:9.0f}{row.ratio:7.2f}{row.asked:10.0f}{row.worst:13.3g}{row.mean:8.3g}"
    )
