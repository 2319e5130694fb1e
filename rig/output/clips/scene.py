"""Scenes in which a robot follows a clip, with the clip's armature and the robot paired with it."""

from math import inf
from pathlib import Path

import bpy
import numpy as np

from ...blender.counting import counted, listing, named
from ...blender.errors import RigError
from ...bodies import pair_calibration, pairing
from .bvh import FROM_FILE
from .bvh_copy import importable_copy

FEWEST_PAIRS = 4  # a robot whose limbs have no known names is refused if it has fewer pairs


def robot_in(name: str) -> bpy.types.Object:
    """The robot in the open file that follows clips: the armature with bone pairs; among several the armature
    with this name. Without any: the only armature.

    Raises:
        RigError: there is none, or several.
    """
    rigs = [obj for obj in bpy.context.scene.objects if obj.type == "ARMATURE"]
    followers = [rig for rig in rigs if rig.limber.retarget.pairs] or rigs
    if len(followers) > 1:
        followers = [rig for rig in followers if rig.name == name] or followers
    if len(followers) == 1:
        return followers[0]
    if not followers:
        raise RigError("the set-up has no armature: save it with the robot and its pairs")
    names = named(sorted(rig.name for rig in followers))
    raise RigError(f"the set-up has several robots ({names}): name one with --robot")


def import_clip(path: Path, *, scale: float = 1.0, keeps_rate: bool = False) -> bpy.types.Object:
    """Imports a clip's armature, which begins at frame 1; returns the armature.

    Args:
        path: The file.
        scale: Factor of its lengths.
        keeps_rate: Whether the scene keeps its frame rate, at which the clip then plays as fast as before;
            else the scene takes the clip's.

    Raises:
        RigError: the file cannot be used.
        OSError: the copy that Blender's importer reads cannot be written.
    """
    bpy.ops.preferences.addon_enable(module="io_anim_bvh")
    try:
        with importable_copy(path) as copy:
            bpy.ops.import_anim.bvh(
                filepath=str(copy),
                rotate_mode="NATIVE",
                global_scale=scale,
                frame_start=1,
                update_scene_fps=not keeps_rate,
                use_fps_scale=keeps_rate,
                use_cyclic=False,
            )
    except RuntimeError as error:
        # the reason comes after the lines of the importer's code, and before the place where it was called
        *_, why = (line for line in str(error).splitlines() if line and not line.startswith("Location:"))
        raise RigError(f"Blender cannot import it ({why}): {FROM_FILE}") from error
    return bpy.context.object


def follow(rig: bpy.types.Object, source: bpy.types.Object) -> range:
    """Sets a robot to follow a clip's armature; returns the clip's frames. Pairs and calibration are those in
    the robot's file, for which the clip is moved and scaled like the source there; without pairs, those that
    Pair by Names and Calibrate find.

    Raises:
        RigError: too few bones can be paired or they cannot be calibrated, or bones of the file's pairs are
            missing in the clip.
    """
    retarget = rig.limber.retarget
    before, retarget.input = retarget.source, "ARMATURE"
    retarget.source = source
    if retarget.pairs:
        _match_size(before, source, [pair.source for pair in retarget.pairs if pair.enabled])
    else:
        pairing.pair_by_names(rig, retarget)
        _refuse_too_few(rig, retarget)
        pairing.release_controls(rig)
        pair_calibration.calibrate(rig, retarget, bpy.context.evaluated_depsgraph_get())
    rig.update_tag()
    first, last = source.animation_data.action.frame_range
    return range(int(first), int(last) + 1)


def _refuse_too_few(rig: bpy.types.Object, retarget: bpy.types.PropertyGroup) -> None:
    """Raises RigError if more than half of the robot's limbs have no pair, or if a robot without known limbs
    has too few pairs; not if only paired bones are to follow.
    """
    limbs = {
        bones[0] for part, bones in pairing.parts_of(rig).items() if part.name in pairing.LIMBS and bones
    }
    pairs = {pair.target: pair.source for pair in retarget.pairs}
    has_enough = 2 * len(limbs & set(pairs)) >= len(limbs) if limbs else len(pairs) >= FEWEST_PAIRS
    if not has_enough and not retarget.paired_only:
        matches = listing([f"'{target}' with '{bone}'" for target, bone in pairs.items()])
        raise RigError(
            f"only {counted(len(pairs), 'bone')} of '{rig.name}' could be paired by names ({matches}): pair the"
            " others in Blender, save that file, and give it as --setup"
        )


def _match_size(before: bpy.types.Object | None, source: bpy.types.Object, names: list[str]) -> None:
    """Gives a clip's armature the position, orientation and size of `before`, the source armature in the
    robot's file; does nothing without that, or if it lacks one of the bones `names`. Raises RigError if the
    clip lacks one of them.
    """
    if lacking := [name for name in names if name not in source.data.bones]:
        raise RigError(
            f"it lacks {named(sorted(lacking))}, which the set-up pairs: take a clip of the same skeleton, or"
            " another --setup"
        )
    if before is None or any(name not in before.data.bones for name in names):
        return
    source.matrix_world = before.matrix_world
    size = _size(before, names) / (_size(source, names) or inf)
    source.scale = [size * scale if size else scale for scale in source.scale]


def _size(armature: bpy.types.Object, names: list[str]) -> float:
    """Root mean square distance [m] of bones from their centre, in rest pose."""
    heads = np.array([armature.data.bones[name].head_local for name in names])
    return float(np.sqrt(((heads - heads.mean(0)) ** 2).sum(1).mean()))
