"""Bakes all movers of a scene in one call."""

from dataclasses import dataclass, field

import bpy

from ..blender.counting import counted
from ..blender.errors import RigError
from ..live.movers import movers_of
from .bake import Bake

Range = tuple[int, int]


@dataclass
class Baked:
    """Result of a bake of a scene.

    Attributes:
        actions: Names of the new actions.
        frames: Number of frames baked; 0 if there was nothing to bake.
        remarks: Warnings as sentences.
    """

    actions: list[str] = field(default_factory=list)
    frames: int = 0
    remarks: list[str] = field(default_factory=list)


def bake_scene(scene: bpy.types.Scene, frames: Range | None = None, only_live: bool = False) -> Baked:
    """Bakes all live movers of the scene, and all chains that have a target (unless their armature's body is
    live), together.

    Args:
        scene: The context's scene.
        frames: First and last frame; None: the union of the movers' own ranges.
        only_live: Whether to bake only live movers.

    Raises:
        RigError: for the reasons of `Bake`, or a linked armature would have to be changed.
    """
    movers = [mover for obj in scene.objects for mover in movers_of(obj)]
    movers = [mover for mover in movers if mover.is_live or (mover.bakes_when_off and not only_live)]
    for owner in (mover.owner for mover in movers):
        # Blender does not save changes of linked data
        if owner.library:
            raise RigError(
                f"Armature '{owner.name}' is linked from '{owner.library.filepath}', and its keys belong"
                " there: make a library override of it, or bake that file"
            )
    baked = Baked()
    if movers:
        firsts, lasts = zip(*(mover.frames for mover in movers), strict=True)
        _run(Bake(scene, movers, *(frames or (min(firsts), max(lasts)))), baked)
    return baked


def _run(work: Bake, baked: Baked) -> None:
    """Runs a bake to its end, and adds its results to `baked`."""
    try:
        while work.step():
            pass
        muted = work.mute()
        action_names = [action.name for action in work.finish()]
    finally:
        work.cancel()
    baked.actions += action_names
    baked.frames += work.length
    baked.remarks += [*muted, *(f"{label}: {remark}" for label, remark in work.remarks.items())]
    if work.held:
        first, why = next(iter(work.held.items()))
        baked.remarks.append(
            f"In {counted(len(work.held), 'frame')}, from {first}, a goal could not be followed. {why}"
        )
