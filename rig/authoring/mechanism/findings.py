"""Findings about a mechanism's motors, loops, goals and constraints, each with its remedy."""

from collections.abc import Iterator
from math import degrees

import bpy
import numpy as np

from ....motion import Limits, MotionError, make_filter
from ....solvers.mechanism.counting import locked_actuators
from ....solvers.mechanism.diagnosis import LockedLoop, flat_loops, locked_loops
from ....solvers.mechanism.goals import FrameGoal
from ...blender import actions
from ...blender.counting import counted, named
from ...blender.errors import Finding, RigError
from ...bones import axes
from ...mechanisms import inputs
from ...mechanisms.assembled import Assembled
from ...mechanisms.authored_mechanism import Reading
from ...mechanisms.inputs import WEIGHTS
from ...mechanisms.joint_kinds import dof_axes
from ...mechanisms.ownership import ends, is_joint, joint_objects
from ...properties.motion_style import motion_style
from ...scene.placement import Placement


def of_motors(settings: bpy.types.PropertyGroup, reading: Reading) -> Iterator[Finding]:
    """Findings about motors whose limits exclude the rest pose (not in a mechanism of bones), or with whose
    limits the mechanism's motion filter cannot work, and about a mechanism without motors.
    """
    joints = reading.mechanism.joint
    for motor in settings.motors:
        if joints.get(inputs.motor_joint(motor, reading)) is None:
            continue
        if not motor.lower <= 0.0 <= motor.upper and not settings.use_bones:
            low, high = axes.value_text(motor.axis, motor.lower), axes.value_text(motor.axis, motor.upper)
            yield Finding(
                f"Motor '{motor.name}' is at 0 in the rest pose, but its limits are {low} to {high}: it"
                " starts at the nearest"
            )
        try:
            make_filter(
                settings.filter,
                Limits(motor.lower, motor.upper, motor.velocity, motor.acceleration, motor.jerk),
                motion_style(settings, motor),
            )
        except MotionError as error:
            yield Finding(f"Motor '{motor.name}': {error}", blocks=True)
    if not settings.motors:
        yield Finding("There is no motor: select a joint and press + under Motors")


def locked_motors(settings: bpy.types.PropertyGroup, assembly: Assembled) -> list:
    """Motors of a mechanism that its closed loops lock, so that they cannot move."""
    mechanism = assembly.reading.mechanism
    moved = [(joint.name, axis) for joint in mechanism.actuators for axis in dof_axes(joint.kind)]
    locked = {moved[k] for k in locked_actuators(assembly.model.solver, assembly.model.rest)}
    return [
        motor
        for motor in settings.motors
        if (inputs.motor_joint(motor, assembly.reading), motor.axis) in locked
    ]


def of_loops(settings: bpy.types.PropertyGroup, assembly: Assembled) -> Iterator[Finding]:
    """Findings about loops that lie flat, so that they can only fold out of their plane; about loops that a
    misaligned joint axis locks; and about further motors that cannot move.
    """
    locked = locked_motors(settings, assembly)
    loops = locked_loops(assembly.model.solver, assembly.model.rest)
    misaligned_loops = [loop for loop in loops if loop.misaligned is not None]
    # hinges whose axes lie in the plane of their own loop
    for flat in flat_loops(assembly.model.solver, assembly.model.rest):
        yield Finding(
            f"Hinges {named(flat.joints)} have axes along {_in_world(flat.axis, assembly)}, in the plane of"
            " their own positions, so their loop lies flat and can only fold out of that plane. To let it"
            " move in the plane, rotate them, so that their axes lie along"
            f" {_in_world(flat.normal, assembly)} in the world"
        )
    # loops that a single axis locks, since its direction is off
    for loop in misaligned_loops:
        yield Finding(
            _of_axis(
                loop,
                [
                    motor.name
                    for motor in locked
                    if inputs.motor_joint(motor, assembly.reading) in loop.joints
                ],
                assembly,
            )
        )
    # motors that are locked for another reason
    for motor in locked:
        name = inputs.motor_joint(motor, assembly.reading)
        # the misaligned axis of its loop, reported already, explains why this motor is locked
        if any(name in loop.joints for loop in misaligned_loops):
            continue
        joints = next(
            (f" of {named(loop.loop)}" for loop in loops if name in loop.joints and len(loop.loop) > 1), ""
        )
        yield Finding(
            f"Motor '{motor.name}' cannot move: its loop{joints} holds the joint fast. Give the loop another"
            " degree of freedom (one more joint, another kind of joint, one Ground less), or remove the"
            " motor"
        )


def _of_axis(loop: LockedLoop, motors: list[str], assembly: Assembled) -> str:
    """Sentence on a loop that a misaligned axis locks, with the names of its `motors`."""
    misaligned = loop.misaligned
    assert misaligned is not None
    is_hinge = assembly.reading.mechanism.joint[misaligned.joint].kind == "revolute"
    word, verb = ("Hinge", "rotate about") if is_hinge else ("Prismatic joint", "move along")
    consequence = (
        f"none of {named(loop.joints)} can move"
        if len(loop.joints) > 1
        else f"'{misaligned.joint}' cannot move"
    )
    return (
        f"{word} '{misaligned.joint}' is off by {degrees(misaligned.angle):.3g} degrees from the axis that the others of"
        f" its loop let it {verb},"
        + f" so {consequence}"
        + (f", and motor {named(motors)} is locked" if motors else "")
        + f": rotate it, so that its axis lies along {_in_world(misaligned.correct, assembly)} in the world, by"
        " Align Axis or, of a bone, its roll"
    )


def _in_world(direction: np.ndarray, assembly: Assembled) -> str:
    """A direction (3,) in the frame of the mechanism's base, as text in world space."""
    return "(" + ", ".join(f"{number:z.4f}" for number in assembly.base[:3, :3] @ direction) + ")"


def of_goals(owner: bpy.types.Object, reading: Reading, depsgraph: bpy.types.Depsgraph) -> Iterator[Finding]:
    """Findings about goals that cannot be followed, or that have no effect; none while motors drive the
    mechanism.
    """
    settings = owner.limber.mechanism
    if settings.drive != "TARGETS":
        return
    placement, roles = Placement(depsgraph, {}), {part.name: part.role for part in reading.parts}
    for k, goal in enumerate(settings.goals):
        # only the goal's body, or the error, is used here, so any frame serves as the base's
        try:
            solver_goal = inputs.of_goal(goal, reading, placement, np.eye(4))
        except RigError as error:
            yield Finding(str(error), blocks=True)
            continue
        if isinstance(solver_goal, FrameGoal) and roles[solver_goal.body] != "MOVES":
            yield Finding(
                f"Goal '{goal.name}': body '{solver_goal.body}' is {roles[solver_goal.body].title()}, so"
                " the mechanism does not move it: choose another"
            )
        if goal.does == "CENTRE" and reading.massless:
            bodies_text = counted(len(reading.massless), "body that moves has", "bodies that move have")
            yield Finding(
                f"Goal '{goal.name}' is for the centre of mass, but {bodies_text} no mass: none is given, and there"
                f" is no mesh with a volume ({named(reading.massless)}). Select each and set Mass From to Own"
                " in the Mechanism panel"
            )
        # animated weights may be 0 in this frame only
        weights = WEIGHTS[goal.does]
        if not any(np.any(getattr(goal, name)) for name in weights) and not any(
            _is_animated(owner, k, name) for name in weights
        ):
            yield Finding(f"Goal '{goal.name}' has no effect: its weights are all 0, raise one")


def _is_animated(owner: bpy.types.Object, goal: int, weights: str) -> bool:
    """Whether keyframes or a driver change the weights, a property's name, of the goal with this index."""
    path = f"limber.mechanism.goals[{goal}].{weights}"
    curves = [curve for action, slot in actions.playing(owner) for curve in actions.fcurves(action, slot)]
    curves += owner.animation_data.drivers if owner.animation_data else ()
    return any(curve.data_path == path for curve in curves)


def of_constraints(owner: bpy.types.Object) -> Iterator[Finding]:
    """Findings about rigid body constraints with a missing body: Limber takes the world for it, while
    Blender's physics ignores the constraint.
    """
    for joint in joint_objects(owner):
        if (
            not is_joint(joint)
            or (constraint := joint.rigid_body_constraint) is None
            or not constraint.enabled
        ):
            continue
        lost = [word for word, body in zip(("First", "Second"), ends(joint), strict=True) if body is None]
        if len(lost) == 1:
            yield Finding(
                f"Joint '{joint.name}': its rigid body constraint has no {lost[0]} object, so the world is"
                " taken for it: choose the body (Physics), or remove the constraint"
            )


def value_text(motor: bpy.types.PropertyGroup, value: float) -> str:
    """A motor's value with its unit, for the interface."""
    if not axes.is_prismatic(motor.axis):
        return f"{degrees(value):z.1f}°"
    return f"{1e3 * value * bpy.context.scene.unit_settings.scale_length:z.2f} mm"
