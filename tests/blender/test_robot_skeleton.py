"""The skeleton of a robot's file, made without an armature, is that of Blender's import of the file."""

import random

import bpy
import numpy as np
import pytest
from limber.rig.authoring.robot_import import import_robot
from limber.rig.bones.imported_robot import record_of, tree_of
from limber.rig.chains.chain import skeleton_now
from limber.robots.reading import read
from limber.robots.skeleton import robot_skeleton
from limber.robots.tree import build_tree
from limber.solvers.kinematics.skeleton import Skeleton

from tests.blender.rigs import select
from tests.robots.robots import ARM, arbitrary, write

EXACT = 1e-9  # [m, rad]
SINGLE = 1e-6  # [m, rad, and shares of limits] what Blender's single precision leaves of a chain on bones


def robots() -> list:
    arbitrary_ones = [arbitrary(random.Random(seed)) for seed in range(4)]
    return [
        pytest.param(ARM, id="arm"),
        *(pytest.param(text, id=str(seed)) for seed, text in enumerate(arbitrary_ones)),
    ]


def origins(skeleton: Skeleton, angles: list[float]) -> np.ndarray:
    """Positions (n, 3) [m] of the joints in the base's frame."""
    return np.array(skeleton.forward(angles).positions)


@pytest.mark.parametrize("text", robots())
def test_it_is_the_skeleton_of_the_tree_that_the_armature_keeps(tmp_path, text: str):
    path = write(tmp_path, text)
    built = robot_skeleton(build_tree(read(path)))
    kept = robot_skeleton(tree_of(import_robot(bpy.context, path, with_meshes=False).rig)[0])
    assert (kept.names, kept.ends, kept.relations) == (built.names, built.ends, built.relations)
    for joint, other in zip(kept.skeleton.joints, built.skeleton.joints, strict=True):
        assert (joint.lower, joint.upper, joint.kind) == (other.lower, other.upper, other.kind)
        assert (joint.velocity, joint.acceleration, joint.jerk) == (
            other.velocity,
            other.acceleration,
            other.jerk,
        )
    draw = random.Random(1)
    for _ in range(10):
        angles = [draw.uniform(joint.lower, joint.upper) for joint in built.skeleton.joints]
        pose, other = built.skeleton.forward(angles), kept.skeleton.forward(angles)
        for number in range(len(built.ends)):
            rotation, position = built.skeleton.end_pose(pose, number)
            other_rotation, other_position = kept.skeleton.end_pose(other, number)
            assert position == pytest.approx(other_position, abs=EXACT)
            assert rotation == pytest.approx(other_rotation, abs=EXACT)


@pytest.mark.parametrize("axis", ["0 0 2", "0 0 -1", "1 1 0"])
def test_a_chain_on_the_imported_bones_has_its_joints_and_limits(tmp_path, axis: str):
    path = write(tmp_path, ARM.replace('axis xyz="0 0 2"', f'axis xyz="{axis}"'))
    built = robot_skeleton(build_tree(read(path)))
    rig = import_robot(bpy.context, path, with_meshes=False).rig
    select(rig, "left")
    assert bpy.ops.limber.new_chain() == {"FINISHED"}
    chain = rig.limber.chains[-1]
    skeleton = skeleton_now(rig, chain)
    records = [record_of(rig.data.bones[joint.bone]) for joint in chain.joints]
    columns = [built.names.index(record.branch.joint.name) for record in records]
    assert len(columns) == len(skeleton) == 3
    for joint, record, column in zip(skeleton.joints, records, columns, strict=True):
        of_file = built.skeleton.joints[column]
        span = (of_file.lower, of_file.upper) if record.sign > 0 else (-of_file.upper, -of_file.lower)
        assert (joint.lower, joint.upper) == pytest.approx(span, rel=SINGLE)
        assert (joint.velocity, joint.kind) == (pytest.approx(of_file.velocity, rel=SINGLE), of_file.kind)
    draw = random.Random(2)
    for _ in range(20):
        angles = [draw.uniform(joint.lower, joint.upper) for joint in skeleton.joints]
        by_name = {
            built.names[column]: record.sign * angle
            for column, record, angle in zip(columns, records, angles, strict=True)
        }
        ours = origins(skeleton, angles)
        theirs = origins(built.skeleton, built.angles(by_name))[columns]
        apart, other = (np.linalg.norm(each[:, None] - each[None], axis=2) for each in (ours, theirs))
        assert np.abs(apart - other).max() < SINGLE
