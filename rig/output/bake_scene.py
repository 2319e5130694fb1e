"""Baking all that a scene has, without a hand: chains, armatures that follow others, mechanisms."""

from dataclasses import dataclass, field

import bpy

from ..blender.counting import counted
from ..blender.errors import RigError
from ..properties.frame_range import bake_range
from ..reading.goal import followed
from .body_bake import RetargetBake
from .chain_bake import Bake, muted_remarks
from .mechanism_bake import MechanismBake
from .stepped import Stepped

Range = tuple[int, int]


@dataclass
class Baked:
    """What came of it.

    Attributes:
        actions: Names of the new actions.
        frames: How many frames were baked, of all bakes together.
        remarks: What deserves a look, in sentences.
    """

    actions: list[str] = field(default_factory=list)
    frames: int = 0
    remarks: list[str] = field(default_factory=list)


def bake_scene(scene, frames: Range | None = None, only_live: bool = False) -> Baked:
    """Bakes the scene's chains that have a target, all together; armatures that follow others live; then live mechanisms.

    Args:
        scene: The context's scene.
        frames: First and last frame; None: of each as its own settings say, chains together from the first of them to the last.
        only_live: Only chains that are live.

    Raises:
        RigError: what the bakes raise; or an armature that is linked would have to be written.
    """
    baked = Baked()
    rigs = [thing for thing in scene.objects if thing.type == "ARMATURE" and _has_work(thing, only_live)]
    for rig in rigs:
        if rig.library:
            raise RigError(
                f"Armature '{rig.name}' is linked from '{rig.library.filepath}', and its keys belong there: make a library override of it,"
                " or bake that file"
            )
    pairs = [(rig, chain) for rig in rigs if not _follows(rig) for chain in _chains(rig, only_live)]
    if pairs:
        firsts, lasts = zip(*(bake_range(chain, scene) for _, chain in pairs), strict=True)
        own = min(firsts), max(lasts)
        _run(Bake(scene, pairs, *(frames or own)), baked)
    for rig in filter(_follows, rigs):
        if frames:
            rig.limber.retarget.frame_start, rig.limber.retarget.frame_end = frames
        _run(RetargetBake(scene, rig), baked)
    for owner in [thing for thing in scene.objects if thing.limber.mechanism.live]:
        if frames:
            owner.limber.mechanism.frame_start, owner.limber.mechanism.frame_end = frames
        _run(MechanismBake(bpy.context, owner), baked)
    return baked


def _chains(rig, only_live: bool) -> list:
    return [chain for chain in rig.limber.chains if (chain.live if only_live else followed(chain))]


def _follows(rig) -> bool:
    return rig.limber.retarget.live


def _has_work(rig, only_live: bool) -> bool:
    return _follows(rig) or bool(_chains(rig, only_live))


def _run(work: Stepped, baked: Baked) -> None:
    try:
        while work.step():
            pass
        drivers = work.mute_drivers() if isinstance(work, (Bake, MechanismBake)) else []
        constraints = work.mute_constraints() if isinstance(work, MechanismBake) else []
        actions = [action.name for action in work.finish()]
    finally:
        work.cancel()
    baked.actions += actions
    baked.frames += work.total // getattr(work, "passes", 1)
    baked.remarks += muted_remarks(drivers, constraints)
    if isinstance(work, MechanismBake) and work.reading.difference:
        baked.remarks.append(work.reading.difference)
    baked.remarks += [f"Chain '{name}': {remark}" for name, remark in getattr(work, "remarks", {}).items()]
    if work.held:
        first, why = next(iter(work.held.items()))
        baked.remarks.append(f"In {counted(len(work.held), 'frame')}, from {first}, a goal could not be followed. {why}")
