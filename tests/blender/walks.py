"""The Walker of the gallery, a walk with keyframes, and measurements of it."""

from itertools import pairwise
from typing import NamedTuple

import bpy
import numpy as np
from limber.solvers.mechanism.support import centre_of_mass, tipping

from tests.blender import mechanisms as those
from tests.blender.rigs import make_active

STEP, LIFT = 0.03, 0.015  # [m] length and height of a foot's step
WALK = 130  # [frames] in which each foot makes a step
FIRST, SECOND = 24, 84  # frames at which the right foot and the left one lift
SWING = 20  # [frames] duration of a step
ALONE, SHIFT = (
    4,
    14,
)  # [frames] in which one foot carries the weight before the other lifts, and in which the weight shifts
STILL = 1e-7  # [m] movement of a target per frame below which it rests


def keyed():
    """A Walker whose feet make one step each, the right one first, with keyframes made by the panel's
    buttons; returns its owner.
    """
    owner = those.add("walker", place=(0.0, 0.0, 0.0))
    settings = owner.limber.mechanism
    settings.frame_start, settings.frame_end = 1, WALK
    for side, other, start in (("Right", "Left", FIRST), ("Left", "Right", SECOND)):
        support(owner, start - ALONE - SHIFT, "")
        support(owner, start - ALONE, other)
        support(owner, start + SWING + ALONE, other)
        support(owner, start + SWING + ALONE + SHIFT, "")
        target = bpy.data.objects[f"{side} Foot Target"]
        x, y, z = target.location
        for frame, along, up in (
            (start, 0.0, 0.0),
            (start + SWING / 2, 0.5, LIFT),
            (start + SWING, 1.0, 0.0),
        ):
            target.location = (x, y - along * STEP, z + up)
            target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    make_active(owner)
    return owner


def support(owner, frame: int, side: str) -> None:
    """Adds a keyframe at which this foot carries the weight; "": both."""
    settings = owner.limber.mechanism
    bpy.context.scene.frame_set(frame)
    make_active(owner)
    settings.active_goal = settings.goals.find(f"{side or 'Left'} Foot Weight")
    bpy.ops.limber.key_support(carries="THIS" if side else "ALL")


class Seen(NamedTuple):
    """Measurements of a shown frame.

    Attributes:
        soles: Points (n, 3) [m] of each foot's sole in the world.
        targets: Positions (3,) [m] of the feet's targets.
        errors: Distances [m] of feet from their targets.
        centre: Centre of mass (3,) [m].
    """

    soles: dict[str, np.ndarray]
    targets: dict[str, np.ndarray]
    errors: dict[str, float]
    centre: np.ndarray


def seen(mechanism) -> Seen:
    """Measurements of the current frame. `mechanism`: the mechanism as it was read."""
    poses = np.array([those.world(bpy.data.objects[body.name]) for body in mechanism.bodies])
    soles, targets, errors = {}, {}, {}
    for side in ("Left", "Right"):
        thing = bpy.data.objects[f"{side} Sole"]
        matrix = those.world(thing)
        soles[side] = (
            np.array([vertex.co for vertex in thing.data.vertices]) @ matrix[:3, :3].T + matrix[:3, 3]
        )
        targets[side] = those.world(bpy.data.objects[f"{side} Foot Target"])[:3, 3]
        errors[side] = float(
            np.linalg.norm(those.world(bpy.data.objects[f"{side} Foot"])[:3, 3] - targets[side])
        )
    return Seen(soles, targets, errors, centre_of_mass(mechanism, poses))


def played(mechanism, last: int = WALK) -> list[Seen]:
    """Measurements of the frames, each set in order."""
    frames = []
    for frame in range(1, last + 1):
        bpy.context.scene.frame_set(frame)
        frames.append(seen(mechanism))
    return frames


def outside(frame: Seen) -> float:
    """Distance [m] of the centre of mass from the soles on the ground; 0 above them."""
    edge = tipping(frame.soles, frame.centre)
    return edge.distance if edge is not None else 0.0


def slid(frames: list[Seen]) -> float:
    """Largest distance [m] of a point of a sole from the position where it was put down, while its foot's
    target rested.
    """
    most = 0.0
    for side in ("Left", "Right"):
        down = frames[0].soles[side]
        for before, after in pairwise(frames):
            if np.abs(before.targets[side] - after.targets[side]).max() > STILL:
                down = down + after.targets[side] - before.targets[side]
                continue
            most = max(most, float(np.linalg.norm(after.soles[side] - down, axis=1).max()))
    return most
