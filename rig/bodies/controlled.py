"""Control bones of rigs whose deforming bones follow controls, such as generated Rigify rigs: which control
moves which part of the body.
"""

from collections.abc import Container, Iterable, Mapping

import bpy

from ..bones import attached
from ..bones.constrained import COPYING, acts
from ..bones.controls import Controls
from ..bones.driving import switch_off
from . import names
from .part_names import DEFORMING, BodyPart, Parents


def controls_of(rig: bpy.types.Object, bones: Parents) -> dict[str, str] | None:
    """Control bone of each deforming bone that has one of its own: if several bones follow one control, only
    one of them has it. None if the bones named after body parts follow no controls.

    The control of the hips is the control that carries both hips and head: the body's base.

    Args:
        rig: The armature object.
        bones: Parent of each bone, parents before their children.
    """
    bones_by_part = names.parts(bones)
    controls = Controls(rig)
    named = [bone for part in bones_by_part.values() for bone in part]
    if not any(map(controls.is_followed, named)):
        return None
    hips, head = (next(iter(bones_by_part.get(BodyPart("", name), ())), "") for name in ("hips", "head"))
    control_by_bone: dict[str, str] = {}
    excluded: set[str] = set()
    if hips and controls.is_followed(hips):
        excluded = {hips, *controls.upstream(hips)}
        if (trunk := _trunk(controls, hips, head)) is not None:
            control_by_bone[hips] = trunk
    nearest = _nearest_controls(controls, [bone for bone in bones if bone != hips], named, excluded)
    # body parts first, then bones that are nearer to their control
    for bone, (_, _, control) in sorted(nearest.items(), key=lambda item: item[1][:2]):
        if control not in control_by_bone.values():
            control_by_bone[bone] = control
    return control_by_bone


def _nearest_controls(
    controls: Controls, bones: Iterable[str], named: Container[str], excluded: set[str]
) -> dict[str, tuple[bool, int, str]]:
    """For each bone that is a body part or named as deforming: (whether it is no body part, number of steps
    to its control, the control). Controls in `excluded` are not used, and bones that follow only these are
    left out; a bone that follows nothing is its own control, after 0 steps.
    """
    nearest = {}
    for bone in bones:
        if bone not in named and not bone.upper().startswith(DEFORMING):
            continue
        control = controls.control_of(bone, excluded) if controls.is_followed(bone) else bone
        if control is not None:
            distance = 0 if control == bone else 1 + controls.upstream(bone).index(control)
            nearest[bone] = (bone not in named, distance, control)
    return nearest


def _trunk(controls: Controls, hips: str, head: str) -> str | None:
    """The control that carries both hips and head; None if there is none."""
    above = controls.upstream(head or hips)
    return next(
        (bone for bone in controls.upstream(hips) if bone in above and controls.is_control(bone)), None
    )


def release(
    rig: bpy.types.Object, bones: Parents, control_by_bone: dict[str, str]
) -> tuple[list[str], list[str]]:
    """Switches off constraints that keep deforming bones from following their controls (IK of limbs), or
    controls from following their parents (a head that does not follow the neck). It sets the custom
    properties that drive the constraints' influence.

    Args:
        rig: The armature object.
        bones: Parent of each bone, parents before their children.
        control_by_bone: Control of each deforming bone, from `controls_of`.

    Returns:
        The settings that were changed, and sentences about constraints that could not be switched off.
    """
    switched_off, still_acting = [], []
    for bone, constraint in _opposing_constraints(rig, bones, control_by_bone):
        # a property that was set for an earlier constraint has switched off this constraint too
        if not acts(constraint):
            continue
        if sentence := switch_off(rig, constraint):
            switched_off.append(sentence)
        else:
            still_acting.append(
                f"Bone '{bone.name}' is moved by its constraint '{constraint.name}': mute it, or the body"
                " does not follow exactly"
            )
    return switched_off, still_acting


def _opposing_constraints(
    rig: bpy.types.Object, bones: Parents, control_by_bone: dict[str, str]
) -> list[tuple]:
    """(pose bone, constraint) of constraints that work against the controls.

    These come after a constraint that copies a control, or copy a rotation to a bone between two controls.
    """
    parts = {bone for part_bones in names.parts(bones).values() for bone in part_bones}
    controls = {control_by_bone[bone] for bone in parts if bone in control_by_bone}
    after_copies = [pair for bone in rig.pose.bones for pair in _after_copies(bone, controls)]
    return after_copies + [
        (rig.pose.bones[name], constraint)
        for name in sorted(_between(rig.pose.bones, controls))
        if attached.copied(rig.pose.bones[name]) is None
        for constraint in rig.pose.bones[name].constraints
        if acts(constraint) and constraint.type == "COPY_ROTATION"
    ]


def _after_copies(bone: bpy.types.PoseBone, controls: set[str]) -> list[tuple]:
    """(pose bone, constraint) of a bone's constraints that come after a constraint that copies a control, and
    copy another bone.
    """
    constraints = list(filter(acts, bone.constraints))
    copies = [
        k
        for k, constraint in enumerate(constraints)
        if constraint.type == "COPY_TRANSFORMS" and constraint.subtarget in controls
    ]
    following = constraints[copies[0] + 1 :] if copies else []
    return [
        (bone, constraint)
        for constraint in following
        if constraint.type in COPYING and constraint.subtarget not in controls
    ]


def _between(pose_bones: Mapping[str, bpy.types.PoseBone], controls: set[str]) -> set[str]:
    """Names of the bones between controls: ancestors of controls that are not controls themselves, without
    those above the control that carries all others.
    """
    # names of each control and its ancestors
    paths = {name: [bone.name for bone in attached.with_ancestors(pose_bones[name])] for name in controls}
    between = {above for path in paths.values() for above in path[1:]} - controls
    trunk = next((name for name in controls if all(name in path for path in paths.values())), None)
    return between - set(paths[trunk]) if trunk is not None else between
