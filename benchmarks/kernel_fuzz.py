"""Calls the compiled kernel with random and invalid input: no call may crash, and every result must be
finite.

    python -m benchmarks.kernel_fuzz [--calls 100000] [--seed 1]

`make fuzz` makes ten million calls with a library compiled with gcc's sanitizers, which end the program at
memory errors and undefined behaviour. It fails if a result is not finite.
"""

import argparse
import math
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from limber.character.joint_filters import LIMITS, NUMBERS
from limber.solvers.bones.last_frames import LastFrames
from limber.solvers.bones.model import BoneModel, BonePose
from limber.solvers.erik.parameters import Hyperparameters
from limber.solvers.expressive.model import Model
from limber.solvers.expressive.motion import ActiveTransition
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.expressive.prediction import GoalForecast, Velocity
from limber.solvers.expressive.seeds import Seeds
from limber.solvers.goals import Direction, EndGoal, GazeGoal, Orientation, Point, Position
from limber.solvers.kernel.binding import CompiledModel
from limber.solvers.kernel.bones import CompiledBones
from limber.solvers.kernel.erik import COUNTS, REALS, CompiledErik
from limber.solvers.kernel.inputs import PlannedPath
from limber.solvers.kernel.library import Kernel, KernelError, check, kernel
from limber.solvers.kernel.structures import Buffer
from limber.solvers.kinematics.rotations import IDENTITY, to_matrix
from limber.solvers.kinematics.skeleton import End, Joint, Skeleton
from limber.solvers.limits import usual_limits
from limber.solvers.mechanism.solver import MechanismSolver
from limber.solvers.virtual_chain.chain import VirtualChain
from limber.solvers.whole_body.body import Body, Coupling
from limber.solvers.whole_body.law import Law
from limber.solvers.whole_body.options import WholeBodyOptions
from limber.solvers.whole_body.solver import WholeBody
from limber.solvers.whole_body.targets import BodyTargetError, Contact, Target, Values

from . import kernel_fuzz_mechanisms
from .kernel_fuzz_numbers import number, unit, vector

SIZES = (1, 2, 3, 5, 8, 18, 60, 200)  # numbers of joints of the skeletons
SHARES = (0.3, 0.2, 0.2, 0.15, 0.1, 0.04, 0.007, 0.003)  # shares of skeletons, by size
CALLS_OF_A_SKELETON = 40  # number of calls after which another skeleton is drawn
NOT_FINITE = "calls that are NOT FINITE"  # label for calls that must not occur
BEYOND = 1e-15  # relative rounding error of an angle, by which full rotations may move it beyond a limit
FILTERS = 0.05  # share of calls that are steps of the motion filter; of the other calls:
BODIES = 0.2  # share that are steps of a whole body
MECHANISMS = 0.2  # share that are solves of mechanisms
BONES = 0.2  # share that are solves on bones, for a skeleton that the kernel takes as bones
SHARE_OF_ERIK = 0.3  # share that are calls of ERIK, for a skeleton that it supports


def skeleton_of(draw: np.random.Generator, joints: int) -> Skeleton:
    """A random tree with one or two ends; some of its links have no length, some joints cannot move, and some
    are prismatic.
    """
    random_joints = []
    for k in range(joints):
        parent = k - 1 if draw.random() < 0.8 else int(draw.integers(-1, k)) if k else -1
        lower, upper = sorted(draw.choice([*draw.uniform(-4, 4, 4), 0.0, 1e9, -1e9], 2).tolist())
        offset = tuple((draw.normal(size=3) * draw.choice([0.0, 1.0, 1e-9, 1e6])).tolist())
        kind = "prismatic" if draw.random() < 0.1 else "revolute"
        random_joints.append(
            Joint(
                f"joint {k}",
                parent,
                unit(draw, 4),
                offset,
                unit(draw, 3),
                lower,
                upper if draw.random() < 0.9 else lower,
                kind,
            )
        )
    ends = (End(int(draw.integers(joints)), unit(draw, 4), (0.0, 0.0, 0.0), "other"),)
    return Skeleton(
        tuple(random_joints), unit(draw, 4), (0.0, 1.0, 0.0), more_ends=ends if draw.random() < 0.3 else ()
    )


def goal_of(draw: np.random.Generator, skeleton: Skeleton) -> GazeGoal:
    """A goal with unchecked random numbers."""

    def aim() -> object:
        kind, rolls = draw.integers(4), {}
        if draw.random() < 0.5:
            rolls[str(draw.choice(["up", "level"]))] = unit(draw, 3)
        if kind == 0:
            return Orientation(unit(draw, 4))
        if kind == 1:
            return Direction(unit(draw, 3), **rolls)
        return Point(vector(draw, 3), **rolls) if kind == 2 else Position(vector(draw, 3))

    others = tuple(EndGoal(aim(), end, float(draw.random())) for end in range(1, len(skeleton.ends)))
    return GazeGoal(aim(), np.zeros(len(skeleton)), bool(draw.integers(2)), 1.0, 1.0, others)


def call_erik(draw: np.random.Generator, skeleton: Skeleton, erik: CompiledErik) -> list[np.ndarray]:
    """Makes one random call of ERIK; returns the results, which must be finite: they contain NaN if an angle
    is beyond its limits.
    """
    goal = goal_of(draw, skeleton)
    while isinstance(goal.aim, Position):
        goal = goal_of(draw, skeleton)
    posture = vector(draw, len(skeleton))
    answer = erik.solve(
        goal, posture, skeleton.clamp(vector(draw, len(skeleton))) if draw.integers(2) else None
    )
    excess = max(
        max(lower - angle, angle - upper)
        for angle, lower, upper in zip(answer.angles, skeleton.lower, skeleton.upper, strict=True)
    )
    beyond = math.nan if excess > BEYOND * (1.0 + max(map(abs, answer.angles))) else 0.0
    return [np.array((*answer.angles, *answer[1:3], *answer.measured.errors[0], beyond), float)]


def erik_of(draw: np.random.Generator, skeleton: Skeleton) -> CompiledErik | None:
    """ERIK for a skeleton, with some unchecked hyperparameters; None for a tree, for a chain without revolute
    joints, and if there is no kernel or it refuses the numbers.
    """
    library = kernel()
    if library is None or not skeleton.is_chain or all(j.kind == "prismatic" for j in skeleton.joints):
        return None
    usual = Hyperparameters()
    hyper = SimpleNamespace(
        loop=str(draw.choice(["published", "posture"])),
        **{name: number(draw) if draw.random() < 0.2 else getattr(usual, name) for name in REALS},
        **{name: int(draw.choice([1, 2, 5, 10, draw.integers(-1, 3)])) for name in COUNTS},
    )
    try:
        return CompiledErik(library, skeleton, VirtualChain(skeleton), hyper, 3)
    except KernelError:
        return None


def call(draw: np.random.Generator, compiled: CompiledModel, skeleton: Skeleton) -> list[np.ndarray]:
    """Makes one random call of a model's functions; returns the results, which must be finite."""
    n, goal = len(skeleton), goal_of(draw, skeleton)
    angles = np.array(vector(draw, n))
    posture = skeleton.clamp(draw.normal(size=n))
    problem = goal, posture, float(draw.choice([0.0, 0.3, 1.0]))
    speed, dt = abs(number(draw)), float(draw.choice([1 / 60, 1e-12, 1e7, abs(number(draw))]))
    transition = ActiveTransition(int(draw.integers(2, 4)), tuple(vector(draw, n)))
    kind = draw.integers(7)
    if kind == 0:
        result = compiled.evaluate(*problem, angles, float(draw.choice([-1.0, 0.0, 1.0])))
        return [result.error, result.columns, result.matrix, result.descent, np.array(result[4:])]
    if kind == 1:
        starts = np.array([vector(draw, n) for _ in range(4)])
        return list(compiled.descend(*problem, starts, np.zeros(4), np.ones(4), 3, 2))
    if kind == 2:
        best, error, _, errors = compiled.search(*problem, Seeds(compiled.model))
        return [np.array(best), np.array(error), np.array(errors.errors)]
    if kind == 3:
        result = compiled.local_frame(
            problem, angles, np.array(vector(draw, n)), dt, float(draw.random()), 1.0
        )
        return [np.array((*result.angles, result.aim_error, result.merit))]
    if kind == 4:
        result = compiled.transition_frame(
            problem, angles, np.array(vector(draw, n)), dt, transition, speed, bool(draw.integers(2))
        )
        return [np.array((*result.angles, result.aim_error, result.merit, result.speed))]
    if kind == 6:
        costs = tuple(abs(number(draw)) for _ in range(n)) if draw.integers(2) else None
        steps, looks = int(draw.integers(0, 20)), bool(draw.integers(2))
        found = compiled.correct(goal, posture if draw.integers(2) else None, angles, costs, steps, looks)
        return [np.array((*found.angles, *found[1:4], *np.ravel(found.measured.errors)), float)]
    known = np.array([vector(draw, n) for _ in range(int(draw.integers(12)))]).reshape(-1, n)
    path = PlannedPath(known, angles, dt, speed, transition.kind, transition.branch, 1.0, False, False)
    seeds = Seeds(compiled.model)
    moving = [Velocity(vector(draw, 3), vector(draw, 3)) for _ in goal.ends]
    forecast, lead = GoalForecast(goal, moving, 1 / 60), abs(number(draw))
    pool, _, branch = compiled.plan(problem, forecast, lead, (0.03, 0.1, abs(number(draw))), seeds, path)
    return [pool, np.array(branch)]


def bones_of(draw: np.random.Generator, skeleton: Skeleton) -> CompiledBones | None:
    """The skeleton as bones, with some joints without limits, and sometimes with ball joints; None if the
    kernel refuses it.
    """
    library = kernel()
    assert library is not None
    joints = tuple(
        replace(joint, lower=-1e3, upper=1e3) if joint.kind == "revolute" and draw.random() < 0.5 else joint
        for joint in skeleton.joints
    )
    if draw.random() < 0.5:  # joints that form ball joints
        joints = tuple(_of_ball(joint, k) for k, joint in enumerate(joints))
    model = BoneModel(replace(skeleton, joints=joints), ExpressiveOptions(hold_body=bool(draw.integers(2))))
    try:
        return CompiledBones(library, model)
    except KernelError:
        return None


def _of_ball(joint: Joint, number: int) -> Joint:
    """A revolute joint whose parent is the joint before it, as one of the three joints of a ball joint;
    others unchanged.
    """
    if joint.kind == "prismatic" or joint.parent != number - 1:
        return joint
    axis = tuple(np.eye(3)[number % 3].tolist())
    if number % 3 == 0:
        return replace(joint, axis=axis, lower=-1e3, upper=1e3)
    zero_offset = (0.0, 0.0, 0.0)
    return replace(joint, axis=axis, lower=-1e3, upper=1e3, rest_rotation=IDENTITY, rest_offset=zero_offset)


def call_bones(draw: np.random.Generator, skeleton: Skeleton, bones: CompiledBones) -> list[np.ndarray]:
    """Makes one random solve on bones, or its first step, some with an unchecked last frame; returns the
    results, which must be finite.
    """
    n, goal = len(skeleton), goal_of(draw, skeleton)
    balls = bones.ball_count
    last = None
    if draw.random() < 0.5:
        deviations = [
            BonePose(np.array(vector(draw, n)), np.reshape(vector(draw, 9 * balls), (-1, 3, 3)))
            for _ in range(2)
        ]
        before = deviations[1] if draw.random() < 0.5 else None
        last = LastFrames(deviations[0], before, np.array(vector(draw, int(draw.integers(0, 7)))))
    if draw.random() < 0.2:
        step = bones.first_step(goal, np.array(vector(draw, n)), last, number(draw), abs(number(draw)))
        return [step.step, np.array((step.cost, step.aim_error))]
    solved = bones.solve(goal, np.array(vector(draw, n)), last, number(draw))
    numbers = np.array((*solved.angles, solved.cost, *np.ravel(solved.measured.errors)))
    return [numbers, solved.values, solved.balls, solved.forces]


def call_filter(draw: np.random.Generator) -> list[np.ndarray]:
    """Makes one random step of the motion filter; returns the states after it, which must be finite."""
    library, joints = kernel(), int(draw.integers(1, 6))
    assert library is not None
    limits, targets, before, after = (Buffer(joints, count) for count in (LIMITS, 1, NUMBERS, NUMBERS))
    for buffer in (limits, targets, before):
        buffer.array[:] = np.reshape(vector(draw, buffer.array.size), buffer.array.shape)
    if draw.random() < 0.8:
        limits.array[:] = np.abs(limits.array)
        limits.array[:, 0] *= -1.0
    dt = float(draw.choice([1 / 60, 1e-12, 1e7, number(draw)]))
    addresses = [buffer.address for buffer in (limits, targets, before, after)]
    check(library.filter_step(joints, *addresses[:2], dt, *addresses[2:]))
    return [after.array]


def couplings_of(draw: np.random.Generator, joints: tuple[Joint, ...]) -> list[Coupling]:
    """Couplings with random factors, some of which cannot be satisfied."""
    couplings = []
    for name in ("first", "second")[: int(draw.choice([0, 0, 1, 2]))]:
        chosen = draw.choice(len(joints), min(len(joints), 3), replace=False)
        lower, upper = sorted(draw.choice([0.0, 0.0, -math.inf, math.inf, *draw.normal(size=3)], 2).tolist())
        couplings.append(Coupling(name, {joints[k].name: number(draw) for k in chosen}, lower, upper))
    return couplings


def contacts_of(draw: np.random.Generator) -> tuple[Contact, ...]:
    """Contacts of some of three links, near or out of reach, some with a rotation."""
    return tuple(
        Contact(
            str(k),
            np.array(vector(draw, 3)),
            np.array(to_matrix(unit(draw, 4))) if draw.random() < 0.5 else None,
        )
        for k in range(3)
        if draw.random() < 0.3
    )


def stepped(draw: np.random.Generator, skeleton: Skeleton) -> list[np.ndarray]:
    """Makes two random steps of a whole body, one after the other; returns the results, which must be
    finite.
    """
    links = [
        End(int(draw.integers(-1, len(skeleton))), unit(draw, 4), vector(draw, 3), str(k)) for k in range(3)
    ]
    lower, upper = ([getattr(joint, side) for joint in skeleton.joints] for side in ("lower", "upper"))
    if draw.random() < 0.3:
        lower, upper = [-math.inf] * len(lower), [math.inf] * len(upper)
    body = Body(
        skeleton.joints, links, bool(draw.integers(2)), lower, upper, couplings_of(draw, skeleton.joints)
    )
    levels = int(draw.choice([1, 1, 3]))
    targets = [
        Target(str(k), kind, float(draw.random()), level=int(draw.integers(levels)))
        for k in range(3)
        for kind in ("orientation", "position")
    ]
    limits = usual_limits(*draw.choice([None, 1e-3, 1.0, 1e9], 2))
    solver = WholeBody(body, targets, WholeBodyOptions(Law(float(draw.choice([math.inf, 5.0]))), limits))
    rotations = np.array([to_matrix(unit(draw, 4)) for _ in range(3)])
    positions, spins, speeds = (np.reshape(vector(draw, 9), (3, 3)) for _ in range(3))
    posture = np.array(vector(draw, len(skeleton))) if draw.random() < 0.5 else None
    values, state = (
        Values(rotations, positions, spins, speeds, contacts_of(draw), posture),
        solver.start(vector(draw, len(skeleton))),
    )
    dt = float(draw.choice([1 / 60, 1e-12, 1e7]))
    for _ in range(2):
        _, state = solver.step(values, state, dt)
    return [state.joints, state.base_rotation, state.base_position, state.velocity, state.frames.nodes]


class Solvers(NamedTuple):
    """A skeleton and the kernel's models of it, and of a mechanism."""

    skeleton: Skeleton
    compiled: CompiledModel
    mechanism: MechanismSolver
    erik: CompiledErik | None  # None if the kernel's ERIK does not support the skeleton, or the numbers
    bones: CompiledBones | None  # None if the kernel refuses the skeleton as bones


def solvers_of(draw: np.random.Generator, library: Kernel) -> Solvers:
    """A random skeleton and a random mechanism with their models. Raises KernelError if the kernel refuses
    the skeleton.
    """
    skeleton = skeleton_of(draw, int(draw.choice(SIZES, p=SHARES)))
    compiled = CompiledModel(library, Model(skeleton, ExpressiveOptions(hold_body=bool(draw.integers(2)))))
    mechanism = MechanismSolver(kernel_fuzz_mechanisms.mechanism_of(draw))
    return Solvers(skeleton, compiled, mechanism, erik_of(draw, skeleton), bones_of(draw, skeleton))


def call_any(draw: np.random.Generator, solvers: Solvers) -> list[np.ndarray]:
    """Makes one random call of any of the library's functions; returns the results, which must be finite."""
    if draw.random() < FILTERS:
        return call_filter(draw)
    kind, skeleton = draw.random(), solvers.skeleton
    if kind < BODIES:
        return stepped(draw, skeleton)
    if kind < BODIES + MECHANISMS:
        return kernel_fuzz_mechanisms.solve(draw, solvers.mechanism)
    if solvers.bones is not None and kind > 1.0 - BONES:
        return call_bones(draw, skeleton, solvers.bones)
    if solvers.erik is not None and kind < BODIES + MECHANISMS + SHARE_OF_ERIK:
        return call_erik(draw, skeleton, solvers.erik)
    return call(draw, solvers.compiled, skeleton)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--calls", type=int, default=100_000)
    ask.add_argument("--seed", type=int, default=1)
    choice = ask.parse_args()
    library, draw, results = kernel(), np.random.default_rng(choice.seed), Counter()
    assert library is not None, "there is no compiled kernel: python scripts/build_kernel.py"
    while results.total() < choice.calls:
        try:
            solvers = solvers_of(draw, library)
        except KernelError:
            results["models refused"] += 1
            continue
        for _ in range(CALLS_OF_A_SKELETON):
            try:
                finite = all(np.isfinite(each).all() for each in call_any(draw, solvers))
            except (KernelError, BodyTargetError):
                results["calls refused"] += 1
            else:
                results["calls that are finite" if finite else NOT_FINITE] += 1
    print(", ".join(f"{count} {what}" for what, count in sorted(results.items())))
    if results[NOT_FINITE]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
