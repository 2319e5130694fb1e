"""Limber's stable interface for Python scripts, with or without a window. docs/api.md has examples.

Angles are in radians, lengths in metres, times in seconds. Errors are `RigError`s whose message names the bone, object or property and the
remedy. These functions push no undo step: an operator of your own that calls them should have the UNDO option.
"""

from dataclasses import dataclass
from math import degrees

import bpy

from .rig.authoring import chains, sketch
from .rig.blender.errors import Finding, RigError
from .rig.live import live
from .rig.live.movers import mover_of
from .rig.live.stage import Stage
from .rig.output.bake import Bake
from .rig.output.bake_scene import Baked, bake_scene
from .rig.reading.check import check as _check

__all__ = [
    "Baked",
    "Finding",
    "RigError",
    "Solution",
    "bake",
    "bake_scene",
    "check",
    "motion",
    "new_chain",
    "pose_from_points",
    "solve",
    "store_posture",
]

Joint = tuple[str, str]  # bone and its axis of rotation or translation: ("head", "X")


@dataclass(frozen=True)
class Solution:
    """Solution of a chain's goal in one frame, and its errors.

    Attributes:
        angles: Joint -> angle [rad], or position [m] of a prismatic joint, from the solver, before the motion filter.
        aim_error: Angle [deg] between the end's direction and its aim.
        shape_deviation: Angle [deg] between the links' directions in the solution and in the authored pose, as a mean.
        limits_hit: Joints at a position limit.
        remark: Sentence about how the solver changed the goal, or "".
    """

    angles: dict[Joint, float]
    aim_error: float
    shape_deviation: float
    limits_hit: list[Joint]
    remark: str


def new_chain(rig, end: str, root: str = "", target=None):
    """New chain of an armature's bones; its properties are the settings in the panels.

    Args:
        rig: The armature object.
        end: The bone of the end effector.
        root: The first bone of the chain; "": as New Chain chooses it, above the bone from which legs branch, below another chain, or the
            top of the hierarchy.
        target: The object to look at, or None.

    Raises:
        RigError: no chain can be made; nothing was changed.
    """
    for name in filter(None, (root, end)):
        if name not in rig.pose.bones:
            raise RigError(f"Armature '{rig.name}' has no bone '{name}': name one of {', '.join(rig.pose.bones.keys())}")
    chain = chains.new_chain(rig, list(dict.fromkeys(filter(None, (root, end)))))
    chain.target = target
    return chain


def pose_from_points(rig, chain, points) -> float:
    """Poses a chain's bones along points, such as markers: its links get the points' directions. `store_posture` then keeps the pose.

    Args:
        rig: The armature object.
        chain: The chain.
        points: Positions (m, 3) in the world, from the chain's base to its end. Their size and place do not count. As many as the chain has
            joints at different positions, and one for its end: one for each; any other number: a line along which these are spread.

    Returns:
        The largest angle [deg] between a link and the points; more than about 0 where joints or limits allow no nearer pose.

    Raises:
        RigError: the points have no direction, or the chain cannot be read.
    """
    _, error = sketch.pose_along(rig, chain, points, bpy.context.evaluated_depsgraph_get())
    return error


def store_posture(owner, settings, name: str) -> bpy.types.Action:
    """New pose asset from the current pose of a chain's bones, or the values of a mechanism's motors. A chain or mechanism whose base is
    POSTURE then keeps this posture.

    Args:
        owner: The armature object, or the object that owns the mechanism.
        settings: The chain, or the mechanism (`owner.limber.mechanism`).
        name: Name of the posture.

    Raises:
        RigError: a bone is missing, or the mechanism has no motor.
    """
    mover = mover_of(owner, settings)
    if why := mover.why_no_postures:
        raise RigError(why)
    return mover.store_posture(name, live.session(*mover))


def check(rig, chain) -> list[Finding]:
    """Problems of a chain, each a sentence; `blocks` is True for those that keep the chain from working."""
    return _check(bpy.context, rig, chain)


def solve(rig, chain) -> Solution:
    """Solution of the chain's goal in the current frame, solved from the authored pose without earlier frames. Writes nothing.

    Raises:
        RigError: the goal cannot be solved for.
    """
    stage = Stage()
    stage.advance([(rig, chain)], bpy.context.evaluated_depsgraph_get(), 0.0)
    session = stage.session(rig, chain)
    if session.problem or session.outputs is None:
        raise RigError(session.problem)
    found, keys = session.outputs.solution, session.reader.joint_keys
    return Solution(
        angles=dict(zip(keys, found.angles, strict=True)),
        aim_error=degrees(found.aim_error),
        shape_deviation=degrees(found.shape_deviation),
        limits_hit=[keys[k] for k in found.limits_hit],
        remark=found.remark,
    )


def motion(pairs: list[tuple], start: int, end: int) -> dict[tuple[str, str], dict[Joint, list[float]]]:
    """The filtered motion that `bake` would key. Writes nothing.

    Args:
        pairs: (rig, chain) of each chain; chains that depend on one another belong in one call.
        start, end: First and last frame.

    Returns:
        (rig's name, chain's name) -> joint -> its value in every frame.

    Raises:
        RigError: a chain's goal cannot be solved for in the first frame.
    """
    work = Bake(bpy.context.scene, pairs, start, end)
    try:
        while work.step():
            pass
        found = {}
        for rig, chain in pairs:
            frames = work.values[rig.session_uid, chain.uid]
            found[rig.name, chain.name] = {place: [values[place] for values in frames] for place in frames[0]}
        return found
    finally:
        work.cancel()


def bake(pairs: list[tuple], start: int, end: int) -> list[bpy.types.Action]:
    """New actions with the keys of the solved, filtered motion; the old actions are kept.

    Args:
        pairs, start, end: As for `motion`.

    Raises:
        RigError: as for `motion`, or something in the scene would override the keys; nothing is written.
    """
    work = Bake(bpy.context.scene, pairs, start, end)
    try:
        while work.step():
            pass
        work.mute()
        return work.finish()
    finally:
        work.cancel()
