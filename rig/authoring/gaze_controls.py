"""Finds the control bones that move a rig's torso, head and eyes, for rigs in which the bones with those
names follow controls.
"""

from collections.abc import Sequence
from typing import NamedTuple

import bpy

from ..blender.errors import RigError
from ..bodies.part_names import BodyPart, Parents, read
from ..bones.controls import Controls
from .gaze_bones import EYES, SELECT, GazeBones, named

CONSTRAINT = "Limber Gaze"  # name of the constraint on the control at which the rig's eyes point


class Eyes(NamedTuple):
    """Eyes that point at control bones by the rig's own constraints: the controls follow the target, so the
    eyes need no chain.
    """

    bones: tuple[str, ...] = ()  # names of the eye bones
    aims: tuple[str, ...] = ()  # names of the control bones that the eyes point at


def resolved(controls: Controls, bones: Parents, ends: GazeBones) -> GazeBones:
    """`ends`, with bones that follow others replaced by their control bones, and eyes by the controls that
    they point at. Unchanged if the rig lacks one of the bones, which is reported elsewhere.

    Raises:
        RigError: a bone follows others, and its control bone is not found.
    """
    rig_bones = controls.rig.pose.bones
    if any(bone and bone not in rig_bones for bone in (ends.torso, ends.head, *ends.eyes)):
        return ends  # the same error is reported when the chains are made, so here it is ignored
    head = control_of(controls, ends.head)
    torso = ends.torso
    if torso and controls.is_followed(torso):
        torso = _torso(controls, bones, torso, head)
    pointing = tracking(controls, ends.eyes, head)
    eyes = pointing.aims or tuple(dict.fromkeys(control_of(controls, eye) for eye in ends.eyes))
    return GazeBones(torso, head, eyes)


def control_of(controls: Controls, name: str) -> str:
    """The control bone that an animator rotates to move a bone: the bone itself if it follows no other.
    Raises RigError if no control is found.
    """
    if not name or not controls.is_followed(name):
        return name
    control = controls.control_of(name)
    if control is None:
        raise RigError(f"Bone '{name}' is moved by others, and no control of it is found: {SELECT}")
    return control


def is_joined(controls: Controls, name: str, other: str) -> bool:
    """Whether one of two bones follows the other, or both follow a third, by parents or constraints; `other`:
    "" for no bone.
    """
    return bool(other) and not {name, *controls.upstream(name)}.isdisjoint((other, *controls.upstream(other)))


def _torso(controls: Controls, bones: Parents, torso: str, head: str) -> str:
    """The control for the torso: the lowest one that carries the chest and the head but not the hips, which
    bends most of the spine. It is the one nearest to the chest if a chain from there reaches the lowest one,
    and that of the bone `torso` if none carries them.
    """
    hips = next(iter(named(bones).get(BodyPart("", "hips"), ())), "")
    excluded = {hips, *controls.upstream(hips)} if hips else set()
    carrying = [
        bone for bone in controls.upstream(torso) if bone not in excluded and controls.is_control(bone)
    ]
    carrying = [bone for bone in carrying if bone in controls.upstream(head)]
    first = next((bone for bone in carrying if not set(carrying).intersection(controls.upstream(bone))), None)
    if first is None:
        return control_of(controls, torso)
    nearest = carrying[0]
    ancestors = [above.name for above in controls.rig.pose.bones[nearest].parent_recursive]
    between = ancestors[: ancestors.index(first)] if first in ancestors else None
    is_chain = between is not None and not any(map(controls.is_followed, between))
    return nearest if is_chain else first


def tracking(controls: Controls, eyes: Sequence[str], head: str) -> Eyes:
    """Eyes below the bone `head` that point at control bones by constraints; empty if none do. If some are
    named as eyes, only these, since others may be eyelids. The given bones `eyes` may be the eyes, their
    controls, or parents of either.
    """
    if not eyes or not head:
        return Eyes()
    carrying = {head, *controls.upstream(head)}
    tracked: dict[str, str] = {}
    for bone, aim in controls.tracked_below(head).items():
        related = {bone, aim, *controls.upstream(bone)} - carrying
        if aim not in tracked.values() and any(
            eye in related or bone in controls.upstream(eye) for eye in eyes
        ):
            tracked[bone] = aim
    eyelids_apart = {
        bone: aim for bone, aim in tracked.items() if read(aim).stem in EYES or read(bone).stem in EYES
    }
    eye_aims = eyelids_apart or tracked
    return Eyes(tuple(eye_aims), tuple(eye_aims.values()))


def follow(rig: bpy.types.Object, eyes: Eyes, controls: Controls, head: str, target: bpy.types.Object) -> str:
    """Makes the controls that the eyes point at, or the control that is their common parent, copy the
    target's location by a constraint; returns their names for a message, joined by "' and '".
    """
    parents = {rig.pose.bones[aim].parent for aim in eyes.aims}
    common = parents.pop() if len(parents) == 1 else None
    has_common_control = (
        common is not None
        and controls.is_control(common.name)
        and common.name not in {head, *controls.upstream(head)}
    )
    names = [common.name] if has_common_control else list(eyes.aims)
    for name in names:
        constraints = rig.pose.bones[name].constraints
        constraint = constraints.get(CONSTRAINT) or constraints.new("COPY_LOCATION")
        constraint.name, constraint.target = CONSTRAINT, target
    rig.update_tag()
    bpy.context.view_layer.update()
    return "' and '".join(names)
