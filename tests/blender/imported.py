"""An imported robot in the terms of its file: authored and shown joint values, shown link frames."""

from limber.rig.bones.axes import INDEX, UNIT, is_euler
from limber.rig.bones.imported_robot import channel, records, tree_of
from limber.robots.transform import Transform
from limber.solvers.kinematics import rotations


def joint_values(rig) -> dict[str, float]:
    """Value [rad or m] of every joint in the authored pose, by URDF name, read directly from the channels.

    Raises:
        RigError: the armature is no imported robot.
    """
    tree, _ = tree_of(rig)
    values = {}
    for name, kept in records(rig):
        joint = kept.branch.joint
        if joint is None or not joint.is_movable or joint.mimic is not None:
            continue
        bone = rig.pose.bones[name]
        if joint.is_rotary and not is_euler(bone):
            value = rotations.twist_angle(tuple(bone.matrix_basis.to_quaternion()), UNIT[kept.axis])
        else:
            value = getattr(bone, channel(kept))[INDEX[kept.axis]]
        values[joint.name] = kept.sign * value
    return tree.complete(values)


def shown_values(rig, depsgraph) -> dict[str, float]:
    """Shown value [rad, -pi to pi; prismatic joints m] of every movable joint, by URDF name, from the
    evaluated poses of its bones.

    Because of limits a bone may be shown in another pose than that of its channels.
    """
    shown, values = rig.evaluated_get(depsgraph).pose.bones, {}
    for name, kept in records(rig):
        joint, bone = kept.branch.joint, shown[name]
        if joint is None or not joint.is_movable:
            continue
        rest = bone.parent.bone.matrix_local.inverted() @ bone.bone.matrix_local
        moved = (bone.parent.matrix @ rest).inverted() @ bone.matrix
        turn = rotations.twist_angle(tuple(moved.to_quaternion()), UNIT[kept.axis])
        values[joint.name] = kept.sign * (turn if joint.is_rotary else moved.translation[INDEX[kept.axis]])
    return values


def link_frames(rig, depsgraph) -> dict[str, Transform]:
    """Shown pose of each link's frame in armature space [m]."""
    tree, bones = tree_of(rig)
    shown = rig.evaluated_get(depsgraph).pose.bones
    resting = tree.frames({})
    return {
        branch.link: (
            _transform(shown[name].matrix)
            .then(_transform(rig.data.bones[name].matrix_local).inverse())
            .then(frame)
        )
        for branch, name, frame in zip(tree.branches, bones, resting, strict=True)
    }


def _transform(matrix) -> Transform:
    return Transform(rotations.from_matrix([row[:3] for row in matrix[:3]]), tuple(matrix.translation))
