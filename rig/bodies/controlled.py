"""Control bones of rigs whose deforming bones follow controls, such as generated Rigify rigs: which control
moves which part of the body.
"""

from ..bones import attached
from ..bones.constrained import COPYING, acts
from ..bones.controls import Controls
from ..bones.driving import switch_off
from . import names
from .names import Parents
from .part_names import Part


def controls_of(rig, bones: Parents) -> dict[str, str] | None:
    """Control bone of each deforming bone, each control once; None if the bones named after body parts follow
    no controls.

    The control of the hips is the one that carries both hips and head: the body's base.

    Args:
        rig: The armature object.
        bones: Parent of each bone, parents before their children.
    """
    bones_by_part = names.parts(bones)
    controls = Controls(rig)
    named = [bone for part in bones_by_part.values() for bone in part]
    if not any(map(controls.is_followed, named)):
        return None
    control_by_bone: dict[str, str] = {}
    excluded: set[str] = set()
    hips, head = (next(iter(bones_by_part.get(Part("", name), ())), "") for name in ("hips", "head"))
    if hips and controls.is_followed(hips):
        above = controls.upstream(head) if head else controls.upstream(hips)
        trunk = next(
            (bone for bone in controls.upstream(hips) if bone in above and controls.is_control(bone)), None
        )
        excluded = {hips, *controls.upstream(hips)}
        if trunk is not None:
            control_by_bone[hips] = trunk
    deforming = [bone for bone in bones if bone in named or bone.upper().startswith(names.DEFORMING)]
    nearest = {}
    for bone in deforming:
        control = controls.control_of(bone, excluded) if controls.is_followed(bone) else bone
        if control is not None and bone != hips:
            distance = 0 if control == bone else 1 + controls.upstream(bone).index(control)
            nearest[bone] = (bone not in named, distance, control)
    # Body parts first, then bones that are nearer to the control.
    for bone, (_, _, control) in sorted(nearest.items(), key=lambda item: item[1][:2]):
        if control not in control_by_bone.values():
            control_by_bone[bone] = control
    return control_by_bone


def release(rig, bones: Parents, control_by_bone: dict[str, str]) -> tuple[list[str], list[str]]:
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
    done, left = [], []
    for bone, constraint in _hindering(rig, bones, control_by_bone):
        if not acts(
            constraint
        ):  # it was switched off together with a constraint before it, by the same property
            continue
        if said := switch_off(rig, constraint):
            done.append(said)
        else:
            left.append(
                f"Bone '{bone.name}' is moved by its constraint '{constraint.name}': mute it, or the body"
                " does not follow exactly"
            )
    return done, left


def _hindering(rig, bones: Parents, control_by_bone: dict[str, str]) -> list[tuple]:
    """(pose bone, constraint) of constraints that work against the controls.

    They follow a constraint that copies a control, or copy a rotation to a bone between two controls.
    """
    pose_bones = rig.pose.bones
    parts = {bone for found in names.parts(bones).values() for bone in found}
    controls = {control_by_bone[bone] for bone in parts if bone in control_by_bone}
    found = []
    for bone in pose_bones:
        constraints = list(filter(acts, bone.constraints))
        copies = [
            k
            for k, constraint in enumerate(constraints)
            if constraint.type == "COPY_TRANSFORMS" and constraint.subtarget in controls
        ]
        if copies:
            found += [
                (bone, constraint)
                for constraint in constraints[copies[0] + 1 :]
                if constraint.type in COPYING and constraint.subtarget not in controls
            ]
    between = {
        above.name for control in controls for above in attached.with_ancestors(pose_bones[control])[1:]
    } - controls
    trunk = next(
        (
            name
            for name in controls
            if all(
                name in [bone.name for bone in attached.with_ancestors(pose_bones[other])]
                for other in controls
            )
        ),
        None,
    )
    if trunk is not None:
        between -= {bone.name for bone in attached.with_ancestors(pose_bones[trunk])}
    for name in sorted(between):
        bone = pose_bones[name]
        if attached.copied(bone) is None:
            found += [
                (bone, constraint)
                for constraint in bone.constraints
                if acts(constraint) and constraint.type == "COPY_ROTATION"
            ]
    return found
