"""Controls of a head that closed loops move: bones with its freedoms, which a chain moves and the mechanism follows."""

from math import pi

import bpy
from mathutils import Matrix, Quaternion, Vector

from ...robots.gallery.description import SLIDES, Gaze, Neck
from ..reading import axes, imported_robot
from ..reading.mechanism import offsets

HEAD, BODY = "Head Control", "Body Control"
LENGTH = 0.05  # [m] of a control
SHORTEST = 0.01  # [m] of the head's, which ends at its eye
# A control points forward (its Y is the root link's x) with its Z up: axis of the bone and sign of each freedom.
AXES = {"x": ("Y", 1), "y": ("X", -1), "z": ("Z", 1), "yaw": ("Z", 1), "pitch": ("X", -1), "roll": ("Y", 1)}
FORWARD = Matrix(((0, 1, 0), (-1, 0, 0), (0, 0, 1)))  # a control's axes in the root link's frame
ORDER = "YXZ"  # yaw is the outermost rotation, roll the innermost


def add(context, rig, gaze: Gaze) -> list[str]:
    """Adds the controls of a head, and the mechanism's goals that follow them; returns the bones of its chain, root and end.

    The head's control is at the height of its eye and ends there, so that it looks along its bone.

    Args:
        context: Blender's context; the armature is active, in Object Mode.
        rig: The imported robot with its mechanism.
        gaze: What looks, with its neck.
    """
    neck = gaze.neck
    tree, bones = imported_robot.tree_of(rig)
    links = {branch.link: k for k, branch in enumerate(tree.branches)}
    at_rest = [_matrix(frame) for frame in tree.frames({})]
    moved = _below(tree, links[gaze.end])  # with the head, from its rest pose to its neutral one
    lift = Matrix.Translation(neck.at) @ at_rest[links[gaze.end]].inverted()
    ahead, *beside = neck.eye
    made = {HEAD: Matrix.Translation(Vector(neck.at) + Vector((0.0, *beside))) @ FORWARD.to_4x4()}
    parents = {HEAD: bones[0]}
    goals = {HEAD: bones[links[gaze.end]]}
    joints = {branch.joint.name: k for k, branch in enumerate(tree.branches) if branch.joint is not None}
    for name in (*([neck.body] if neck.body else []), *neck.controls):
        k = joints[name]
        control = BODY if name == neck.body else f"{name} Control"
        hinge = at_rest[tree.branches[k].parent] @ _matrix(tree.branches[k].before)
        axis = hinge.to_quaternion() @ Vector(tree.branches[k].axis)
        frame = Matrix.Translation(hinge.translation) @ axis.to_track_quat("X", "Z").to_matrix().to_4x4()
        made[control] = (lift if k in moved else Matrix.Identity(4)) @ frame
        parents[control] = HEAD if k in moved else bones[0]
        goals[control] = bones[k]
    if neck.body:
        parents[HEAD] = BODY
    _edit(rig, made, parents, {HEAD: max(ahead, SHORTEST)})
    _limit_head(rig.pose.bones[HEAD], neck)
    for control, bone in goals.items():
        k = bones.index(bone)
        rest = rig.data.bones[bone].matrix_local
        target = (lift if k in moved else Matrix.Identity(4)) @ rest
        _follow(rig, control, bone, rig.data.bones[control].matrix_local.inverted() @ target)
        if control != HEAD:
            _limit(rig.pose.bones[control], "X", tree.branches[k].joint)
    context.view_layer.update()
    return [BODY, HEAD] if neck.body else [HEAD]


def pose(rig, values) -> None:
    """Poses the controls: values of the neck's freedoms [m, rad]; those that are not named are 0."""
    head = rig.pose.bones[HEAD]
    for freedom, (letter, sign) in AXES.items():
        axis = axes.prismatic(letter) if freedom in SLIDES else letter
        getattr(head, axes.channel(axis))[axes.index(axis)] = sign * values.get(freedom, 0.0)
    if BODY in rig.pose.bones:
        rig.pose.bones[BODY].rotation_euler.x = values.get("body", 0.0)


def _matrix(frame) -> Matrix:
    return Matrix.LocRotScale(Vector(frame.offset), Quaternion(frame.rotation), None)


def _below(tree, place: int) -> set[int]:
    """Branches that are fixed to a link or on it, the link's own parents by fixed joints among them."""
    top = place
    while tree.branches[top].joint is not None and not tree.branches[top].joint.is_movable:
        top = tree.branches[top].parent
    found = {top}
    for k, branch in enumerate(tree.branches):
        if branch.parent in found:
            found.add(k)
    return found


def _edit(rig, made: dict[str, Matrix], parents: dict[str, str], lengths: dict[str, float]) -> None:
    """Makes the bones, with these frames in armature space."""
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    for name, frame in made.items():
        bone = bones.new(name)
        bone.head, bone.tail = (0, 0, 0), (0, lengths.get(name, LENGTH), 0)
        bone.matrix = frame
    for name, parent in parents.items():
        bones[name].parent = bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")


def _locked(bone) -> None:
    bone.rotation_mode = ORDER
    bone.lock_location = bone.lock_rotation = bone.lock_scale = (True, True, True)


def _limit_head(bone, neck: Neck) -> None:
    _locked(bone)
    slides, turns = bone.constraints.new("LIMIT_LOCATION"), bone.constraints.new("LIMIT_ROTATION")
    for limit in (slides, turns):
        limit.owner_space, limit.use_transform_limit, limit.show_expanded = "LOCAL", True, False
    for freedom, span in neck.spans.items():
        letter, sign = AXES[freedom]
        low, high = sorted(sign * end for end in span)
        index, name = "XYZ".index(letter), letter.lower()
        is_slide = freedom in SLIDES
        (bone.lock_location if is_slide else bone.lock_rotation)[index] = False
        limit = slides if is_slide else turns
        for switch in (f"use_min_{name}", f"use_max_{name}") if is_slide else (f"use_limit_{name}",):
            setattr(limit, switch, True)
        setattr(limit, f"min_{name}", low)
        setattr(limit, f"max_{name}", high)


def _limit(bone, letter: str, joint) -> None:
    """Frees one rotation of a control within a joint's limits; ranges of 180 degrees and more cannot be limits of a pose."""
    _locked(bone)
    bone.rotation_mode = "XYZ"
    bone.lock_rotation["XYZ".index(letter)] = False
    if joint.lower is None or joint.upper is None or not -pi < joint.lower <= joint.upper < pi:
        return
    limit = bone.constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_transform_limit, limit.show_expanded = "LOCAL", True, False
    name = letter.lower()
    setattr(limit, f"use_limit_{name}", True)
    setattr(limit, f"min_{name}", joint.lower)
    setattr(limit, f"max_{name}", joint.upper)


def _follow(rig, control: str, bone: str, offset: Matrix) -> None:
    """Adds a goal of the mechanism: the head's bone has its control's pose, a joint's bone its control's rotation about the axis."""
    goal = rig.limber.mechanism.goals.add()
    goal.name, goal.bone, goal.target, goal.target_bone = control, bone, rig, control
    goal.does = "FRAME" if control == HEAD else "ORIENTATION"
    if control != HEAD:
        goal.rotation_weight = (1.0, 0.0, 0.0)
    goal.offset = offsets.rows(offset)
