"""Check of a mechanism: whether it can be assembled, its DoF, those that its motors do not
control, and problems.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np

from ....solvers.mechanism.counting import Counts, count
from ....solvers.mechanism.model import WORLD
from ...blender.counting import counted, named
from ...blender.errors import Finding, RigError
from ...live.live import as_authored
from ...mechanisms import assembled
from ...mechanisms.authored_mechanism import Reading
from ...mechanisms.closures import of_closures
from ...mechanisms.inputs import WEIGHTS
from ...mechanisms.ownership import bodies, ends, joint_objects, owner_of, owners, role_of
from .finding import collection_of, unlisted_joints
from .findings import locked_motors, of_constraints, of_goals, of_loops, of_motors

POINTS = 3  # number of points that fix the pose of a rigid body
APART = 1e-6  # [m] distance along each axis below which two joints of a rod count as coincident


@dataclass(frozen=True)
class Outcome:
    """Result of a check of a mechanism."""

    sentence: str  # the result in one sentence
    findings: tuple[Finding, ...]  # what is wrong, and how to fix it
    counts: Counts | None = None  # degrees of freedom; None if the mechanism cannot be assembled


def check(context: bpy.types.Context, owner: bpy.types.Object) -> Outcome:
    """Checks a mechanism as authored, or a live mechanism as it was read when live motion began; returns the
    result.
    """
    settings = owner.limber.mechanism
    try:
        assembly = assembled.stored(owner) if settings.live else None
        if assembly is None:
            with as_authored() as depsgraph:
                assembly = assembled.prepare(owner, depsgraph)
    except RigError as error:
        return Outcome(str(error), (Finding(str(error), blocks=True), *of_closures(owner)))
    reading, counts = assembly.reading, count(assembly.model.solver, assembly.model.rest)
    findings = [Finding(warning) for warning in reading.warnings]
    findings += [
        *_of_mounting(settings, reading),
        *_of_list(owner, context.scene),
        *of_constraints(owner),
        *of_closures(owner),
        *_of_rods(reading),
    ]
    findings += [
        *of_motors(settings, reading),
        *of_goals(owner, reading, context.evaluated_depsgraph_get()),
        *of_physics(context, reading),
    ]
    findings += of_loops(settings, assembly)
    if (more := counts.actuators - counts.independent_actuators - len(locked_motors(settings, assembly))) > 0:
        some = (
            f"{more} of {counts.actuators} motors follow"
            if more > 1
            else f"1 of {counts.actuators} motors follows"
        )
        findings.append(Finding(f"{some} from the others: they work, but must agree on the robot"))
    return Outcome(_sentence(owner, reading, counts), tuple(findings), counts)


def _sentence(owner: bpy.types.Object, reading: Reading, counts: Counts) -> str:
    """The result in one sentence: numbers of bodies and joints, mobility, and what the motors leave free."""
    bodies = counted(len(reading.parts), "body", "bodies")
    joints = counted(len(reading.mechanism.joints), "joint")
    sentence = (
        f"'{owner.name}': {bodies}, {joints}, mobility {counts.mobility}"
        f" with {counted(counts.actuators, 'motor')}, redundancy {counts.redundancy}"
    )
    if counts.free_dofs and counts.undetermined:
        free = (
            "1 degree of freedom is"
            if counts.free_dofs == 1
            else f"{counts.free_dofs} degrees of freedom are"
        )
        still = f"(of {named(counts.undetermined)}), which a solve keeps still"
        sentence += f"; {free} left with the motors held " + (
            "(the whole floats: goals place it)" if _floats(reading) else still
        )
    return sentence


def _of_mounting(settings: bpy.types.PropertyGroup, reading: Reading) -> Iterator[Finding]:
    """A finding if nothing determines where the mechanism is."""
    if _floats(reading) and not _do_goals_fix_pose(settings):
        yield Finding(
            "No body is Ground, so the whole mechanism floats: select the body on which it is mounted, and"
            " choose the role Ground for it; or, of one that walks, give each foot a goal (+ under Goals)"
        )


def _floats(reading: Reading) -> bool:
    """Whether no body is fixed, driven or joined to the world, so that goals alone position the mechanism."""
    is_on_world = any(WORLD in (joint.parent, joint.child) for joint in reading.mechanism.joints)
    return not is_on_world and not any(part.role in ("GROUND", "DRIVEN") for part in reading.parts)


def _do_goals_fix_pose(settings: bpy.types.PropertyGroup) -> bool:
    """Whether goals determine the pose of a floating mechanism: by position and rotation of one body, or by
    the positions of three bodies.
    """
    goals = settings.goals if settings.drive == "TARGETS" else ()
    positions = {
        (goal.bone, goal.body)
        for goal in goals
        if goal.does != "CENTRE" and "position_weight" in WEIGHTS[goal.does]
    }
    return len(positions) >= POINTS or any(goal.does == "FRAME" for goal in goals)


def _of_list(owner: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[Finding]:
    """Findings about joints that hold a body of the mechanism and are not in its list, joints that two
    mechanisms list, and bodies in its collection that no joint holds.
    """
    yield from _of_unlisted(owner, scene)
    yield from _of_shared(owner, scene)
    yield from _of_loose(owner, scene)


def _of_unlisted(owner: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[Finding]:
    mechanism_bodies = bodies(owner)
    for joint in unlisted_joints(scene):
        body = next(
            (body for body in ends(joint) if body in mechanism_bodies and role_of(body) != "GROUND"), None
        )
        if body is not None:
            yield Finding(
                f"Joint '{joint.name}' holds '{body.name}' and is not in the list of joints: press Find"
                " Joints"
            )


def _of_shared(owner: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[Finding]:
    for other in owners(scene):
        shared = next(
            (joint for joint in joint_objects(owner) if other != owner and joint in joint_objects(other)),
            None,
        )
        if shared is not None:
            yield Finding(
                f"Joint '{shared.name}' is in the list of mechanism '{other.name}' as well: only one of them"
                " can be live at once"
            )


def _of_loose(owner: bpy.types.Object, scene: bpy.types.Scene) -> Iterator[Finding]:
    collection, unlisted = collection_of(owner, scene), unlisted_joints(scene)
    for obj in collection.all_objects if collection != scene.collection else ():
        is_body = obj.rigid_body is not None or obj.limber.part.role != "AUTO"
        if is_body and owner_of(obj, scene) is None and not any(obj in ends(joint) for joint in unlisted):
            yield Finding(
                f"Body '{obj.name}' has no joint: nothing moves it with the others; join it, or move it to"
                " another collection"
            )


def _of_rods(reading: Reading) -> Iterator[Finding]:
    """Findings about bodies with two joints, both spherical, that coincide."""
    at: dict[str, list] = {}
    for joint in reading.mechanism.joints:
        if joint.parent:
            at.setdefault(joint.parent, []).append((joint.name, joint.in_parent.position))
        at.setdefault(joint.child, []).append((joint.name, joint.in_child.position))
    for name, attachments in at.items():
        if len(attachments) == 2 and np.abs(np.subtract(attachments[0][1], attachments[1][1])).max() < APART:
            balls = [joint for joint, _ in attachments if reading.mechanism.joint[joint].kind == "spherical"]
            if len(balls) == 2:
                yield Finding(
                    f"Body '{name}' has no length: joints '{attachments[0][0]}' and '{attachments[1][0]}' are"
                    " at one position, move one"
                )


def of_physics(context: bpy.types.Context, reading: Reading) -> Iterator[Finding]:
    """A finding if Blender's rigid body simulation moves bodies of the mechanism too, about the first one."""
    world = context.scene.rigidbody_world
    if world is None or not world.enabled:
        return
    for part in reading.parts:
        obj = bpy.data.objects.get(part.object_name)
        rigid_body = obj.rigid_body if obj else None
        # the simulation moves active bodies only, and animated (kinematic) bodies follow their channels
        if (
            part.role == "MOVES"
            and rigid_body is not None
            and rigid_body.enabled
            and rigid_body.type == "ACTIVE"
            and not rigid_body.kinematic
        ):
            yield Finding(
                f"Blender's own physics also moves '{part.name}' while playing, over Limber:"
                " switch the Rigid Body World off (Scene properties)"
            )
            return
