"""Shared by plays: a rig whose chain looks at a target, with a servo for each joint."""

import importlib.util
from pathlib import Path

import bpy

RIGS = Path(__file__).resolve().parents[2] / "blender" / "rigs.py"


def build(stage):
    """Builds the rig and its chain, shown in the 3D view; returns both."""
    spec = importlib.util.spec_from_file_location("rigs", RIGS)
    rigs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rigs)
    with stage.context():
        rig, chain = rigs.looking_chain()
        for number, joint in enumerate(chain.joints):
            joint.servo = number
        bones = rig.pose.bones
        bones["lower"].rotation_euler.x, bones["middle"].rotation_euler.x, bones["upper"].rotation_euler.x = (
            0.5,
            -0.9,
            0.7,
        )
        bpy.ops.limber.store_posture(name="Curious")
        bpy.ops.view3d.view_all()
    return rig, chain


def robots_path(chain, places: dict[int, tuple[float, float, float]]) -> None:
    """Adds keyframes of the target at positions [m] in frames, and ranges of joints against which a robot's
    motion is checked.
    """
    for joint in chain.joints:
        joint.lower, joint.upper = -1.4, 1.4
    for frame, place in places.items():
        chain.target.location = place
        chain.target.keyframe_insert("location", frame=frame)
