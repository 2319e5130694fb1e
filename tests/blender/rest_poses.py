"""Four-bars with keyframes that are baked, for tests of their rest pose."""

from math import atan2, radians

import bpy
import numpy as np

from tests.blender import mechanisms as those
from tests.blender.four_bars import PLACES, four_bar, owned
from tests.blender.rigs import make_active

BODIES = ("crank", "coupler", "rocker")
CLOSED = 2e-6  # [m] tolerance for a closed joint in single precision
NEAR = 2e-5  # [rad] tolerance for keyframes in single precision
SAYS = "press Go to Rest Pose to put all back, or Set Rest Pose to take them as they are"


def made(make=those.joint, kind: str = "revolute"):
    """A four-bar with a motor, not live; returns its owner."""
    four_bar(make, kind, bodies="" if make is those.joint else "ACTIVE")
    owner = owned()
    kept = owner.limber.mechanism
    kept.drive, kept.frame_start, kept.frame_end = "MOTORS", 1, 25
    motor = kept.motors[0]
    motor.velocity, motor.acceleration, motor.jerk = 20.0, 400.0, 1e5
    if world := bpy.context.scene.rigidbody_world:
        world.enabled = False
    return owner


def key_motor(owner, *keys: tuple[int, float]) -> None:
    for frame, value in keys:
        owner.limber.mechanism.motors[0].value = value
        owner.keyframe_insert("limber.mechanism.motors[0].value", frame=frame)


def bake(owner) -> None:
    make_active(owner)
    bpy.ops.limber.bake()


def baked(owner=None):
    """A four-bar whose crank was baked from the rest pose to 60 degrees; returns its owner."""
    owner = owner or made()
    key_motor(owner, (1, 0.0), (25, radians(60.0)))
    bpy.context.scene.frame_set(1)
    bake(owner)
    return owner


def set_rest_pose(owner, frame: int = 0) -> None:
    """Makes the pose of a frame, or of the current one, the rest pose."""
    if frame:
        bpy.context.scene.frame_set(frame)
    those.set_rest_pose(owner)


def go_live(owner, frame: int) -> None:
    bpy.context.scene.frame_set(frame)
    make_active(owner)
    bpy.ops.limber.live()


def angle(name: str = "crank") -> float:
    """Shown angle [rad] of a body about the Y axis."""
    shown = those.world(bpy.data.objects[name])
    return atan2(shown[0, 2], shown[0, 0])


def gap() -> float:
    """Largest gap [m] of the pins between shown bodies."""
    ends = {"B": ("crank", "coupler"), "C": ("coupler", "rocker")}
    start = {"crank": "A", "coupler": "B", "rocker": "D"}
    worst = 0.0
    for pin, pair in ends.items():
        at = [
            (those.world(bpy.data.objects[name]) @ (*np.subtract(PLACES[pin], PLACES[start[name]]), 1.0))[:3]
            for name in pair
        ]
        worst = max(worst, float(np.linalg.norm(at[0] - at[1])))
    return worst


def said(owner) -> str:
    from limber.rig.authoring.mechanism.check import check

    those.update()
    return "\n".join(finding.sentence for finding in check(bpy.context, owner).findings)


def follow(owner):
    """Lets the crank follow a target's rotation about the Y axis; returns the target."""
    kept = owner.limber.mechanism
    kept.drive = "TARGETS"
    goal = kept.goals.add()
    goal.does, goal.body, goal.target = "ORIENTATION", bpy.data.objects["crank"], those.box("wanted")
    return goal.target
