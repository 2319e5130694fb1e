"""What Check Mechanism says: whether it can be assembled, how it moves, what its motors leave open, and what is wrong."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import degrees

import bpy
import numpy as np

from ...solvers.mechanism.counting import count
from ...solvers.mechanism.report import Counts
from ..axes import slides, text
from ..counted import counted
from ..errors import Finding, RigError
from . import live, ready
from .asked import motor_joint
from .reading import Reading

APART = 1e-6  # [m] joints of a rod nearer to each other than this are at one place
NAMED = 4  # in a sentence


@dataclass(frozen=True)
class Outcome:
    """What was found. `counts` is None where the mechanism cannot be assembled."""

    sentence: str
    findings: tuple[Finding, ...]
    counts: Counts | None = None


def check(context, owner) -> Outcome:
    """Looks at a mechanism as it is authored, or as it went live."""
    kept = owner.limber.mechanism
    try:
        made = ready.kept(owner) if kept.live else None
        if made is None:
            made = live.prepare(owner)
    except RigError as error:
        return Outcome(str(error), (Finding(str(error), blocks=True),))
    reading, counts = made.reading, count(made.model.solver, made.model.rest)
    findings = [Finding(warning) for warning in reading.warnings]
    findings += [*_of_motors(kept, reading), *_of_rods(reading), *_of_goals(kept), *of_physics(context, reading)]
    if counts.independent_actuators < counts.actuators:
        more = counts.actuators - counts.independent_actuators
        findings.append(Finding(f"{more} of {counts.actuators} motors follow from the others: they work, but must agree on the robot"))
    return Outcome(_sentence(owner, reading, counts), tuple(findings), counts)


def _sentence(owner, reading: Reading, counts: Counts) -> str:
    said = (
        f"'{owner.name}': {len(reading.parts)} bodies, {counted(len(reading.mechanism.joints), 'joint')}, mobility {counts.mobility}"
        f" with {counted(counts.actuators, 'motor')}, redundancy {counts.redundancy}"
    )
    if counts.open_ways and counts.undetermined:
        named = ", ".join(f"'{name}'" for name in counts.undetermined[:NAMED]) + (" ..." if len(counts.undetermined) > NAMED else "")
        ways = "1 way to move is" if counts.open_ways == 1 else f"{counts.open_ways} ways to move are"
        said += f"; {ways} left with the motors held (of {named}), which a solve keeps still"
    return said


def _of_motors(kept, reading: Reading) -> Iterator[Finding]:
    joints = reading.mechanism.joint
    for motor in kept.motors:
        joint = joints.get(motor_joint(motor, reading))
        if joint is None:
            continue
        if not motor.lower <= 0.0 <= motor.upper and not kept.use_bones:
            low, high = text(motor.axis, motor.lower), text(motor.axis, motor.upper)
            yield Finding(f"Motor '{motor.name}' stands at 0 in the sketch, but its limits are {low} to {high}: it starts at the nearest")
    if not kept.motors:
        yield Finding("No motor is chosen: select a joint and press Add Motors, so that a robot can follow")


def _of_rods(reading: Reading) -> Iterator[Finding]:
    """Bodies between two joints at one place."""
    at: dict[str, list] = {}
    for joint in reading.mechanism.joints:
        if joint.parent:
            at.setdefault(joint.parent, []).append((joint.name, joint.in_parent.place))
        at.setdefault(joint.child, []).append((joint.name, joint.in_child.place))
    for name, found in at.items():
        if len(found) == 2 and np.abs(np.subtract(found[0][1], found[1][1])).max() < APART:
            balls = [joint for joint, _ in found if reading.mechanism.joint[joint].kind == "spherical"]
            if len(balls) == 2:
                yield Finding(f"Body '{name}' has no length: joints '{found[0][0]}' and '{found[1][0]}' are at one place, move one")


def _of_goals(kept) -> Iterator[Finding]:
    if kept.drive == "TARGETS":
        for goal in kept.goals:
            if goal.target is None:
                yield Finding(f"Goal '{goal.name}' has no target: choose an object that says where", blocks=True)


def of_physics(context, reading: Reading) -> Iterator[Finding]:
    """What Blender's own simulation would move as well."""
    world = context.scene.rigidbody_world
    if world is None or not world.enabled:
        return
    for part in reading.parts:
        thing = bpy.data.objects.get(part.thing)
        held = thing.rigid_body if thing else None
        if part.role == "MOVES" and held is not None and held.enabled and held.type == "ACTIVE" and not held.kinematic:
            yield Finding(
                f"Blender's own physics also moves '{part.name}' while playing, over Limber:"
                " switch the Rigid Body World off (Scene properties)"
            )
            return


def value_text(motor, value: float) -> str:
    """A motor's value as people read it."""
    return f"{1e3 * value:.2f} mm" if slides(motor.axis) else f"{degrees(value):.1f}°"
