"""Chains for a character's torso, head and eyes that share a target: the eyes lead, the head follows, the
torso hardly rotates.
"""

from collections.abc import Sequence
from math import radians
from typing import NamedTuple

import bpy
from mathutils import Vector

from ..blender.counting import named
from ..blender.errors import RigError
from ..bodies.part_names import BodyPart
from ..bones import carried, imported_robot
from ..bones.controls import Controls
from ..bones.figure import Figure
from ..bones.joint_axes import joint_axes
from ..bones.paths import path_names
from . import (
    carried_look,
    chain_root,
    chain_settings,
    chains,
    forward,
    gaze_bones,
    gaze_controls,
    gaze_remarks,
    gaze_structure,
    gaze_target,
    isolation,
    look_sharing,
    robot_heads,
)
from .gaze_bones import GazeBones

LEVEL = 0.2  # sine of the least angle to the vertical at which a direction can define the front


class GazeSettings(NamedTuple):
    """How a part of the body follows the target: values of the chain's properties with these names."""

    share: float
    dead_zone: float  # [rad] largest motion of the target that is not followed
    lag: float  # [s] delay behind the target
    change: float  # [s] duration of a change of target


# the torso leaves most of a look to the head, and the head leaves small changes to the eyes; heavier parts
# start later and take longer
TORSO = GazeSettings(share=0.2, dead_zone=radians(20), lag=0.5, change=0.8)
HEAD = GazeSettings(share=0.7, dead_zone=radians(8), lag=0.2, change=0.5)
HEAD_ALONE = HEAD._replace(share=1.0, dead_zone=0.0)  # without eyes the head follows small changes too
EYES = GazeSettings(share=1.0, dead_zone=0.0, lag=0.0, change=0.15)


class GazeSetup(NamedTuple):
    """Result of `make`: the new chains, and what was changed for them."""

    names: list[str]  # names of the chains, from the torso up
    target: bpy.types.Object
    # why the first chain begins at its root bone, as part of a sentence; "" if this needs no explanation
    legs: str
    done: list[str]  # sentences on parts that are missing, and on what else was set up


def parents(rig: bpy.types.Object) -> dict[str, str | None]:
    """Parent of each bone of the armature, parents before their children; None for roots."""
    return {bone.name: bone.parent.name if bone.parent else None for bone in rig.data.bones}


def parents_of(rig: bpy.types.Object, name: str) -> list[str]:
    """Names of a bone's ancestors, nearest first."""
    return [bone.name for bone in rig.data.bones[name].parent_recursive]


def ends_found(rig: bpy.types.Object, figure: Figure | None = None) -> GazeBones:
    """Last bone of torso, head and each eye, as `_ends_found`; the head of an imported robot is a link that
    motors move. Raises RigError as `_ends_found` does. `figure`: the armature's figure; None: it is read.
    """
    ends = _ends_found(rig, figure or Figure(rig))
    if not (imported_robot.is_robot(rig) and ends.head):
        return ends
    return ends._replace(head=robot_heads.looking(rig, ends.head))


def _ends_found(rig: bpy.types.Object, figure: Figure) -> GazeBones:
    """Last bone of torso, head and each eye, found by names and structure; in a rig with control bones, the
    controls of these bones.

    Names take precedence over structure. For an imported robot whose head is named, the structure is used
    only for the torso.

    Raises:
        RigError: a bone follows others, and its control is not found.
    """
    controls, bones = Controls(rig), parents(rig)
    ends = gaze_bones.by_names(
        bones, controls.upstream, lambda name: gaze_controls.control_of(controls, name)
    )
    if imported_robot.is_robot(rig) and ends.torso:
        return gaze_controls.resolved(controls, bones, ends)
    completed = _completed(figure, ends)
    if imported_robot.is_robot(rig) and ends.head:
        completed = ends._replace(torso=completed.torso)
    ends = gaze_controls.resolved(controls, bones, completed)
    if imported_robot.is_robot(rig) and ends.torso in gaze_bones.named(bones).get(BodyPart("", "spine"), ()):
        return ends
    if ends.torso and ends.torso in figure.standing([ends.head, ends.torso, *controls.upstream(ends.torso)]):
        return ends._replace(torso="")
    return ends


def looking_of(rig: bpy.types.Object, selected: list[str]) -> str:
    """The bone that looks, among selected bones on different branches: the figure's head if it is selected;
    "" if it is not, or if the bones are on one path.
    """
    bones = [rig.data.bones[name] for name in selected]
    end = max(bones, key=lambda bone: len(bone.parent_recursive), default=None)
    if all(bone in [end, *end.parent_recursive] for bone in bones):
        return ""
    try:
        head = ends_found(rig).head
    except RigError:
        return ""
    return head if head in selected else ""


def _completed(figure: Figure, ends: GazeBones) -> GazeBones:
    """The ends found by names, completed by structure. A head with an unusual name is used only if the
    structure shows no head.
    """
    bones = parents(figure.rig)
    if ends.head not in [
        *gaze_bones.named(bones).get(BodyPart("", "head"), ()),
        *gaze_bones.heads(bones, ends.head),
    ]:
        structural_ends = gaze_structure.ends(figure)
        # judged by positions alone, a robot's raised arm can look like a head
        if imported_robot.is_robot(figure.rig) and robot_heads.is_of_limb(structural_ends.head):
            structural_ends = GazeBones("", "", ())
        if structural_ends.head and structural_ends.head != ends.head:
            if not imported_robot.is_robot(figure.rig):
                return structural_ends
            spine = gaze_bones.named(bones).get(BodyPart("", "spine"), ())
            trunk = [bone for bone in parents_of(figure.rig, structural_ends.head) if bone in spine]
            return structural_ends._replace(torso=structural_ends.torso or next(iter(trunk), ""))
    if not ends.head:
        return ends
    above = parents_of(figure.rig, ends.head)
    # a torso that was found by name cannot move a head that does not descend from the torso
    torso = ends.torso if ends.torso in above else ""
    line = chain_root.line(figure.rig, [ends.head, *above], figure).bones
    return GazeBones(
        torso or gaze_structure.chest_of(figure, line),
        ends.head,
        ends.eyes or gaze_structure.eyes_below(figure, ends.head),
    )


def ends_selected(rig: bpy.types.Object, selected: list[str], figure: Figure | None = None) -> GazeBones:
    """Last bone of torso, head and each eye, from the selected bones; if only some parts are selected, such
    as the head, the others are found by names and structure. A single bone apart from the figure found, such
    as a head without a parent, is a head of its own if it has eyes, or if the figure has no limbs or no head.
    `figure`: the armature's figure; None: it is read.

    Raises:
        RigError: the selection is not torso, head and eyes, nor some of the parts found, nor a head apart.
    """
    controls, bones = Controls(rig), parents(rig)
    ends = gaze_bones.from_selection(
        bones, selected, lambda name: [*controls.upstream(name), *parents_of(rig, name)]
    )
    if ends is not None:
        return gaze_controls.resolved(controls, bones, ends)
    figure = figure or Figure(rig)
    found = ends_found(rig, figure)
    found_bones = {found.torso, found.head, *found.eyes}
    if all(name in found_bones or controls.control_of(name) in found_bones for name in selected):
        return found
    if len(selected) == 1 and not gaze_controls.is_joined(controls, selected[0], found.head):
        eyes = gaze_structure.eyes_below(figure, selected[0])
        if eyes or not (found.head and gaze_structure.has_limbs(figure)):
            return gaze_controls.resolved(controls, bones, GazeBones("", selected[0], eyes))
    raise RigError(
        f"The selected bones, {named(selected)}, are not torso, head and eyes, one below another:"
        f" {gaze_bones.SELECT}; or deselect all (Alt A) to have them found"
    )


class _Parts(NamedTuple):
    """Bones of the chains that will be made for torso, head and eyes."""

    torso: gaze_bones.Span | None
    head: gaze_bones.Span
    eyes: tuple[gaze_bones.Span, ...]
    pointing: gaze_controls.Eyes  # eyes that the rig's own constraints aim, and which need no chain
    # last bones of the parts; of eyes that point at controls, the eye bones themselves
    ends: GazeBones


def _parts(rig: bpy.types.Object, controls: Controls, ends: GazeBones, figure: Figure) -> _Parts:
    """Bones of the chains to be made for the given ends. Raises RigError if parts are missing."""
    bones = parents(rig)
    torso, head, eyes = gaze_bones.spans(
        bones, ends, controls.upstream, controls.is_followed, _structure(rig, figure)
    )
    if torso is not None and not _moves(rig, head):
        torso, head = None, gaze_bones.Span(torso.root, head.end)
    pointing = gaze_controls.tracking(controls, ends.eyes, ends.head)
    with_eye_bones = ends._replace(eyes=pointing.bones) if pointing.aims else ends
    eyes = () if pointing.aims else tuple(eye for eye in eyes if _moves(rig, eye))
    return _Parts(
        torso if torso is not None and _moves(rig, torso) else None, head, eyes, pointing, with_eye_bones
    )


def _checked_parts(rig: bpy.types.Object, ends: GazeBones, figure: Figure) -> _Parts:
    """Bones of the chains for these ends. Raises RigError if parts are missing, or no chain is possible."""
    parts = _parts(rig, Controls(rig), ends, figure)
    robot_heads.refuse_unmoved(rig, path_names(rig.pose.bones, parts.head.root, parts.head.end))
    for span in filter(None, (parts.torso, parts.head, *parts.eyes)):
        chains.moving_bones(rig, path_names(rig.pose.bones, span.root, span.end))
    return parts


def _moves(rig: bpy.types.Object, span: gaze_bones.Span) -> bool:
    """Whether any bone of a span has an unlocked axis."""
    return any(joint_axes(rig.pose.bones[name]) for name in path_names(rig.pose.bones, span.root, span.end))


def _structure(rig: bpy.types.Object, figure: Figure) -> gaze_bones.Structure:
    """First bones of chains by the structure of the figure; the head of an imported robot begins with the
    first link named head or neck.
    """
    if imported_robot.is_robot(rig):
        return gaze_bones.Structure(
            lambda name: [name, *parents_of(rig, name)][-1],
            lambda name: robot_heads.first_link(rig, name),
            lambda name, end: False,
        )

    def line(name: str) -> list[str]:
        return chain_root.line(rig, [name, *parents_of(rig, name)], figure).bones

    def neck(name: str) -> str:
        bones = line(name)
        chest = gaze_structure.chest_of(figure, bones)
        return bones[bones.index(chest) - 1] if chest else bones[-1]

    def is_passed(name: str, end: str) -> bool:
        return carried.carrier(rig.pose.bones[name], path_names(rig.pose.bones, name, end)) is not None

    return gaze_bones.Structure(lambda name: line(name)[-1], neck, is_passed)


def make(
    context: bpy.types.Context,
    rig: bpy.types.Object,
    ends: GazeBones,
    target: bpy.types.Object | None = None,
    figure: Figure | None = None,
) -> GazeSetup:
    """Makes the chains of torso, head and eyes. If it raises an error, nothing has changed.

    Args:
        context: Blender's context.
        rig: The armature object.
        ends: Last bone of each part.
        target: Object to look at; None: a new empty in front of the character.
        figure: The armature's figure; None: it is read.

    Raises:
        RigError: parts are missing, or no chain is possible on them.
    """
    figure = figure or Figure(rig)
    torso, head, eyes, pointing, ends = _checked_parts(rig, ends, figure)
    switched = isolation.joined(rig, path_names(rig.pose.bones, head.root, head.end))
    controls = Controls(rig)
    front = front_of(figure, ends)
    given, target = target, target or gaze_target.make(context, rig, ends, front)
    lowest = torso or head
    legs = chains.why_begins(rig, path_names(rig.pose.bones, lowest.root, lowest.end), figure)
    has_torso = bool(torso or ends.torso) or _stands(figure, controls, head.end)
    has_eyes = bool(eyes or pointing.aims)
    chain_names = []
    for name, span, gaze in _named_spans(torso, head, eyes, has_eyes):
        chain = _new_chain(rig, name, span, gaze, target, front)
        # the head's bone begins at the neck, so its gaze ray must start further along it
        if name == "Head":
            chain.eye = gaze_target.eye_height(rig, ends)
        chain_names.append(chain.name)
    new_chains = [rig.limber.chains[name] for name in chain_names]
    carriers = new_chains[: len(new_chains) - len(eyes)]
    rig.limber.active_chain = rig.limber.chains.find(carriers[-1].name)
    _share_look(rig, carriers, new_chains[len(carriers) :], bool(pointing.aims), given)
    if given is None:
        for chain in new_chains:
            gaze_target.face(rig, chain, gaze_target.in_front(rig, ends, front))
    done = [
        *gaze_remarks.of_missing(has_torso, has_eyes),
        *gaze_remarks.of_head(parents(rig), ends.head, switched),
    ]
    if pointing.aims:
        control_name = gaze_controls.follow(rig, pointing, controls, ends.head, target)
        done.append(gaze_remarks.of_control(control_name, target.name))
    return GazeSetup(chain_names, target, legs, done)


def _share_look(
    rig: bpy.types.Object,
    carriers: Sequence[bpy.types.PropertyGroup],
    eyes: Sequence[bpy.types.PropertyGroup],
    has_aimed_eyes: bool,
    target: bpy.types.Object | None,
) -> None:
    """Sets how new chains share a look.

    Args:
        rig: The armature object.
        carriers: Chains of the torso, if there is one, and of the head.
        eyes: Chains of the eyes.
        has_aimed_eyes: Whether the rig's own constraints aim the eyes, which so look as far as they must.
        target: Object whose distance now is that of the targets; None: they are far away.
    """
    if not has_aimed_eyes:
        carried_look.share_among(rig, eyes, carriers, target)
    look_sharing.spread_parts(rig, carriers[0] if len(carriers) > 1 else None, carriers[-1])


def _named_spans(
    torso: gaze_bones.Span | None, head: gaze_bones.Span, eyes: Sequence[gaze_bones.Span], has_eyes: bool
) -> list[tuple[str, gaze_bones.Span, GazeSettings]]:
    """Name, bones and settings of each chain, the torso's first; `has_eyes`: whether something aims eyes."""
    eye_names = ("Left Eye", "Right Eye") if len(eyes) == 2 else ("Eyes",)
    return [
        *([("Torso", torso, TORSO)] if torso is not None else []),
        ("Head", head, HEAD if has_eyes else HEAD_ALONE),
        *((name, eye, EYES) for name, eye in zip(eye_names, eyes, strict=False)),
    ]


def _stands(figure: Figure, controls: Controls, head: str) -> bool:
    """Whether a figure stands on limbs below its head, without a torso. Not for imported robots."""
    upward = [head, *controls.upstream(head)]
    return not imported_robot.is_robot(figure.rig) and bool(figure.standing(upward))


def _new_chain(
    rig: bpy.types.Object,
    name: str,
    span: gaze_bones.Span,
    gaze: GazeSettings,
    target: bpy.types.Object,
    front: Vector,
) -> bpy.types.PropertyGroup:
    """Makes the chain of one body part, which looks at the target; returns its settings."""
    chain = chains.new_chain(rig, [span.root, span.end], is_part=True)
    chain.name, chain.target = name, target
    for field, value in zip(GazeSettings._fields, gaze, strict=True):
        setattr(chain, field, value)
    forward.point(chain, rig, chain.end, front)
    if gaze is EYES:
        chain.eye = 0.0  # an eye looks from its centre of rotation
        chain_settings.hold_in_skull(chain)
    return chain


def front_of(figure: Figure, ends: GazeBones) -> Vector:
    """Direction (armature space, at rest) that the character faces: from its left and right bones, else from
    eyes that point clearly one way, else from its symmetry, else from the position of its eyes.
    """
    rig = figure.rig
    up, bones = forward.up_of(rig), rig.data.bones
    pairs = gaze_bones.sides(parents(rig))  # (left bone, right bone)
    left = sum((bones[first].head_local - bones[second].head_local for first, second in pairs), Vector())
    looks = [forward.axis_at_rest(rig, eye, "+Y") for eye in ends.eyes]
    guesses = [left.cross(up)]
    if not imported_robot.is_robot(rig):
        # the figure's front may be that of a part that does not carry the eyes
        fronts = (gaze_structure.look_of(figure, [figure.index[eye] for eye in ends.eyes]), figure.front)
        to_armature = rig.matrix_world.to_3x3().inverted()
        guesses += [to_armature @ Vector(front) for front in fronts if front is not None]
    if ends.eyes:
        guesses += [gaze_target.between_eyes(rig, ends) - bones[ends.head].head_local, sum(looks, Vector())]
    guesses += [Vector((1, 0, 0)) if imported_robot.is_robot(rig) else Vector((0, -1, 0)), Vector((0, 0, 1))]
    for guess in guesses:
        level = guess - guess.dot(up) * up
        if level.length > LEVEL * guess.length:
            return level.normalized()
    raise AssertionError("one of two axes is not upright")
