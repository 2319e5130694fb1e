"""Chains for a character's torso, head and eyes that share a target: the eyes lead, the head follows, the torso hardly rotates."""

from math import pi, radians
from typing import NamedTuple

import bpy
from mathutils import Vector

from ..blender.counting import named
from ..blender.errors import RigError
from ..reading import imported_robot
from ..reading.controls import Controls
from ..reading.paths import path_names
from . import chains, forward, gaze_bones, gaze_controls
from .gaze_bones import Ends

EYE_RANGE = radians(45)  # range to each side of eyes without limits in the rig, about that of a human eye
EYE_ROLL = radians(5)  # range of the eye's roll to each side: human eyes hardly roll
IN_FRONT = 10  # distance of a new target from the eyes, in lengths of the head bone: about that of a conversation
ROUND = 2 * pi - 0.01  # [rad] a joint with this range counts as unlimited
LEVEL = 0.2  # sine of the least angle to the vertical at which a direction can define the front


class GazeSettings(NamedTuple):
    """How a part of the body follows the target: values of the chain's properties with these names."""

    share: float
    dead_zone: float  # [rad]
    lag: float  # [s]
    change: float  # [s]


# The head leaves small changes to the eyes, and the torso leaves most to the head; heavier parts start later and take longer.
TORSO = GazeSettings(share=0.2, dead_zone=radians(20), lag=0.5, change=0.8)
HEAD = GazeSettings(share=0.7, dead_zone=radians(8), lag=0.2, change=0.5)
EYES = GazeSettings(share=1.0, dead_zone=0.0, lag=0.0, change=0.15)


class Made(NamedTuple):
    """Result of `make`: the chains that were made, and what was changed for them."""

    names: list[str]  # names of the chains, from the torso up
    target: bpy.types.Object
    lacks: list[str]  # sentences on parts that are missing
    done: list[str]  # sentences on what else was set up


def parents(rig) -> dict[str, str | None]:
    """Parent of each bone of the armature, parents before their children; None for roots."""
    return {bone.name: bone.parent.name if bone.parent else None for bone in rig.data.bones}


def parents_of(rig, name: str) -> list[str]:
    return [bone.name for bone in rig.data.bones[name].parent_recursive]


def ends_by_names(rig) -> Ends:
    """Last bone of torso, head and each eye, found by name; of a rig with controls, the control bones.

    Raises:
        RigError: a bone follows others, and its control is not found.
    """
    controls, bones = Controls(rig), parents(rig)
    return gaze_controls.resolved(
        controls, bones, gaze_bones.by_names(bones, controls.upstream, lambda name: gaze_controls.control_of(controls, name))
    )


def ends_selected(rig, selected: list[str]) -> Ends:
    """Last bone of torso, head and each eye, from the selected bones.

    Raises:
        RigError: the selection is not torso, head and eyes.
    """
    controls, bones = Controls(rig), parents(rig)
    ends = gaze_bones.from_selection(bones, selected, lambda name: [*controls.upstream(name), *parents_of(rig, name)])
    if ends is None:
        raise RigError(
            f"The selected bones, {named(selected)}, are not torso, head and eyes, one below another: {gaze_bones.SELECT}; or deselect all"
            " (Alt A) to have them found by their names"
        )
    return gaze_controls.resolved(controls, bones, ends)


class _Parts(NamedTuple):
    """Bones of the chains that will be made for torso, head and eyes."""

    torso: gaze_bones.Span | None
    head: gaze_bones.Span
    eyes: tuple[gaze_bones.Span, ...]
    pointing: gaze_controls.Eyes  # eyes that the rig's own constraints aim, which need no chain
    placed: Ends  # `ends` with the eye bones themselves, instead of the controls that they point at


def _parts(rig, controls: Controls, ends: Ends) -> _Parts:
    """Bones of the chains that will be made for these ends. Raises RigError if parts are missing."""
    bones = parents(rig)
    spans = gaze_bones.spans(bones, ends, controls.upstream, controls.is_followed)
    pointing = gaze_controls.tracking(controls, ends.eyes, ends.head)
    placed = ends._replace(eyes=pointing.bones) if pointing.aims else ends
    return _Parts(spans[0], spans[1], () if pointing.aims else spans[2], pointing, placed)


def make(context, rig, ends: Ends, target=None) -> Made:
    """Makes the chains of torso, head and eyes. If it raises an error, nothing has changed.

    Args:
        context: Blender's context.
        rig: The armature object.
        ends: Last bone of each part.
        target: Object to look at; None: a new empty in front of the character.

    Raises:
        RigError: parts are missing, or no chain is possible on them.
    """
    controls = Controls(rig)
    torso, head, eyes, pointing, ends = _parts(rig, controls, ends)
    for span in filter(None, (torso, head, *eyes)):
        chains.moving_bones(rig, path_names(rig.pose.bones, span.root, span.end))
    front = front_of(rig, ends)
    target = target or _new_target(context, rig, ends, front)
    lacks = [] if torso else [f"No torso was found: undo, and {gaze_bones.SELECT}"]
    lacks += [] if eyes or pointing.aims else [f"No eyes were found: undo, and {gaze_bones.SELECT}"]
    sided = ("Left Eye", "Right Eye") if len(eyes) == 2 else ("Eyes",)
    wanted = [("Torso", torso, TORSO), ("Head", head, HEAD), *((name, eye, EYES) for name, eye in zip(sided, eyes, strict=False))]
    made = []
    for name, span, gaze in wanted:
        if span is None:
            continue
        chain = chains.new_chain(rig, [span.root, span.end])
        chain.name, chain.target = name, target
        for field, value in zip(GazeSettings._fields, gaze, strict=True):
            setattr(chain, field, value)
        forward.point(chain, rig, chain.end, front)
        if gaze is HEAD:
            chain.eye = _eye_height(rig, ends)
        if gaze is EYES:
            chain.eye = 0.0  # an eye looks from its centre of rotation
            _hold_in_skull(chain)
        made.append(chain.name)
    rig.limber.active_chain = rig.limber.chains.find(made[1 if torso else 0])
    done = []
    if pointing.aims:
        held = gaze_controls.follow(rig, pointing, controls, ends.head, target)
        done.append(f"The eyes point at '{held}', which goes to '{target.name}' by the constraint '{gaze_controls.CONSTRAINT}'")
    return Made(made, target, lacks, done)


def front_of(rig, ends: Ends) -> Vector:
    """Direction (armature space, at rest) that the character faces: from its left and right bones, else from the position of its eyes."""
    up = forward.up_of(rig)
    bones = rig.data.bones
    left = sum((bones[here].head_local - bones[there].head_local for here, there in gaze_bones.sides(parents(rig))), Vector())
    looks = [forward.axis_at_rest(rig, eye, "+Y") for eye in ends.eyes]
    guesses = [left.cross(up)]
    if ends.eyes:
        guesses += [_between_eyes(rig, ends) - bones[ends.head].head_local, sum(looks, Vector())]
    guesses += [Vector((1, 0, 0)) if imported_robot.is_robot(rig) else Vector((0, -1, 0)), Vector((0, 0, 1))]
    for guess in guesses:
        level = guess - guess.dot(up) * up
        if level.length > LEVEL * guess.length:
            return level.normalized()
    raise AssertionError("one of two axes is not upright")


def _between_eyes(rig, ends: Ends) -> Vector:
    places = [rig.data.bones[eye].head_local for eye in ends.eyes]
    return sum(places, Vector()) / len(places)


def _eye_height(rig, ends: Ends) -> float:
    """Position of the eyes along the head bone: 0 at its head, 1 at its tail."""
    if not ends.eyes:
        return 0.5
    bone = rig.data.bones[ends.head]
    return max(0.0, min(1.0, (_between_eyes(rig, ends) - bone.head_local).dot(forward.axis_at_rest(rig, ends.head, "+Y")) / bone.length))


def _hold_in_skull(chain) -> None:
    """Limits yaw, pitch and roll of eyes that have no limits in the rig."""
    chain.options.expressive.roll = 1.0
    for joint in chain.joints:
        if joint.upper - joint.lower > ROUND:
            joint.upper = EYE_ROLL if joint.axis == forward.nearest_axis(chain)[1] else EYE_RANGE
            joint.lower = -joint.upper


def _new_target(context, rig, ends: Ends, front: Vector):
    """Makes an empty in front of the character's eyes."""
    head = rig.data.bones[ends.head]
    eyes = _between_eyes(rig, ends) if ends.eyes else (head.head_local + head.tail_local) / 2
    target = bpy.data.objects.new(f"{rig.name} Gaze", None)
    target.empty_display_type, target.empty_display_size = "SPHERE", rig.matrix_world.median_scale * head.length / 2
    (rig.users_collection or (context.scene.collection,))[0].objects.link(target)
    target.location = rig.matrix_world @ (eyes + IN_FRONT * head.length * front)
    context.view_layer.update()
    return target
