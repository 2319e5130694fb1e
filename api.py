"""Limber's stable interface for Python scripts, with or without a window. docs/api.md has examples.

Angles are in radians, lengths in metres, times in seconds. Errors are `RigError`s whose message names the
bone, object or property and the remedy. These functions push no undo step: an operator of your own that calls
them should have the UNDO option.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import degrees, isnan
from typing import NamedTuple

import bpy

from .rig.authoring import chains, sketch
from .rig.blender.errors import Finding, RigError
from .rig.bones.imported_robot import pose_joints
from .rig.chains.check import check as _check
from .rig.live import live
from .rig.live.movers import ChainMover, mover_of
from .rig.live.stage import SceneStage
from .rig.output.bake import Bake
from .rig.output.bake_scene import Baked, bake_scene

__all__ = [
    "Baked",
    "Finding",
    "GoalError",
    "RigError",
    "Solution",
    "bake",
    "bake_scene",
    "check",
    "motion",
    "new_chain",
    "pose_from_points",
    "pose_joints",
    "solve",
    "store_posture",
]

Joint = tuple[str, str]  # bone or joint, and its axis of rotation or translation: ("head", "X")
AT_LIMIT = 1e-6  # [rad or m] distance from a limit below which a joint counts as at it


class GoalError(NamedTuple):
    """Error of one goal: of an end of a chain, a bone of a body, or a body or motor of a mechanism.

    Attributes:
        name: Name of the end, body or motor with the goal, in quotation marks: "'hand'".
        angle: Error [deg] of the orientation; 0 if the goal has none, NaN if it has no target in this frame.
        distance: Error [m] of the position; 0 if the goal has none, NaN if it has no target in this frame.
    """

    name: str
    angle: float
    distance: float


@dataclass(frozen=True)
class Solution:
    """Solution of the goals of a chain, a body or a mechanism in one frame, and its errors.

    Attributes:
        angles: Joint or motor -> its value [rad; prismatic joints m] from the solver, before the motion
            filter.
        aim_error: Error [deg] of the orientation: of a chain's own end, or the largest of a body or
            mechanism.
        distance: Error [m] of the position: of a chain's own end, or the largest of a body or mechanism.
        shape_deviation: Angle [deg] whose cosine is the mean cosine between the directions of a chain's links
            in the solution and in the posture that it keeps, apart from a rotation about the first joint's
            axis; None for a body or mechanism.
        limits_hit: Joints at a position limit.
        remark: Sentence about how the solver changed the goal, or how the goals are missed; "" for none.
        errors: Errors of all goals, a chain's own first.
    """

    angles: dict[Joint, float]
    aim_error: float
    distance: float
    shape_deviation: float | None
    limits_hit: list[Joint]
    remark: str
    errors: list[GoalError]


def new_chain(rig, end: str, root: str = "", target=None):
    """New chain of an armature's bones; its properties are the settings in the panels.

    Args:
        rig: The armature object.
        end: The bone of the end effector.
        root: The first bone of the chain; "": as New Chain chooses it: a child of the bone from which legs
            branch, a bone below another chain, or the top of the hierarchy.
        target: The object to look at, or None.

    Raises:
        RigError: no chain can be made; nothing was changed.
    """
    for name in filter(None, (root, end)):
        if name not in rig.pose.bones:
            raise RigError(
                f"Armature '{rig.name}' has no bone '{name}': name one of {', '.join(rig.pose.bones.keys())}"
            )
    chain = chains.new_chain(rig, list(dict.fromkeys(filter(None, (root, end)))))
    chain.target = target
    return chain


def pose_from_points(rig, chain, points) -> float:
    """Poses a chain's bones along points, such as markers: its links get the points' directions.
    `store_posture` then keeps the pose.

    Args:
        rig: The armature object.
        chain: The chain.
        points: Positions (m, 3) in the world, from the chain's base to its end. Only the directions from
            point to point count. If there is one for each position of the chain's joints and one for its end,
            the links follow them one by one; any other number is a line along which the links are spread.

    Returns:
        The largest angle [deg] between a link and the points; clearly above 0 if the joints or their limits
            allow no nearer pose.

    Raises:
        RigError: the points have no direction, or the chain cannot be read.
    """
    _, error = sketch.pose_along(rig, chain, points, bpy.context.evaluated_depsgraph_get())
    return error


def store_posture(owner, settings, name: str) -> bpy.types.Action:
    """New pose asset from the current pose of a chain's bones, or the values of a mechanism's motors. A chain
    or mechanism whose base is POSTURE then keeps this posture.

    Args:
        owner: The armature object, or the object that owns the mechanism.
        settings: The chain, or the mechanism (`owner.limber.mechanism`).
        name: Name of the posture.

    Raises:
        RigError: a bone is missing, the mechanism has no motor, or `settings` are a body's.
    """
    mover = mover_of(owner, settings)
    if why := mover.why_no_postures:
        raise RigError(why)
    return mover.store_posture(name, live.session(*mover))


def check(rig, chain) -> list[Finding]:
    """Problems of a chain, each with a sentence; `blocks` is True for one that keeps the chain from being
    solved.
    """
    return _check(bpy.context, rig, chain)


def solve(owner, settings) -> Solution:
    """Solution of a mover's goals in the current frame, solved from the authored pose without earlier frames.
    Writes nothing.

    Args:
        owner: The armature object, or the object that owns the mechanism.
        settings: The chain, the body (`owner.limber.retarget`), or the mechanism (`owner.limber.mechanism`).

    Raises:
        RigError: the mover's setup or its goals cannot be used.
    """
    mover = mover_of(owner, settings)
    stage = SceneStage()
    live.prepare(stage, [mover])
    stage.advance([mover], bpy.context.evaluated_depsgraph_get(), 0.0)
    session = stage.session(*mover)
    if session.problem or session.outputs is None:
        raise RigError(session.problem)
    errors = [
        GoalError(error.name, degrees(error.angle), error.distance) for error in session.goal_errors(mover)
    ]
    chain = session.outputs.solution if isinstance(mover, ChainMover) else None
    counting = errors[:1] if chain is not None else errors
    angles, limits = session.solved(), session.limits()
    return Solution(
        angles=angles,
        aim_error=_largest(error.angle for error in counting),
        distance=_largest(error.distance for error in counting),
        shape_deviation=degrees(chain.shape_deviation) if chain is not None else None,
        limits_hit=[
            key
            for key, value in angles.items()
            if not limits[key].lower + AT_LIMIT < value < limits[key].upper - AT_LIMIT
        ],
        remark=chain.remark if chain is not None else session.unmet,
        errors=errors,
    )


def _largest(errors: Iterable[float]) -> float:
    """The largest error; NaNs, of goals without a target, do not count."""
    return max((error for error in errors if not isnan(error)), default=0.0)


def motion(pairs: list[tuple], start: int, end: int) -> dict[tuple[str, str], dict[Joint, list[float]]]:
    """The filtered motion that `bake` would key. Writes nothing.

    Args:
        pairs: (owner, settings) of each chain, body or mechanism, as for `solve`; those that depend on one
            another belong in one call.
        start, end: First and last frame.

    Returns:
        A mover's name -> joint or motor -> its values [rad; prismatic joints m] in all frames. A mover's name
            is a pair: its owner's name, and the chain's name, "Retarget" for a body, or the owner's name
            again for a mechanism.

    Raises:
        RigError: the range is empty, a mover's setup or its goals cannot be used in the first frame, or
            something in the scene would override the keys.
    """
    work = Bake(bpy.context.scene, pairs, start, end)
    try:
        while work.step():
            pass
        motions = {}
        for mover in (mover_of(*pair) for pair in pairs):
            frames = work.values[mover.key]
            motions[mover.owner.name, mover.given_name] = {
                joint: [values[joint] for values in frames] for joint in frames[0]
            }
        return motions
    finally:
        work.cancel()


def bake(pairs: list[tuple], start: int, end: int) -> list[bpy.types.Action]:
    """Writes the solved, filtered motion as keys on new actions, which are assigned and returned; the old
    actions are kept. Ends live motion of the movers, and mutes drivers and constraints that would override
    the keys.

    Args:
        pairs, start, end: As for `motion`.

    Raises:
        RigError: as for `motion`; nothing is written.
    """
    work = Bake(bpy.context.scene, pairs, start, end)
    try:
        while work.step():
            pass
        work.mute()
        return work.finish()
    finally:
        work.cancel()
