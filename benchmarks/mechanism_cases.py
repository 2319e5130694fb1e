"""Mechanisms of the gallery without Blender, with paths: the validation examples of Schumacher et al. 2021,
and cases that other libraries support.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from limber.robots.gallery.mechanism import Recipe, RecipeJoint, read_recipe
from limber.solvers.kinematics.rotations import Vector, cross, from_axes, from_matrix
from limber.solvers.kinematics.se3 import RigidTransform
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import FrameGoal, Goals, RegulariserWeights
from limber.solvers.mechanism.model import Joint, Mechanism, RigidBody
from limber.solvers.mechanism.solution import AssemblyState
from limber.solvers.mechanism.solver import MechanismSolver

from .mechanism_gallery import Case, dancer

FRAMES, RATE = 240, 60.0  # [Hz] frame rate, after the number of frames
AWAY = (1.0, 3.0)  # [s] period in which a target is out of reach


def mechanism_of(recipe: Recipe) -> Mechanism:
    """A mechanism of the gallery for the solver; the frames of all bodies have the world's axes."""
    grounded = {body.name for body in recipe.bodies if body.role == "GROUND"}
    origin = {body.name: body.points[0] for body in recipe.bodies}
    motors = {motor.joint: motor for motor in recipe.motors}
    bodies = [
        RigidBody(name, 1.0, start=RigidTransform(position=position), grounded=name in grounded)
        for name, position in origin.items()
    ]
    joints = []
    for joint in recipe.joints:
        rotation = _turn(joint)
        at = [
            RigidTransform(rotation, tuple(a - b for a, b in zip(joint.at, origin[body], strict=True)))
            for body in (joint.first, joint.second)
        ]
        motor = motors.get(joint.name)
        limits: tuple[tuple[float, ...], ...] = ((), ())
        if motor:
            scale = 1.0 if motor.axis.startswith("LINEAR") else math.radians(1.0)
            limits = ((scale * motor.lower,), (scale * motor.upper,))
        joints.append(
            Joint(joint.name, joint.kind, joint.first, joint.second, *at, *limits, actuated=motor is not None)
        )
    return Mechanism(tuple(bodies), tuple(joints))


def _turn(joint: RecipeJoint):
    """Rotation from the joint's axes to the world's, as the gallery's builder computes it."""
    length = math.hypot(*joint.z)
    z = tuple(part / length for part in joint.z)
    x = joint.x or ((1.0, 0.0, 0.0) if abs(z[0]) < 0.9 else (0.0, 1.0, 0.0))
    along = sum(a * b for a, b in zip(x, z, strict=True))
    x = tuple(a - along * b for a, b in zip(x, z, strict=True))
    length = math.hypot(*x)
    x = tuple(part / length for part in x)
    return from_axes(x, cross(z, x), z)


def every_kind() -> Case:
    """The paper's first validation example: one DoF and every common kind of joint; the table at its end
    moves to and fro.
    """
    mechanism = mechanism_of(read_recipe("every_kind"))
    table = next(body.start.position for body in mechanism.bodies if body.name == "Table")

    def goals(t: float) -> Goals:
        x = table[0] + 0.035 * math.sin(1.5 * t)  # the crank swings by 45 degrees
        return Goals((FrameGoal("Table", position=(x, 0.0, 0.0), position_weight=(1.0, 0.0, 0.0)),))

    return Case("all kinds of joints", mechanism, goals)


def serial_arm() -> Case:
    """The paper's second validation example: a chain of six revolute and six prismatic joints, with one goal
    frame at the end; undetermined motion stays as in the last frame.
    """
    recipe = read_recipe("serial_arm")
    mechanism, calm = mechanism_of(recipe), RegulariserWeights(recipe.steady)
    hand = next(body.start.position for body in mechanism.bodies if body.name == "Hand")

    def goals(t: float) -> Goals:
        position = (
            hand[0] + 0.08 * math.sin(1.5 * t),
            hand[1] + 0.08 * math.sin(1.1 * t),
            hand[2] - 0.06 + 0.04 * math.cos(1.3 * t),
        )
        half = 0.2 * math.sin(1.7 * t)
        return Goals(
            (FrameGoal("Hand", position=position, rotation=(math.cos(half), 0.0, math.sin(half), 0.0)),),
            regulariser_weights=calm,
        )

    return Case("serial arm", mechanism, goals)


@dataclass(frozen=True)
class Race:
    """A mechanism without limits, the goals of a path, and the assembled start pose."""

    name: str
    solver: MechanismSolver
    start: AssemblyState
    goals: tuple[Goals, ...]  # goals of each frame
    can_reach: tuple[bool, ...]  # whether the goals of each frame can be met


def races() -> tuple[Race, ...]:
    """Cases that all libraries support: loops closed by hinges and balls, and goals for one body."""
    quarter = 0.5 * math.pi
    return (
        _led("four_bar", "Coupler", False, lambda t: {"Crank Shaft": quarter * t}),
        _led("pantograph", "Pen", False, _swaying({"Left Shaft": 0.4, "Right Shaft": 0.3})),
        _led("delta", "Platform", False, _swaying({f"Hip {k}": 0.1 * k + 0.2 for k in (1, 2, 3)})),
        _led("stewart", "Platform", True, _swaying({f"Leg {k}": 0.01 + 0.004 * k for k in range(1, 7)})),
        _of_case(dancer()),
        _led("pantograph", "Pen", False, _swaying({"Left Shaft": 0.4, "Right Shaft": 0.3}), (0.0, 0.0, 0.2)),
        _led(
            "delta",
            "Platform",
            False,
            _swaying({f"Hip {k}": 0.1 * k + 0.2 for k in (1, 2, 3)}),
            (0.05, 0.0, -0.2),
        ),
    )


def _swaying(sizes: dict[str, float]) -> Callable[[float], dict[str, float]]:
    """Motor values as a function of time [s]: each motor swings with its own period."""
    return lambda t: {
        name: size * math.sin((1.0 + 0.3 * k) * t) for k, (name, size) in enumerate(sizes.items())
    }


def _led(
    key: str,
    body: str,
    is_turned: bool,
    motors: Callable[[float], dict[str, float]],
    away: Vector | None = None,
) -> Race:
    """Race of the gallery's mechanism `key` whose goals, the positions of a body and with `is_turned` also
    its rotations, come from a motion of its motors, so that they can be met; in the middle they are displaced
    by up to `away` [m] for a while.
    """
    mechanism = mechanism_of(read_recipe(key))
    solver = MechanismSolver(
        replace(mechanism, joints=tuple(replace(joint, lower=(), upper=()) for joint in mechanism.joints))
    )
    index = mechanism.body_index[body]

    def asked(t: float) -> Goals:
        return Goals(actuators={name: (value,) for name, value in motors(t).items()})

    first = solution = assemble(solver, goals=asked(0.0))
    goals, can_reach = [], []
    for k in range(FRAMES):
        t = k / RATE
        solution = solver.solve(asked(t), solution.state)
        pose, is_near = solution.poses[index], away is None or not AWAY[0] < t < AWAY[1]
        share = 0.0 if is_near else math.sin(math.pi * (t - AWAY[0]) / (AWAY[1] - AWAY[0])) ** 2
        position = tuple(float(pose[axis, 3] + share * (away or (0.0,) * 3)[axis]) for axis in range(3))
        goals.append(
            Goals(
                (
                    FrameGoal(
                        body,
                        position=position,
                        rotation=from_matrix(pose[:3, :3].tolist()) if is_turned else None,
                    ),
                )
            )
        )
        can_reach.append(is_near)
    name = key.replace("_", "-") + (", target out of reach" if away else "")
    return Race(name, solver, _alone(first.state), tuple(goals), tuple(can_reach))


def _of_case(case: Case) -> Race:
    solver = MechanismSolver(case.mechanism)
    goals = tuple(case.goals(k / RATE) for k in range(FRAMES))
    return Race(case.name, solver, _alone(assemble(solver, goals=goals[0]).state), goals, (True,) * FRAMES)


def _alone(state: AssemblyState) -> AssemblyState:
    """The pose of a state, without the solver's memory."""
    return AssemblyState(state.values, state.balls)
