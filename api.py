"""Limber from Python, with or without a window: what scripts may rely on from version to version. docs/api.md has examples.

Angles are in radians, ways of slides in metres, times in seconds. What is wrong is a `RigError` whose message names the bone, object or
property and the remedy. These functions push no undo step: an operator of your own that calls them should have UNDO.
"""

from dataclasses import dataclass
from math import degrees

import bpy

from .rig.authoring import chains
from .rig.authoring.check import check as _check
from .rig.blender.errors import Finding, RigError
from .rig.live.stage import Stage
from .rig.output.bake import Bake
from .rig.output.bake_scene import Baked, bake_scene
from .rig.reading import postures

__all__ = ["Answer", "Baked", "Finding", "RigError", "bake", "bake_scene", "check", "motion", "new_chain", "solve", "store_posture"]

Joint = tuple[str, str]  # bone, and the axis about or along which it moves: ("head", "X")


@dataclass(frozen=True)
class Answer:
    """How a chain follows its goal in one frame.

    Attributes:
        angles: Joint -> angle [rad] or way [m], as the solver says, before the motion filter.
        miss: The angle [deg] by which the end misses its aim.
        shape_deviation: How far the body is from what is authored [deg].
        limits_hit: Joints that stand at a limit.
        remark: What the solver changed of the goal, or "".
    """

    angles: dict[Joint, float]
    miss: float
    shape_deviation: float
    limits_hit: list[Joint]
    remark: str


def new_chain(rig, end: str, root: str = "", target=None, change_rotation_mode: bool = False):
    """Makes a chain of an armature's bones and returns it: its settings are the properties that the panels show.

    Args:
        rig: The armature object.
        end: The bone that looks.
        root: The first bone that moves; "": from the top of the hierarchy, or below another chain.
        target: The object to look at.
        change_rotation_mode: Bones that rotate by quaternion get an Euler order, their keys converted.

    Raises:
        RigError: no chain can be made; nothing has changed.
    """
    for name in filter(None, (root, end)):
        if name not in rig.pose.bones:
            raise RigError(f"Armature '{rig.name}' has no bone '{name}': name one of {', '.join(rig.pose.bones.keys())}")
    chain = chains.new_chain(rig, list(dict.fromkeys(filter(None, (root, end)))), change_rotation_mode)
    chain.target = target
    return chain


def store_posture(rig, chain, name: str) -> bpy.types.Action:
    """Makes a pose asset of the chain's bones as they are posed. It is the posture that the chain keeps where its base is POSTURE."""
    return postures.store(rig, chain, name)


def check(rig, chain) -> list[Finding]:
    """What is wrong with a chain, each as a sentence; `blocks` where the chain cannot work until it is mended."""
    return _check(bpy.context, rig, chain)


def solve(rig, chain) -> Answer:
    """What the chain does in the scene's present frame, from the authored pose, without a past. Writes nothing.

    Raises:
        RigError: the goal cannot be followed.
    """
    stage = Stage()
    stage.advance([(rig, chain)], bpy.context.evaluated_depsgraph_get(), 0.0)
    session = stage.session(rig, chain)
    if session.problem or session.outputs is None:
        raise RigError(session.problem)
    found, places = session.outputs.solution, session.reader.places
    return Answer(
        angles=dict(zip(places, found.angles, strict=True)),
        miss=degrees(found.aim_error),
        shape_deviation=degrees(found.shape_deviation),
        limits_hit=[places[k] for k in found.limits_hit],
        remark=found.remark,
    )


def motion(pairs: list[tuple], start: int, end: int) -> dict[tuple[str, str], dict[Joint, list[float]]]:
    """The filtered motion that a bake would key, without writing anything.

    Args:
        pairs: (rig, chain) of each chain; those that hang on one another belong together.
        start, end: First and last frame.

    Returns:
        (rig's name, chain's name) -> joint -> its value in every frame.

    Raises:
        RigError: a chain cannot be followed from the first frame on.
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
    """Keys of the warped, filtered motion, on new actions; the old ones are kept. Returns the new ones.

    Args:
        pairs, start, end: As for `motion`.

    Raises:
        RigError: as for `motion`, or something would play over the keys; then nothing is written.
    """
    work = Bake(bpy.context.scene, pairs, start, end)
    try:
        while work.step():
            pass
        work.mute()
        return work.finish()
    finally:
        work.cancel()
