"""The bone pairs of a body that follows a motion: pairing, and the pairs in use, with error messages for
those that cannot be used. `retarget`: the body's settings; target: its armature; source: what it follows.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

import bpy
import numpy as np

from ...character.body.streamed_links import StreamedLinks
from ...solvers.kinematics import rotations
from ...solvers.kinematics.se3 import Array
from ..blender import item_keys
from ..blender.counting import counted
from ..blender.errors import RigError
from ..blender.presence import why_absent
from ..bones import attached, constrained, imported_robot
from ..scene.dependencies import dependencies_of, is_moved_by
from . import controlled, limbs, names, receiver
from .part_names import BodyPart, Parents

LIMBS = ("upper_arm", "forearm", "thigh", "shin")  # body parts that make up the limbs
TOE_WEIGHT = 0.5  # weight of a toe's pair: less than the others' 1, since captured toes jitter


class Linked(NamedTuple):
    """The bone pairs in use (enabled and calibrated), parents before their children: k entries in each of the
    sequences.
    """

    targets: tuple[str, ...]
    sources: tuple[str, ...]
    weights: tuple[float, ...]  # [1/rad2] of the squared rotation errors
    position_weights: tuple[float, ...]  # [1/m2] of the squared position errors; 0: only the rotation counts
    gains: tuple[float | None, ...]  # [1/s] gain of each pair; None: the gain of the body
    levels: tuple[int, ...]  # priority of each pair, 0 the highest
    planted: tuple[bool, ...]  # whether the target bone is a foot to keep planted
    offsets: Array  # (k, 3, 3) rotation of each target bone in its source bone's frame
    base: str  # root bone of the target's body
    floating: bool  # whether the base is itself paired, so that it follows the source
    paired_only: bool  # whether only paired bones have joints

    @property
    def feet(self) -> tuple[str, ...]:
        """Target bones that are kept planted while their source bones stand still."""
        return tuple(name for name, plants in zip(self.targets, self.planted, strict=True) if plants)


def pair_by_names(rig: bpy.types.Object, retarget: bpy.types.PropertyGroup) -> int:
    """Replaces the pairs by those that the bones' names suggest or, for limbs that names do not tell, their
    positions; returns their number. Feet are set to be planted, and toes weigh less. If deforming bones
    follow controls, the controls are paired, and only they move.

    Pairs that an override inherits from its library cannot be removed: they are changed or disabled.

    Raises:
        RigError: the source cannot be used or has sent nothing, or no bones match.
    """
    bones = _parents(rig)
    controls = controlled.controls_of(rig, bones)
    sent = _source_parents(rig, retarget)
    source_parts = names.parts(sent) if is_streamed(retarget) else parts_of(source_of(rig, retarget))
    matches = names.matched(sent, bones, source_parts, parts_of(rig), controls)
    if not matches:
        raise RigError(
            f"No bone of '{source_name(retarget)}' is called like one of '{rig.name}', and no names of body"
            " parts are known in both: pair them by hand (+)"
        )
    # data paths of keyframes have the pairs' indices, which change here
    with item_keys.following(retarget, "pairs", "target"):
        _clear(rig, retarget.pairs)
        for pair in matches:
            existing_pair = next((other for other in retarget.pairs if other.target == pair.target), None)
            if existing_pair is None:
                add(retarget, pair.target, pair.source)
            else:
                existing_pair.source, existing_pair.enabled = pair.source, True
                existing_pair.weight, existing_pair.level = 1.0, 0
    retarget.paired_only = controls is not None
    # body parts are known for deforming bones, while the pairs may contain their controls instead
    part = {
        (controls or {}).get(bone, bone): part.name for part, named in parts_of(rig).items() for bone in named
    }
    for pair in retarget.pairs:
        pair.plant = part.get(pair.target) == "foot"
        if part.get(pair.target) == "toe":
            pair.weight = TOE_WEIGHT
    return len(matches)


def parts_of(rig: bpy.types.Object) -> dict[BodyPart, list[str]]:
    """Bones of each body part of an armature: found by names, and if names do not give all limbs, by
    positions.
    """
    named = names.parts(_parents(rig), _heads(rig))
    if all(BodyPart(side, limb) in named for side in ("left", "right") for limb in LIMBS):
        return named
    known = {bone for bones in named.values() for bone in bones}
    by_position = {
        part: bones
        for part, bones in limbs.parts(rig).items()
        if part not in named and not known.intersection(bones)
    }
    return named | by_position


def too_few(rig: bpy.types.Object, retarget: bpy.types.PropertyGroup) -> str:
    """Why the pairs move no limb of a body, with the remedy; "" if they move one, if no limbs of the body are
    known, or if its bones follow controls.
    """
    limb_bones = {bone for part, bones in parts_of(rig).items() if part.name in LIMBS for bone in bones}
    paired = {pair.target for pair in retarget.pairs}
    if not limb_bones or limb_bones & paired or controlled.controls_of(rig, _parents(rig)) is not None:
        return ""
    return (
        f"Only {counted(len(paired), 'bone')} of '{rig.name}' could be paired, and no arm or leg among them:"
        " pair those by hand (+)"
    )


def release_controls(rig: bpy.types.Object) -> tuple[list[str], list[str]]:
    """Switches a rig's constraints so that its controls move the body; returns the changed settings, and
    sentences about constraints that could not be switched (see `controlled.release`).
    """
    bones = _parents(rig)
    controls = controlled.controls_of(rig, bones)
    return ([], []) if controls is None else controlled.release(rig, bones, controls)


def _clear(rig: bpy.types.Object, pairs: bpy.types.bpy_prop_collection) -> None:
    """Removes all pairs; those inherited from an override's library are disabled instead."""
    library = rig.override_library.reference.limber.retarget.pairs if rig.override_library else {}
    for index in reversed(range(len(pairs))):
        if pairs[index].name in library:
            pairs[index].enabled = False
        else:
            pairs.remove(index)


def add(retarget: bpy.types.PropertyGroup, target: str, source_bone: str) -> bpy.types.PropertyGroup:
    """Appends a pair of a target bone and a source bone to a body's list, and selects it; returns the
    pair.
    """
    pair = retarget.pairs.add()
    pair.name = pair.target = target
    pair.source = source_bone
    retarget.active_pair = len(retarget.pairs) - 1
    return pair


def is_streamed(retarget: bpy.types.PropertyGroup) -> bool:
    """Whether the body's source is a network stream instead of an armature."""
    return retarget.input in receiver.INPUTS


def stream_of(retarget: bpy.types.PropertyGroup) -> StreamedLinks:
    """The links of the body's stream, as received until now.

    Raises:
        RigError: nothing is listening.
    """
    stream = receiver.find(retarget.host, retarget.port)
    if stream is None:
        raise RigError("Nothing listens: press Listen")
    stream.look()
    return stream.poses


def source_name(retarget: bpy.types.PropertyGroup) -> str:
    """Name of the source in messages: its armature's, or its port."""
    return f"port {retarget.port}" if is_streamed(retarget) else retarget.source.name


def _source_parents(rig: bpy.types.Object, retarget: bpy.types.PropertyGroup) -> Parents:
    """Parent of each bone of the source, parents before their children; None for all of a stream's.

    Raises:
        RigError: there is no source, nothing listens, or the stream has sent nothing yet.
    """
    if not is_streamed(retarget):
        return _parents(source_of(rig, retarget))
    sent = stream_of(retarget).links
    if not sent:
        raise RigError(
            f"Nothing has come to port {retarget.port} yet: send {receiver.INPUTS[retarget.input]}"
        )
    return dict.fromkeys(sent)


def source_of(rig: bpy.types.Object, retarget: bpy.types.PropertyGroup) -> bpy.types.Object:
    """The source armature of a body.

    Raises:
        RigError: none is set, or the object cannot be a source.
    """
    source = retarget.source
    if source is None:
        raise RigError(f"Armature '{rig.name}' has no source: choose the armature whose motion it follows")
    if source == rig:
        raise RigError(
            f"Armature '{rig.name}' is its own source: choose another armature, or a copy of it (Shift D)"
        )
    if source.type != "ARMATURE":
        raise RigError(f"Source '{source.name}' is no armature: choose one")
    if source.data == rig.data and source.pose is None:
        raise RigError(f"Source '{source.name}' has no pose: leave Edit Mode")
    return source


def check_source(rig: bpy.types.Object, source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Raises RigError if the source is not in the scene, or the armature that follows moves it."""
    if why := why_absent(source, "source", depsgraph.scene, depsgraph.view_layer):
        raise RigError(why)
    for dependency in dependencies_of(source):
        if is_moved_by(dependency, rig, set(rig.data.bones.keys())):
            raise RigError(
                f"Armature '{rig.name}' moves its own source '{source.name}' ({dependency.how}): choose"
                " another source"
            )


def checked(rig: bpy.types.Object, retarget: bpy.types.PropertyGroup) -> list:
    """The enabled pairs, parents before their children.

    Raises:
        RigError: the source armature cannot be used, no pair is enabled, a bone is missing, a target bone is
            paired twice, or two pairs cross.
    """
    source = None if is_streamed(retarget) else source_of(rig, retarget)
    pairs = [pair for pair in retarget.pairs if pair.enabled]
    if not pairs:
        raise RigError(
            f"No bones of '{rig.name}' and '{source_name(retarget)}' are paired: press Pair by Names, or +"
            " for each"
        )
    seen: dict[str, str] = {}
    for pair in pairs:
        _refuse_missing(pair, rig, source)
        if pair.target in seen:
            raise RigError(
                f"Bone '{pair.target}' is paired twice, with '{seen[pair.target]}' and '{pair.source}':"
                " remove one of the two pairs"
            )
        seen[pair.target] = pair.source
    order = {name: k for k, name in enumerate(rig.data.bones.keys())}
    pairs.sort(key=lambda pair: (len(path_to_root(rig, pair.target)), order[pair.target]))
    if source is not None:  # streamed sources have no hierarchy
        _refuse_crossing(pairs, rig, source)
    return pairs


def _refuse_missing(
    pair: bpy.types.PropertyGroup, rig: bpy.types.Object, source: bpy.types.Object | None
) -> None:
    """Raises RigError if a bone of a pair is missing; `source` is None for a stream, which may send its bones
    later.
    """
    for owner, name, role in ((rig, pair.target, "Target bone"), (source, pair.source, "Source bone")):
        if (name not in owner.data.bones) if owner is not None else not name:
            fault = (
                f"{role} '{name}' is missing in '{owner.name}'"
                if name
                else f"A pair with '{pair.target or pair.source}' lacks its other bone"
            )
            raise RigError(f"{fault}: choose a bone of it, or remove the pair")


def _refuse_crossing(
    pairs: Sequence[bpy.types.PropertyGroup], rig: bpy.types.Object, source: bpy.types.Object
) -> None:
    """Raises RigError if two pairs cross: if a target bone follows a source bone that is above the source
    bone of its own ancestor. Pairs are ordered parents first.
    """
    for k, pair in enumerate(pairs):
        above = {bone.name for bone in source.data.bones[pair.source].parent_recursive}
        below = {other.target: other for other in pairs[k + 1 :] if other.source in above}
        for name, other in below.items():
            if pair.target in path_to_root(rig, name):
                raise RigError(
                    f"'{pair.target}' follows '{pair.source}' and '{name}', its descendant, follows"
                    f" '{other.source}', on which '{pair.source}' hangs: the two pairs cross,"
                    f" {_uncrossing(rig, name)}"
                )


def _uncrossing(rig: bpy.types.Object, name: str) -> str:
    """The remedy for two crossed pairs, as a sentence. `name`: target bone that follows the upper source
    bone. A robot's file may begin at the trunk, which then carries the hips.
    """
    record = imported_robot.record_of(rig.data.bones[name])
    if record is None:
        return "exchange their source bones"
    return (
        f"import the robot again with '{record.branch.link}' as its Root Link, or exchange their source bones"
    )


_OF_PAIR = attrgetter(
    "target", "source", "enabled", "weight", "position_weight", "gain", "level", "plant", "calibrated"
)


def settings(retarget: bpy.types.PropertyGroup) -> tuple:
    """All settings of the pairs as a tuple, to detect changes."""
    return (retarget.paired_only, *((*_OF_PAIR(pair), *pair.offset) for pair in retarget.pairs))


def linked(rig: bpy.types.Object, retarget: bpy.types.PropertyGroup) -> Linked:
    """The pairs in use of a body, all that are enabled, with their settings.

    Raises:
        RigError: as `checked`; a pair is not calibrated; or the target bones have no common ancestor.
    """
    pairs = checked(rig, retarget)
    uncalibrated = [pair.target for pair in pairs if not _is_calibrated(pair)]
    if uncalibrated:
        named = f"'{uncalibrated[0]}'" + (
            f" and {len(uncalibrated) - 1} more" if len(uncalibrated) > 1 else ""
        )
        raise RigError(f"How {named} lie against their source bones is not known yet: press Calibrate")
    targets = tuple(pair.target for pair in pairs)
    base = _common_ancestor(rig, [path_to_root(rig, name) for name in targets])
    return Linked(
        targets,
        tuple(pair.source for pair in pairs),
        tuple(pair.weight for pair in pairs),
        tuple(pair.position_weight for pair in pairs),
        tuple(pair.gain or None for pair in pairs),
        tuple(pair.level for pair in pairs),
        tuple(pair.plant for pair in pairs),
        # Blender stores offsets in single precision, so their lengths are not exactly 1
        np.array([rotations.to_matrix(rotations.normalized(tuple(pair.offset))) for pair in pairs]),
        base,
        base in targets,
        retarget.paired_only,
    )


def _is_calibrated(pair: bpy.types.PropertyGroup) -> bool:
    """Whether a pair is calibrated and its offset is a rotation: scripts, overrides and damaged files may set
    the offset to zero or NaN.
    """
    try:
        rotations.normalized(tuple(pair.offset))
    except ValueError:
        return False
    return pair.calibrated


def _common_ancestor(rig: bpy.types.Object, paths: list[list[str]]) -> str:
    """Nearest bone that several paths have in common, each path from a bone to its root.

    Raises:
        RigError: there is none.
    """
    shared = [name for name in paths[0] if all(name in path for path in paths)]
    if not shared:
        raise RigError(
            f"'{paths[0][0]}' and other paired bones of '{rig.name}' have no common ancestor: remove the"
            " pairs of one of the trees"
        )
    return shared[0]


def bones(rig: bpy.types.Object, retarget: bpy.types.PropertyGroup) -> list[str]:
    """Bones of the target that the body moves while it follows, including those between the bones of enabled
    pairs, without those that constraints move; empty if the pairs cannot be used.
    """
    armature_bones = rig.data.bones
    targets = [pair.target for pair in retarget.pairs if pair.enabled and pair.target in armature_bones]
    if not targets:
        return []
    paths = [path_to_root(rig, name) for name in targets]
    try:
        base = _common_ancestor(rig, paths)
    except RigError:
        return []
    moved_bones: dict[str, None] = {base: None}
    for path in paths:
        moved_bones.update(dict.fromkeys(path[path.index(base) :: -1]))
    return [
        name
        for name in moved_bones
        if name == base or constrained.moving_constraint(rig.pose.bones[name]) is None
    ]


def path_to_root(rig: bpy.types.Object, name: str) -> list[str]:
    """Names of a target bone and its effective ancestors, nearest first."""
    return [bone.name for bone in attached.with_ancestors(rig.pose.bones[name])]


def _heads(rig: bpy.types.Object) -> names.Heads:
    return {bone.name: tuple(bone.head_local) for bone in rig.data.bones}


def _parents(rig: bpy.types.Object) -> dict[str, str | None]:
    return {bone.name: bone.parent.name if bone.parent else None for bone in rig.data.bones}
