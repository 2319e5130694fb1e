"""Making and changing chains: the path of bones from the selection, a joint for each free axis, limits from
the rig.
"""

from collections.abc import Sequence
from uuid import uuid4

import bpy

from ...robots.joint_limits import JointRates
from ...robots.model import ModelJoint
from ..blender import item_keys
from ..blender.errors import RigError
from ..blender.selection import selected, selected_index
from ..bones import axes, carried, constrained, imported_robot, mimic
from ..bones.figure import Figure
from ..bones.joint_axes import NO_RANGE, joint_axes, limits
from ..bones.paths import bone_names, end_bones, missing, path_names
from ..chains.measure import is_of_bones
from ..chains.skeleton import ChainReader
from ..mechanisms import bones as bodies
from ..properties import servo_units
from ..robot import device
from . import chain_end, chain_root, chain_settings, forward

# [m/s, m/s2, m/s3] limits of new prismatic joints: those of a small linear servo or a belt drive
LINEAR_LIMITS = (0.2, 1.0, 10.0)


def active(rig: bpy.types.Object) -> bpy.types.PropertyGroup | None:
    """The selected chain of an armature object; None if it has no chains."""
    return selected(rig.limber.chains, rig.limber.active_chain)


def find_path(rig: bpy.types.Object, selected: list[str]) -> list[str]:
    """Names of a new chain's bones from root to end: the path between the selected bones; if only one bone is
    selected, the path from that bone upward.

    A single bone that only marks its parent's tip is left out (`chain_end`). Upward the path ends at the top
    of the hierarchy, before a bone that another chain, constraints or the armature's mechanism move, or where
    the structure of the figure ends it (`chain_root`).

    Raises:
        RigError: nothing is selected, the armature has no bone of a name, the selection is not on one path,
            the armature's mechanism moves the end, or its file cannot be read.
    """
    if not selected:
        raise RigError("No bone is selected: select the end bone, or root and end, in Pose Mode")
    if missing := next((name for name in selected if name not in rig.data.bones), ""):
        raise RigError(f"'{rig.name}' has no bone '{missing}': choose Root and End from its bones")
    if len(selected) == 1 and not imported_robot.is_robot(rig):
        selected = [chain_end.looking(rig, selected[0])]
    bones = sorted((rig.data.bones[name] for name in selected), key=lambda bone: len(bone.parent_recursive))
    end = bones[-1]
    for bone in bones:
        if bone not in [end, *end.parent_recursive]:
            raise RigError(
                f"Bones '{bone.name}' and '{end.name}' are on different branches: select only the bone"
                " that looks, such as the head, or bones on one path from root to end; a chain gets its other"
                " ends by Add End"
            )
    return path_names(rig.pose.bones, bones[0].name, end.name) if len(bones) > 1 else _path_up(rig, end)


def _path_up(rig: bpy.types.Object, end: bpy.types.Bone) -> list[str]:
    """Names of the bones from root to a bone, upward as far as a chain can go. Raises RigError as
    `find_path`.
    """
    mechanism_bones = bodies.not_below(rig, end.name)
    taken = {joint.bone for chain in rig.limber.chains for joint in chain.joints} | mechanism_bones
    above = [end.name]
    for bone in end.parent_recursive:
        if bone.name in taken or _is_moved(rig, [bone.name, *above[::-1]]):
            break
        above.append(bone.name)
    # bones that are fixed to the mechanism move with it
    while mechanism_bones and len(above) > 1 and not joint_axes(rig.pose.bones[above[-1]]):
        above.pop()
    if mechanism_bones and not any(joint_axes(rig.pose.bones[name]) for name in above):
        raise RigError(
            f"Bone '{end.name}' is moved by the mechanism of '{rig.name}', which closes loops: give it a goal"
            " there (Mechanism > Goals), or import the robot again without Closed Loops"
        )
    path = above if mechanism_bones else chain_root.line(rig, above).bones
    # a chain cannot begin with a bone that constraints move
    while len(path) > 1 and constrained.moving_constraint(rig.pose.bones[path[-1]]):
        path = path[:-1]
    return path[::-1]


def _is_moved(rig: bpy.types.Object, names: list[str]) -> bool:
    """Whether constraints move the first of these bones (root first) in a way that a chain cannot compensate
    for, so that it cannot extend past this bone.
    """
    bone = rig.pose.bones[names[0]]
    return constrained.moving_constraint(bone) is not None and carried.carrier(bone, names) is None


def why_begins(rig: bpy.types.Object, path: list[str], figure: Figure | None = None) -> str:
    """Why a chain of this path, from root to end, begins at its first bone, as part of a sentence; "" if the
    structure of the figure does not decide it. `figure`: the armature's figure; None: it is read.
    """
    upward = [path[-1], *(bone.name for bone in rig.data.bones[path[-1]].parent_recursive)]
    line = chain_root.line(rig, upward, figure)
    return line.why if line.bones[-1] == path[0] else ""


def new_chain(rig: bpy.types.Object, selected: list[str], is_part: bool = False) -> bpy.types.PropertyGroup:
    """Makes a chain from the selected bones and returns it. After an error nothing has changed.

    Args:
        rig: The armature object.
        selected: Names of the selected bones.
        is_part: Whether the chain becomes one of several that look together: `look_sharing.spread_parts` then
            decides how far it looks.

    Raises:
        RigError: as `find_path` for the selection, and `moving_bones` for its path.
    """
    names = find_path(rig, selected)
    moving = moving_bones(rig, names)
    chain = rig.limber.chains.add()
    chain.uid = uuid4().hex
    chain_settings.set_solver(chain)
    chain.name = names[-1]
    chain.root, chain.end = names[0], names[-1]
    for bone in moving:
        for axis in joint_axes(bone):
            _add_joint(rig, chain, bone, axis)
    guess = forward.guess_of(rig, chain)
    chain_settings.set_look(rig, chain, has_front=bool(guess.reason), is_part=is_part)
    if guess.reason:
        forward.point(chain, rig, chain.end, guess.direction)
        if is_of_bones(chain, chain.solver):
            # A head looks from its bone's head, about which it rotates: seen from the tail, a near target
            # would be behind. The bone may also point sideways. If the selected bone only marked the tip, the
            # end looks from its tail, where the selected bone is.
            chain.eye = 0.0 if chain.end in selected else 1.0
    rig.limber.active_chain = len(rig.limber.chains) - 1
    return chain


def moving_bones(rig: bpy.types.Object, names: list[str]) -> list:
    """Pose bones of a path that would get joints in a new chain.

    Raises:
        RigError: no chain is possible: no bone moves, or a bone is part of another chain, follows another
            bone of the path, or has no free axis and is moved by a constraint.
    """
    _refuse_shared(rig, names)
    constrained.refuse(rig, [name for name in names if carried.carrier(rig.pose.bones[name], names) is None])
    moving = [bone for name in names if joint_axes(bone := rig.pose.bones[name])]
    if not moving:
        raise RigError(all_locked(names[0], names[-1]))
    _refuse_followers(rig, names)
    return moving


def _refuse_shared(
    rig: bpy.types.Object, names: list[str], extended: bpy.types.PropertyGroup | None = None
) -> None:
    """Raises RigError if a bone is in a chain other than `extended`, the one that gets a further end."""
    for chain in rig.limber.chains:
        for joint in chain.joints:
            if joint.bone in names and (extended is None or chain.uid != extended.uid):
                taken = f"Bone '{joint.bone}' already moves in chain '{chain.name}'"
                if _is_broken(rig, chain):
                    again = f"select '{extended.name}' and press Add End" if extended else "press the button"
                    raise RigError(
                        f"{taken}, which no longer fits the armature: select that chain and remove it (-), then"
                        f" {again} again"
                    )
                raise RigError(
                    f"{taken}: to solve '{names[-1]}' together with it, select that chain and press Add End;"
                    " else select other bones, or remove that chain"
                )


def _is_broken(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> bool:
    """Whether a chain cannot be read, for example because one of its bones was deleted."""
    try:
        ChainReader(rig, chain)
    except RigError:
        return True
    return False


def add_end(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, bone: str) -> bpy.types.PropertyGroup:
    """Makes a bone an additional end of a chain, with joints for the bones that lead to it; returns the end's
    settings. If it raises an error, nothing has changed.

    Args:
        rig: The armature object.
        chain: The chain.
        bone: Name of the bone, a descendant of the chain's root.

    Raises:
        RigError: the bone is an end already, is no descendant of the root, or nothing moves it; or a bone on
            the way to it moves in another chain, follows a joint of this one, or is moved by a constraint.
    """
    names = _new_bones(rig, chain, bone)
    constrained.refuse(rig, names)
    moving = [rig.pose.bones[name] for name in names if joint_axes(rig.pose.bones[name])]
    moved = {joint.bone for joint in chain.joints}
    if not moving and not moved.intersection(path_names(rig.pose.bones, chain.root, bone)):
        raise RigError(all_locked(chain.root, bone))
    _refuse_followers(rig, names, [joint.key for joint in chain.joints])
    # after the last check, so that nothing remains of an end that is refused
    end = chain.ends.add()
    end.name, end.bone, end.roll = bone, bone, chain_settings.ROLL
    chain.active_end = len(chain.ends) - 1
    for moved_bone in moving:
        for axis in joint_axes(moved_bone):
            _add_joint(rig, chain, moved_bone, axis)
    guess = forward.guess_of(rig, chain, bone)
    # if nothing shows where the end looks, it keeps its default forward axis
    if guess.reason:
        forward.point(end, rig, bone, guess.direction)
    return end


def _new_bones(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, bone: str) -> list[str]:
    """Names of the bones that an additional end adds to a chain; raises as `add_end`."""
    if bone not in rig.pose.bones:
        raise RigError(
            missing(bone)
            if bone
            else "No bone is selected: select the bone that is to be another end, in Pose Mode"
        )
    if bone in end_bones(chain):
        raise RigError(f"Bone '{bone}' is an end of chain '{chain.name}' already: select another bone")
    chain_bones = bone_names(rig.pose.bones, chain)
    names = [name for name in path_names(rig.pose.bones, chain.root, bone) if name not in chain_bones]
    _refuse_shared(rig, names, chain)
    return names


def remove_end(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, index: int) -> None:
    """Removes an additional end and the joints that only it used.

    Raises:
        RigError: the chain is linked from another file.
    """
    _refuse_linked(rig, chain)
    with item_keys.following(chain, "ends", "bone"):
        chain.ends.remove(index)
    chain.active_end = selected_index(chain.ends, chain.active_end)
    try:
        remaining_bones = set(bone_names(rig.pose.bones, chain))
    except RigError:  # the chain was invalid before: Check reports the error
        return
    with item_keys.following(chain, "joints", "key"):
        for index in reversed(
            [k for k, joint in enumerate(chain.joints) if joint.bone not in remaining_bones]
        ):
            chain.joints.remove(index)


def all_locked(root: str, end: str) -> str:
    """Error message for a path of bones whose axes are all locked."""
    return (
        f"All rotation axes from '{root}' to '{end}' are locked, and there is no prismatic joint: unlock the"
        " axes that have a motor (a prismatic joint needs a Limit Location too)"
    )


def _refuse_followers(rig: bpy.types.Object, names: list[str], old: Sequence[tuple[str, str]] = ()) -> None:
    """Raises RigError if a bone of the chain mimics a joint of the same chain. `names`: bones that the chain
    gets; `old`: (bone, axis) of the joints that it has already.
    """
    joints = [*old, *((name, axis) for name in names for axis in joint_axes(rig.pose.bones[name]))]
    path = {*names, *(bone for bone, _ in old)}
    for follower in mimic.followers_of(rig, joints):
        if follower.bone in path:
            raise RigError(mimic.why_not_on_path(follower))


def _add_joint(
    rig: bpy.types.Object, chain: bpy.types.PropertyGroup, bone: bpy.types.PoseBone, axis: str
) -> bpy.types.PropertyGroup:
    """Appends a joint for an axis of a bone, with limits from the rig or the robot's file, and the next free
    servo; returns it.
    """
    servo = device.next_servo(rig)
    joint = chain.joints.add()
    joint.name = axes.label(bone.name, axis)
    joint.bone, joint.axis = bone.name, axis
    joint.lower, joint.upper = limits(bone, axis)
    servo_units.make_usual(joint, rig.limber.device.protocol)
    if axes.is_prismatic(axis):
        joint.velocity, joint.acceleration, joint.jerk = LINEAR_LIMITS
        fit_servo(joint)
    motor = imported_robot.motor(bone, axis)
    if motor is not None:
        apply_rates(joint, motor.branch.joint)
    joint.servo = servo
    return joint


def apply_rates(joint: bpy.types.PropertyGroup, of_file: ModelJoint | JointRates) -> None:
    """Sets a joint's or motor's limits of velocity, acceleration and jerk to those of the joint in the
    robot's file, as far as the file has them.
    """
    joint.velocity = of_file.velocity or joint.velocity
    joint.acceleration = of_file.acceleration or joint.acceleration
    joint.jerk = of_file.jerk or joint.jerk


def fit_servo(joint: bpy.types.PropertyGroup) -> None:
    """Sets scale and zero of a prismatic joint's servo, so that its pulse range covers the joint's range."""
    span = max(joint.upper - joint.lower, NO_RANGE)
    joint.us_per_radian = (joint.max_us - joint.min_us) / span
    joint.zero_us = (joint.min_us + joint.max_us) / 2 - joint.us_per_radian * (joint.lower + joint.upper) / 2


def match_joints(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> tuple[int, int]:
    """Updates a chain's joints: adds joints for axes that were unlocked, removes those of locked axes, and
    keeps the settings of the others.

    Returns:
        Numbers of joints added and removed.

    Raises:
        RigError: a bone is missing, an end is no descendant of the root, all axes are locked, or the chain is
            linked from another file.
    """
    names = bone_names(rig.pose.bones, chain)
    moving = [rig.pose.bones[name] for name in names if joint_axes(rig.pose.bones[name])]
    if not moving:
        raise RigError(all_locked(names[0], names[-1]))
    _refuse_linked(rig, chain)
    unlocked = [(bone.name, axis) for bone in moving for axis in joint_axes(bone)]
    removed = [index for index, joint in enumerate(chain.joints) if joint.key not in unlocked]
    # data paths of keyframes have the joints' indices, which change here
    with item_keys.following(chain, "joints", "key"):
        for index in reversed(removed):
            chain.joints.remove(index)
        kept = {joint.key for joint in chain.joints}
        new = [key for key in unlocked if key not in kept]
        for name, axis in new:
            _add_joint(rig, chain, rig.pose.bones[name], axis)
        # new joints were appended: restore the order along the bones, which a new chain has
        for position, key in enumerate(unlocked):
            chain.joints.move([joint.key for joint in chain.joints].index(key), position)
    return len(new), len(removed)


def remove_chain(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> None:
    """Removes a chain; its postures stay in the file as pose assets.

    Raises:
        RigError: the chain is linked from another file, and an override cannot remove it.
    """
    _refuse_linked(rig, chain)
    index = list(rig.limber.chains).index(chain)
    with item_keys.following(rig.limber, "chains", "uid"):
        rig.limber.chains.remove(index)
    rig.limber.active_chain = selected_index(rig.limber.chains, rig.limber.active_chain)


def _refuse_linked(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> None:
    """Raises RigError if the chain comes from a library: an override can add and change chains, but not
    remove them.
    """
    if rig.override_library and any(
        linked.uid == chain.uid for linked in rig.override_library.reference.limber.chains
    ):
        raise RigError(
            f"Chain '{chain.name}' comes from the file that '{rig.name}' is linked from: change its joints"
            " there"
        )
